import type { Access, Need } from '../asker.ts'

/** Returns a guard that says which role it asks for, for the API document. */
export const needing = <Params, Granted>(
  need: Need,
  guard: Access<Params, Granted>,
): Access<Params, Granted> => Object.assign(guard, { need })

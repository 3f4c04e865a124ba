import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'

/** Returns a new key of visitor tokens, sealed. */
export const newVisitorKey = ({ keys }: Pick<Context, 'keys'>): string =>
  keys.seal('visitor key', randomId(48))

import type { Calls } from './call.ts'
import { content } from './content.ts'
import { people } from './people.ts'
import { places } from './places.ts'

/** Every call that needs more than the ids of the world. */
export const calls: Calls = { ...people, ...places, ...content }

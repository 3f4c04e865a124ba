import type { z } from 'zod'
import { ifThere } from '../access/guards/if-there.ts'
import type { UserRow } from '../store/tables/rows.ts'
import {
  type Endpoint,
  type EndpointFacts,
  endpoint,
  type Input,
  nothing,
  type Shape,
} from './endpoint.ts'

/**
 * Returns an endpoint that deletes something that its guard grants. Deletes are repeatable: if the
 * guard throws 'missing', there is nothing to delete, and the answer is the same.
 */
export const removal = <P extends Shape<object>, G extends { user: UserRow }>({
  access,
  remove,
  ...facts
}: EndpointFacts<P, G> & {
  remove: (asked: Input<z.output<P>, undefined, undefined, G>) => void
}): Endpoint<z.output<P>> =>
  endpoint<P, typeof nothing, { found: G | undefined; user: UserRow }>({
    ...facts,
    access: ifThere(access),
    reply: nothing,
    write: ({ found, ...asked }) => {
      if (found) remove({ ...asked, ...found })
    },
  })

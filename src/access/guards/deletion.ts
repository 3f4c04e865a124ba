import { Fault } from '../../errors.ts'
import type { CollectionRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { Access, Asker } from '../asker.ts'
import { collection } from './collection.ts'
import { signedIn, space } from './space.ts'

/** What `guard` grants, or undefined where it finds nothing: a delete is repeatable, so what is not there is deleted. */
async function orNothing<Params, Granted>(
  guard: Access<Params, Granted>,
  asker: Asker<Params>,
): Promise<Granted | undefined> {
  try {
    return await guard(asker)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'missing') return undefined
    throw error
  }
}

/** Lets in the admins of the space of the path, and those for whom there is none: they get no space. */
export const spaceToDelete: Access<
  { spaceId: string },
  { space: SpaceRow | undefined; user: UserRow }
> = async asker => ({
  space: (await orNothing(space('admin'), asker))?.space,
  user: signedIn(asker.actor),
})

/** Lets in the admins of the collection of the path, and those for whom there is none: they get no collection. */
export const collectionToDelete: Access<
  { collectionId: string },
  { collection: CollectionRow | undefined }
> = async asker => ({ collection: (await orNothing(collection('admin'), asker))?.collection })

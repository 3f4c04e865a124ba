import type { z } from 'zod'
import type { SpaceGrant } from '../../../access/guards/space.ts'
import type { Edited } from '../../../actions/edit/edit-order.ts'
import { spaceRepository } from '../../../actions/repositories/space-repository.ts'
import type { Context } from '../../../context.ts'
import { fileAddresses } from '../../../files/address.ts'
import { loadMedia } from '../../../files/load-media.ts'
import { mustGet } from '../../../lib/must-get.ts'
import { findShownUsers } from '../../../store/people/users.ts'
import { presentChangeRequest } from '../change-requests/present.ts'
import { presentFile } from '../files/present.ts'
import type { ChangeRequestEdited, PrimaryEdited } from './outcome-schema.ts'

type Outcomes = Pick<z.input<typeof PrimaryEdited>, 'changes' | 'insertedFiles'>

/**
 * Returns the outcome of each change. `location` is the URL of the content, without a trailing
 * slash.
 */
async function presentOutcomes(
  ctx: Context,
  { space, user }: Pick<SpaceGrant, 'space' | 'user'>,
  edited: Edited,
  location: string,
): Promise<Outcomes> {
  const { outcomes, insertedFiles } = edited
  const files = await loadMedia(ctx, spaceRepository(ctx, space.id), insertedFiles)
  const addresses = fileAddresses(ctx, space, { user })

  return {
    changes: outcomes.map(({ object, page, ref }) => {
      if (object === 'deleted_page') return { object, page }
      const urls = { location: `${location}/page/${page}` }
      const shown = { object: 'page' as const, id: page, urls }
      return object === 'created_page' && ref !== undefined
        ? { object, ref, page: shown }
        : { object, page: shown }
    }),
    ...(insertedFiles.length > 0 && {
      insertedFiles: insertedFiles.map(file =>
        presentFile(file, {
          media: files.get(file.oid),
          downloadURL: addresses.of(file),
          metadata: true,
        }),
      ),
    }),
  }
}

/** Returns the answer to an edit of a change request; with `compat`, the change request only. */
export async function presentChangeRequestEdited(
  ctx: Context,
  { space, user }: Pick<SpaceGrant, 'space' | 'user'>,
  edited: Edited,
  compat: boolean,
): Promise<z.input<typeof ChangeRequestEdited>> {
  const row = edited.changeRequest!
  const base = ctx.publicUrl()
  const createdBy = mustGet(findShownUsers(ctx.store, undefined, [row.created_by]), row.created_by)
  const changeRequest = presentChangeRequest(ctx, row, { createdBy, outdated: edited.outdated })
  if (compat) return changeRequest
  const location = `${base}/v1/spaces/${space.id}/change-requests/${row.id}/content`
  return { changeRequest, ...(await presentOutcomes(ctx, { space, user }, edited, location)) }
}

/** Returns the answer to an edit of the primary content. */
export const presentPrimaryEdited = async (
  ctx: Context,
  { space, user }: Pick<SpaceGrant, 'space' | 'user'>,
  edited: Edited,
): Promise<z.input<typeof PrimaryEdited>> => ({
  revision: edited.revision,
  ...(await presentOutcomes(
    ctx,
    { space, user },
    edited,
    `${ctx.publicUrl()}/v1/spaces/${space.id}/content`,
  )),
})

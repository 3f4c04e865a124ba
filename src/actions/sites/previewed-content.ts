import type { Reader } from '../../access/asker.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import { parseOid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { isRevision } from '../revisions/is-revision.ts'

/** The unpublished content of a space that an address names, and the segments behind its name. */
type PreviewedContent = {
  rest: readonly string[]
  changeRequest?: string
  revision?: string
}

/**
 * Returns the content that `~/changes/<number>` and `~/revisions/<id>` name. Undefined if it does
 * not exist, and for readers who do not preview the site as a user who may read the space.
 */
export async function previewedContent(
  ctx: Context,
  previewer: Reader | undefined,
  space: SpaceRow,
  [, kind, id, ...rest]: readonly string[],
): Promise<PreviewedContent | undefined> {
  const userId = previewer?.preview?.userId
  if (userId === undefined || id === undefined || roleOnSpace(ctx, space, userId) === null)
    return undefined

  if (kind === 'changes') {
    if (!previewer?.readsChangeRequests) return undefined
    const changeRequest = /^[1-9]\d{0,8}$/.test(id)
      ? findChangeRequest(ctx.store, space.id, id)?.id
      : undefined
    return changeRequest === undefined ? undefined : { rest, changeRequest }
  }

  const revision = kind === 'revisions' ? parseOid(id) : undefined
  return revision && (await isRevision(ctx, space.id, revision)) ? { rest, revision } : undefined
}

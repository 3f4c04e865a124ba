import type { Reader } from '../../access/asker.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import { parseOid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { rememberedPreviewLink } from '../../store/sites/preview-links.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { isRevision } from '../revisions/is-revision.ts'

/** The unpublished content of a space that an address names, and the segments behind its name. */
type PreviewedContent = {
  rest: readonly string[]
  changeRequest?: string
  revision?: string
}

/**
 * Returns whether a reader who comes with a preview link comes with that of a change request; true
 * for readers without one.
 */
export function isLinkedTo(
  { store }: Pick<Context, 'store'>,
  reader: Reader | undefined,
  changeRequestId: string,
): boolean {
  const linkId = reader?.preview?.linkId
  if (linkId === undefined) return true
  return rememberedPreviewLink(store, linkId)?.change_request_id === changeRequestId
}

/** What pages of a change request load from other addresses below the base of their space. */
const loaded = new Set(['~stemma/files', '~stemma/theme', '~gitbook/icon'])

/**
 * Returns whether a reader may open an address below the base of a space: with a preview link, those
 * of its change request, and what its pages load.
 */
function isWithinLink(
  ctx: Pick<Context, 'store'>,
  reader: Reader | undefined,
  space: SpaceRow,
  [first, second, number = '']: readonly string[],
): boolean {
  if (reader?.preview?.linkId === undefined) return true
  if (first !== '~' || second !== 'changes') return loaded.has(`${first}/${second}`)
  const [, plain] = /^0*([1-9]\d{0,8})$/.exec(number) ?? []
  const row = plain && findChangeRequest(ctx.store, space.id, plain)
  return row ? isLinkedTo(ctx, reader, row.id) : false
}

/** An address below the base of a space; `keepsScope` if its names of content are part of its path. */
type Below = { rest: readonly string[]; keepsScope?: boolean | undefined }

/**
 * Returns the content that an address names below the base of a space; undefined if the reader may
 * not open it.
 */
export async function previewedContent(
  ctx: Context,
  previewer: Reader | undefined,
  space: SpaceRow,
  { rest, keepsScope }: Below,
): Promise<PreviewedContent | undefined> {
  if (!isWithinLink(ctx, previewer, space, rest)) return undefined
  return rest[0] === '~' && !keepsScope ? namedContent(ctx, previewer, space, rest) : { rest }
}

/**
 * Returns the content that `~/changes/<number>` and `~/revisions/<id>` name. Undefined if it does
 * not exist, and for readers who preview the site neither as a user who may read the space nor with
 * a preview link, which `isWithinLink` has checked.
 */
async function namedContent(
  ctx: Context,
  previewer: Reader | undefined,
  space: SpaceRow,
  [, kind, id, ...rest]: readonly string[],
): Promise<PreviewedContent | undefined> {
  const { userId, linkId } = previewer?.preview ?? {}
  if (userId === undefined || id === undefined) return undefined
  if (linkId === undefined && roleOnSpace(ctx, space, userId) === null) return undefined

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

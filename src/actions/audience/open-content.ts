import type { Reader, RequestFacts } from '../../access/asker.ts'
import type { Fields } from '../../access/fields.ts'
import type { PublishedGrant } from '../../access/guards/content.ts'
import type { LinkHome } from '../../content/links/classify.ts'
import { apiAddresses, type BrowserAddresses } from '../../content/tree/browser-addresses.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { findRewritten } from '../../store/git/content-purges.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { addressesInApp, addressesOfChangeRequest } from '../app-addresses.ts'
import { currentChangeRequest } from '../heads/current-change-request.ts'
import { openSpace } from '../heads/open-space.ts'
import { primaryHead } from '../heads/primary-head.ts'
import type { Audience } from '../reading/audience.ts'
import { readerContent } from '../reading/reader-content.ts'
import { isPrimaryAt } from '../repositories/head-of.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { isRevision } from '../revisions/is-revision.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { readerClaims } from '../sites/reader-claims.ts'
import { isSpaceShown } from '../sites/view-for-reader.ts'
import { asWritten, type ComputedContent, withComputed } from '../specs/computed-pages.ts'

/** Content that a guard granted, found and read. */
export type OpenContent = {
  ctx: Context
  space: SpaceRow
  /** The user who reads; undefined for a reader. */
  user: UserRow | undefined
  /** The reader of a published site. */
  reader: Reader | undefined
  /** The claims of the reader, on which everything in an answer depends. */
  audience: Audience | undefined
  repo: Repository
  view: RevisionView
  /**
   * The content as requested: with computed entries expanded to their pages, or as written. For a
   * reader, only what the reader is shown.
   */
  shown: ComputedContent
  /** The same content without regard to the reader. */
  whole: ComputedContent
  /** The URL of the content, without a trailing slash. */
  location: string
  /** Where a browser opens it. */
  app: BrowserAddresses
  /** The space that its links are resolved in. */
  home: LinkHome
  /**
   * Identifies the content unless it is the published content: answers of different scopes name
   * different URLs.
   */
  scope: string
  /** True for the current primary content, asked for as such. */
  isPrimary: boolean
  /** True for a single revision, which never changes. */
  pinned: boolean
  /** The branch whose head this is. */
  ref: string | undefined
  /**
   * Returns whether the branch is still at this head; undefined where that takes more than reading
   * a ref.
   */
  holds: (() => boolean) | undefined
  /** Aborts when the client closes the connection. */
  signal: AbortSignal | undefined
  /** Returns whether what was made of it may be kept: false if content was erased since it was opened. */
  mayKeep: () => boolean
  /** The fields of the answer that the client wants, if they are not all. */
  fields: Fields | undefined
}

type Opened = Partial<Pick<OpenContent, 'ref' | 'holds'>> & { app?: BrowserAddresses | undefined }

type OpenOptions = {
  computed?: boolean
  files?: boolean
  drafts?: boolean
  request?: Pick<RequestFacts, 'signal' | 'fields'>
}

/** Returns what does not depend on the revision that is opened. Call it before the revision is read. */
const groundOf = (
  ctx: Context,
  { space, user, reader, scope }: PublishedGrant,
  request: OpenOptions['request'],
) => ({
  ctx,
  space,
  user,
  reader,
  repo: spaceRepository(ctx, space.id),
  home: { spaceId: space.id, own: ctx.publicUrl() },
  isPrimary: scope.kind === 'space',
  pinned: scope.kind === 'revision' && !reader,
  mayKeep: ctx.store.watchErasing(),
  signal: request?.signal,
  fields: request?.fields,
})

/**
 * Opens the content that a guard granted: the current head of the primary content or of a change
 * request (for a merged one, its last head), or the revision. With `computed`, computed entries are
 * expanded to their pages. With `files`, files and reusable content of a reader are limited to
 * those that the pages use. With `drafts`, a reader is shown drafts. Throws 'missing' for a revision
 * that the space does not have, and for a reader any revision but the published one. Work that only
 * this answer needs ends when the client of `request` closes the connection.
 */
export async function openContent(
  ctx: Context,
  granted: PublishedGrant,
  { computed = false, files = false, drafts = false, request }: OpenOptions = {},
): Promise<OpenContent> {
  const { space, reader, scope } = granted
  // Conditions may have changed since the token was made.
  if (reader && !(await isSpaceShown(ctx, reader, space.id))) throw missing('space', space.id)
  const base = `${ctx.publicUrl()}/v1/spaces/${space.id}`
  const ground = groundOf(ctx, granted, request)
  const { repo } = ground
  const open = async (
    oid: Oid,
    path: string,
    { ref, holds, app }: Opened = {},
  ): Promise<OpenContent> => {
    const view = await viewRevision(ctx, space.id, oid)
    const whole = computed ? await withComputed(ctx, space.organization_id, view) : asWritten(view)
    const audience = reader && audienceOf(ctx, reader, drafts ? space.id : undefined)
    const shown = audience
      ? await readerContent(ctx, { space, repo, oid, shown: whole }, audience, { files })
      : whole
    const location = `${base}/${path}`

    return {
      ...ground,
      audience,
      view,
      shown,
      whole,
      location,
      app: app ?? apiAddresses(location),
      scope: path,
      ref,
      holds,
    }
  }

  if (scope.kind === 'space') {
    const { ref, head } = await primaryHead(ctx, space)
    const app = reader ? undefined : addressesInApp(ctx.publicUrl(), space.id)
    return open(head, 'content', { ref, holds: isPrimaryAt(ctx, space.id, head), app })
  }

  if (scope.kind === 'change-request') {
    const request = await currentChangeRequest(ctx, scope.request)
    const ref = request.status === 'merged' ? undefined : changeRequestRef(request.number)
    const app = reader ? undefined : addressesOfChangeRequest(ctx.publicUrl(), request)
    return open(request.revision, `change-requests/${request.id}/content`, { ref, app })
  }

  if (reader) {
    const { head } = await primaryHead(ctx, space)
    if (head !== scope.oid) throw missing('revision', scope.oid)
    return open(head, `revisions/${head}`, { holds: isPrimaryAt(ctx, space.id, head) })
  }

  await openSpace(ctx, space.id)
  if (!(await isRevision(ctx, space.id, scope.oid))) throw noRevision(ctx, space.id, scope.oid)

  const app = addressesInApp(ctx.publicUrl(), space.id, scope.oid)

  return open(scope.oid, `revisions/${scope.oid}`, { app })
}

function audienceOf(ctx: Context, reader: Reader, draftsOf: string | undefined): Audience {
  const { claims, id } = readerClaims(ctx, reader)
  return draftsOf === undefined
    ? { claims, claimsId: id }
    : { claims, claimsId: `drafts ${id}`, draftsOf }
}

/**
 * Returns the fault for a revision that a space does not have; for a rewritten one it names the
 * replacement.
 */
function noRevision(ctx: Context, spaceId: string, oid: Oid): Fault {
  const now = findRewritten(ctx.store, spaceId, oid)
  if (now === undefined) return missing('revision', oid)
  return new Fault(
    'revision_rewritten',
    `The revision ${oid} was rewritten to remove content from history. Its replacement is ${now}.`,
  )
}

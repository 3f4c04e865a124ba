import type { RequestFacts } from '../../access/asker.ts'
import type { ContentGrant } from '../../access/guards/content.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { primaryHead } from '../../actions/heads/reconcile-space.ts'
import { changeRequestRef } from '../../actions/repositories/ref-names.ts'
import { spaceRepository } from '../../actions/repositories/space-repository.ts'
import { isRevision } from '../../actions/revisions/is-revision.ts'
import { viewRevision } from '../../actions/revisions/view-revision.ts'
import { asWritten, type ComputedContent, withComputed } from '../../actions/specs/computed-pages.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import { primaryNow } from '../../git/refs/primary-now.ts'
import type { Oid } from '../../git/values/oid.ts'
import { findRewritten } from '../../store/git/content-purges.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'

/** Content that was asked for, found and read. */
export type OpenContent = {
  ctx: Context
  space: SpaceRow
  /** Who reads it. */
  user: UserRow
  repo: Repository
  view: RevisionView
  /** Its content as asked for: with the pages that its computed entries stand for, or as it is written. */
  shown: ComputedContent
  /** Where the API has it, without a slash at the end. */
  location: string
  /** The same, unless what is published is read: tells answers apart that name other addresses. */
  scope: string
  /** One revision, which never changes. */
  pinned: boolean
  /** The branch whose head it is. */
  ref: string | undefined
  /** Whether it is still what was asked for, as far as Git says; undefined where that takes more than a look at a ref. */
  holds: (() => boolean) | undefined
  /** Aborted when the caller hangs up. */
  gone: AbortSignal | undefined
}

/**
 * Opens the content that a guard granted: the head of the primary content or of a change request as Git has it now
 * (what a merged one proposed last), or the revision. With `computed` it is shown with the pages of its computed entries.
 * Throws 'missing' for a revision that the space does not have. Work for the answer alone ends when the caller of `request`
 * hangs up.
 */
export async function openContent(
  ctx: Context,
  { space, user, scope }: ContentGrant,
  { computed = false, request }: { computed?: boolean; request?: Pick<RequestFacts, 'gone'> } = {},
): Promise<OpenContent> {
  const base = `${ctx.publicUrl()}/v1/spaces/${space.id}`
  const repo = spaceRepository(ctx, space.id)
  const open = async (oid: Oid, path: string, ref?: string, holds?: () => boolean): Promise<OpenContent> => {
    const view = await viewRevision(ctx, space.id, oid)
    const shown = computed ? await withComputed(ctx, space.organization_id, view) : asWritten(view)
    const pinned = scope.kind === 'revision'
    const location = `${base}/${path}`
    const gone = request?.gone
    return { ctx, space, user, repo, view, shown, location, scope: path, pinned, ref, holds, gone }
  }
  if (scope.kind === 'space') {
    const { ref, head } = await primaryHead(ctx, space)
    return open(head, 'content', ref, () => primaryNow(repo.dir) === head)
  }
  if (scope.kind === 'change-request') {
    const request = await currentChangeRequest(ctx, scope.request)
    const ref = request.status === 'merged' ? undefined : changeRequestRef(request.number)
    return open(request.revision as Oid, `change-requests/${request.id}/content`, ref)
  }
  if (!(await isRevision(ctx, space.id, scope.oid as Oid))) throw noRevision(ctx, space.id, scope.oid)
  return open(scope.oid as Oid, `revisions/${scope.oid}`)
}

/** The fault for a revision that a space does not have: one that was rewritten says what it is now. */
function noRevision(ctx: Context, spaceId: string, oid: string): Fault {
  const now = findRewritten(ctx.store, spaceId, oid)
  if (now === undefined) return missing('revision', oid)
  return new Fault(
    'missing',
    `The revision ${oid} was rewritten because content was removed from it for good. It is ${now} now.`,
  )
}

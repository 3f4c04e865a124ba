import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import { listUnmerged } from '../../store/discussions/change-requests.ts'
import { deleteBlobFacts } from '../../store/git/blob-facts.ts'
import { deleteBlobMedia } from '../../store/git/blob-media.ts'
import { findMirroredRef, listMirroredRefs, putMirroredRef } from '../../store/git/refs.ts'
import { type NewRevision, replaceRevisions } from '../../store/git/revision-index.ts'
import { deleteOpenapiDerived } from '../../store/openapi/versions.ts'
import { deleteSearchIndex } from '../../store/search/search-index.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { keepNamedCommits } from '../heads/keep-named.ts'
import { lockSpace } from '../heads/open-space.ts'
import { settleJumps } from '../heads/published-jump.ts'
import { reconcileSpace } from '../heads/reconcile-space.ts'
import { headOf, headsBelow, primaryRef } from '../repositories/head-of.ts'
import { putBackRefs } from '../repositories/put-back-refs.ts'
import { changeRequestRef, identityRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexedRevision } from '../revisions/index-history.ts'
import { publishedLine } from '../revisions/published-line.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { reindexSearch } from '../search/index-search.ts'

/** How often the work on a space is repeated if it is written to in the meantime. */
const mostTries = 5

/** Deletes everything derived from the content of pages and files. It is rebuilt on demand. */
export const forgetDerived = (ctx: Context): void =>
  ctx.store.transact(() => {
    deleteBlobFacts(ctx.store, 'blob_facts')
    deleteBlobFacts(ctx.store, 'blob_links')
    deleteBlobMedia(ctx.store)
    deleteSearchIndex(ctx.store)
    deleteOpenapiDerived(ctx.store)
  })

/**
 * Rebuilds the rows that are derived from the repository of a space: mirrored refs, the index of
 * its history, facts of pages, the search index. Creates refs for commits that rows refer to and no
 * ref holds. Safe beside a running server. Returns the number of revisions. Throws Fault 'conflict'
 * if the space is written to all the time.
 */
export async function reindexSpace(ctx: Context, space: SpaceRow): Promise<number> {
  const repo = spaceRepository(ctx, space.id)
  for (let tries = 1; tries <= mostTries; tries++) {
    try {
      const revisions = await lockSpace(ctx, space.id, () => rebuild(ctx, repo, space))
      if (revisions === undefined) continue
      await reindexSearch(ctx, space)
      return revisions
    } catch (error) {
      if (!isGitError(error, 'ref_moved')) throw error
    }
  }

  throw new Fault(
    'concurrent_change',
    `The space ${space.id} is changing too fast. Try again later.`,
  )
}

/** Rebuilds the rows. Returns undefined if the primary content moved in the meantime. */
async function rebuild(
  ctx: Context,
  repo: Repository,
  space: SpaceRow,
): Promise<number | undefined> {
  await reconcileSpace(ctx, space)
  await keepNamedCommits(ctx, repo, space.id)
  await mirrorRefs(ctx, space)
  await settleJumps(ctx, repo, space.id)
  const branch = primaryRef(ctx, space.id)
  const head = headOf(ctx, space.id, branch)
  if (!head)
    throw new Fault(
      'data_not_ready',
      `The space ${space.id} has no ${branch}: run "stemma verify".`,
    )

  const revisions: NewRevision[] = []

  for await (const commit of publishedLine(ctx, repo, space.id, head))
    revisions.push(indexedRevision(space.id, commit))
  revisions.reverse()
  const done = ctx.store.transact(() => {
    // A running server appends its revisions: if it did so since the head was read, this list is
    // outdated.
    if (findMirroredRef(ctx.store, space.id, branch) !== head) return false
    replaceRevisions(ctx.store, space.id, revisions)
    return true
  })
  if (!done) return undefined
  await viewRevision(ctx, space.id, head)

  return revisions.length
}

/**
 * Updates the mirror of all refs but the branches, which have just been reconciled. Puts deleted
 * refs below refs/stemma/ back.
 */
async function mirrorRefs(ctx: Context, space: SpaceRow): Promise<void> {
  const mirror = listMirroredRefs(ctx.store, space.id)
  await putBackRefs(
    ctx,
    space.id,
    [...mirror].filter(([ref]) => ref.startsWith('refs/stemma/')),
  )

  const inGit = await headsBelow(ctx, space.id, 'refs/')
  const requests = listUnmerged(ctx.store, space.id).map(request =>
    changeRequestRef(request.number),
  )
  const reconciled = new Set([primaryRef(ctx, space.id), ...requests])
  const names = [identityRef, ...mirror.keys()].filter(name => !reconciled.has(name))

  ctx.store.transact(() => {
    for (const name of names) {
      // Skips refs whose row a running server has changed in the meantime.
      const isRead = findMirroredRef(ctx.store, space.id, name) === mirror.get(name)
      if (isRead) putMirroredRef(ctx.store, space.id, name, inGit.get(name) ?? null)
    }
  })
}

import type { Idempotency, Origin } from '../../access/asker.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { clearContent } from '../clearance/clear-content.ts'
import { lockSpace } from '../heads/open-space.ts'
import { type Head, readHeadsOf } from '../heads/read-heads.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { contentMoved } from '../journal/content-moved.ts'
import { publish } from '../journal/publish.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { knownToContain, rememberUpdate } from '../revisions/find-outdated.ts'
import { writeIdentityNotes } from '../revisions/identity.ts'
import { mergeCommits } from '../revisions/merge-commits.ts'
import { mergedIdentity } from '../revisions/merged-identity.ts'
import { type Resolution, resolveConflicts } from '../revisions/resolve-conflicts.ts'
import { type BareOutcome, describeOutcome, type Outcome } from './outcome.ts'

type UpdateOrder = {
  space: SpaceRow
  changeRequest: ChangeRequestRow
  by: UserRow
  /** The resolution of every conflict; undefined: conflicts are only reported. */
  resolutions?: readonly Resolution[] | undefined
  idempotency?: Idempotency | undefined
  origin?: Origin | null | undefined
}

type Heads = { primary: Head; branch: Head; changeRequest: ChangeRequestRow }

/**
 * Merges the primary content into the branch of a change request, always with a commit of two
 * parents; a branch that contains it already stays as it is. Throws 'conflict' for a merged or
 * archived change request, and if the resolutions do not match the conflicts.
 */
export async function updateFromPrimary(
  ctx: Context,
  order: UpdateOrder,
): Promise<Outcome<'update'>> {
  const { id } = order.space
  const outcome = await againIfMoved(() => lockSpace(ctx, id, () => update(ctx, order)))
  return describeOutcome(ctx, id, outcome)
}

async function update(ctx: Context, order: UpdateOrder): Promise<BareOutcome<'update'>> {
  const { space, resolutions } = order
  const repo = spaceRepository(ctx, space.id)
  const heads = await readHeadsOf(ctx, space, order.changeRequest)
  const { primary, branch } = heads

  checkMay(ctx, order, branch.head)
  const quarantine = openQuarantine(repo)
  const upToDate =
    knownToContain(ctx, branch.head, primary.head) ??
    (await isAncestor(repo, primary.head, branch.head))

  if (upToDate) {
    await resolveConflicts(repo, quarantine, branch.head, [], resolutions ?? [])
    return { revision: branch.head, result: 'update' }
  }

  const merged = await mergeCommits(repo, quarantine, branch.head, primary.head)
  const conflicts = merged.clean ? [] : merged.conflicts

  if (conflicts.length > 0 && !resolutions)
    return { found: conflicts, sides: { ours: branch.head, theirs: primary.head } }

  const tree = await resolveConflicts(repo, quarantine, merged.tree, conflicts, resolutions ?? [])

  return commitUpdate(ctx, repo, { ...order, quarantine }, heads, tree)
}

async function commitUpdate(
  ctx: Context,
  repo: Repository,
  order: UpdateOrder & { quarantine: Quarantine },
  heads: Heads,
  tree: Oid,
): Promise<BareOutcome<'update'>> {
  const { space, by, quarantine, resolutions, idempotency, origin = null } = order
  const { primary, branch, changeRequest } = heads
  const at = ctx.now()
  const commit = await writeUpdate(order, heads, tree, at)
  const beside = [branch.head, primary.head]
  const clearance = await clearContent(ctx, repo, order, { head: commit, beside })

  await quarantine.flush()
  const sides = { published: primary.head, brought: branch.head }
  const identity = await mergedIdentity(ctx, repo, space.id, sides, tree)
  const notes = await writeIdentityNotes(ctx, repo, space.id, [{ commit, identity }], service(at))
  const time = at.toISOString()
  const result = { revision: commit, result: 'update' as const }
  const moved = {
    space,
    changeRequestId: changeRequest.id,
    revision: commit,
    from: branch.head,
    at: time,
  }

  const updated = await publish(ctx, repo, {
    key: space.id,
    kind: 'update-change-request',
    userId: by.id,
    clearance,
    plan: () => {
      checkMay(ctx, order, branch.head)
      return {
        moves: [...notes, { ref: branch.ref, from: branch.head, to: commit }],
        effects: [
          {
            do: 'update-change-request',
            id: changeRequest.id,
            set: { revision: commit, revision_merged_ancestor: primary.head, updated_at: time },
          },
          { do: 'note-service-commit', row: { space_id: space.id, oid: commit, kind: 'update' } },
          {
            do: 'count-contribution',
            changeRequestId: changeRequest.id,
            userId: by.id,
            at: time,
            wrote: (resolutions ?? []).length > 0,
          },
          contentMoved(moved, { userId: by.id, origin }, { mergedAncestor: primary.head }),
        ],
        result,
        answer: idempotency && { to: idempotency, status: 200, body: result },
      }
    },
  })

  rememberUpdate(ctx, commit, primary.head)

  return updated
}

/** Throws unless the current rows let this user update this revision of the change request. */
function checkMay(ctx: Context, { space, changeRequest, by }: UpdateOrder, head: Oid): void {
  checkRole(ctx, space.id, by.id, 'edit')
  const row = findChangeRequest(ctx.store, space.id, changeRequest.id)
  if (!row) throw missing('change request', changeRequest.id)
  if (row.status === 'merged')
    throw new Fault('already_merged', 'The change request is merged and can no longer be updated.')
  if (row.status === 'archived')
    throw new Fault(
      'change_request_archived',
      'The change request is archived. Reopen it before you update it.',
    )
  if (row.revision !== head)
    throw new Fault('stale_revision', 'The change request has changed. Review it and try again.')
}

function writeUpdate(
  { space, by, quarantine }: UpdateOrder & { quarantine: Quarantine },
  { primary, branch, changeRequest }: Heads,
  tree: Oid,
  at: Date,
): Promise<Oid> {
  return quarantine.writeCommit({
    tree,
    parents: [branch.head, primary.head],
    author: authorOf(by, at),
    committer: service(at),
    message: withTrailers(
      `Update change request #${changeRequest.number} with the primary content`,
      {
        'Stemma-Space': space.id,
        'Stemma-Change-Request': changeRequest.number,
        'Stemma-Operation': 'update',
      },
    ),
  })
}

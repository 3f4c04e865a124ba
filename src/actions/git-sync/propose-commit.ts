import type { Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { clearContent } from '../clearance/clear-content.ts'
import { checkMayEdit } from '../edit/check-may-edit.ts'
import { lockSpace } from '../heads/open-space.ts'
import { readHeadsOf } from '../heads/read-heads.ts'
import { recordPushedIds } from '../heads/record-pushed-ids.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import type { Winner } from './combine-trees.ts'
import { countFiles, type FileCounts } from './count-files.ts'
import { joinCommits } from './join-commits.ts'

type Proposal = {
  space: SpaceRow
  changeRequest: ChangeRequestRow
  by: UserRow
  origin: Origin | null
  /** A commit that may become content. */
  commit: Oid
  /** The message of a merge commit. */
  message: string
  /** Which side wins conflicts, and whether it replaces all content. */
  winner: Winner
  /** Returns further ref moves. */
  extraMoves: () => RefMove[]
}

type Proposed = { revision: Oid; counts: FileCounts | undefined }

/**
 * Brings a commit from outside into the branch of a change request, merged with what was changed
 * there. Returns the new head. Throws SyncFailure with the conflicts, and Fault 'conflict' for a
 * change request that is archived or merged.
 */
export const proposeCommit = (ctx: Context, proposal: Proposal): Promise<Proposed> =>
  againIfMoved(() => lockSpace(ctx, proposal.space.id, () => propose(ctx, proposal)))

async function propose(ctx: Context, proposal: Proposal): Promise<Proposed> {
  const { space, by, commit, extraMoves } = proposal
  const repo = spaceRepository(ctx, space.id)
  const { branch, primary, changeRequest } = await readHeadsOf(ctx, space, proposal.changeRequest)

  checkMayEdit(ctx, proposal, branch.head)
  const at = ctx.now()
  const quarantine = openQuarantine(repo)
  const joining = { ...proposal, request: changeRequest.number }
  const { head, made } = await joinCommits({ repo, quarantine }, space, branch.head, joining, at)
  const writer = { space, by, ...(made && { quarantine }) }
  const beside = [branch.head, primary.head, commit]
  const clearance = await clearContent(ctx, repo, writer, { head, beside })
  if (made) await quarantine.flush()

  const known = branch.head
  const moves = [
    ...(head === known ? [] : await recordPushedIds(ctx, repo, space.id, { known, head, at })),
    ...extraMoves(),
    ...(head === known ? [] : [{ ref: branch.ref, from: known, to: head }]),
  ]
  const counts = await countFiles(repo, known, head)
  const result = { revision: head, counts }
  if (moves.length === 0) return result

  return publish(ctx, repo, {
    key: space.id,
    kind: 'propose-commit',
    userId: by.id,
    clearance,
    plan: () => {
      checkMayEdit(ctx, proposal, known)
      const effects = head === known ? [] : effectsOf(proposal, { head, known, at })
      return { moves, effects, result }
    },
  })
}

/** Returns the row changes of a moved branch. */
function effectsOf(
  { space, changeRequest: { id }, by, origin, commit }: Proposal,
  { head, known, at }: { head: Oid; known: Oid; at: Date },
): Effect[] {
  const time = at.toISOString()
  const moved = { space, changeRequestId: id, revision: head, from: known, at: time }
  const made = [...new Set([commit, head])].map(
    (oid): Effect => ({
      do: 'note-service-commit',
      row: { space_id: space.id, oid, kind: 'import' },
    }),
  )

  return [
    { do: 'update-change-request', id, set: { revision: head, updated_at: time } },
    { do: 'count-contribution', changeRequestId: id, userId: by.id, at: time },
    ...made,
    contentMoved(moved, { userId: by.id, origin }, { synchronized: true }),
  ]
}

import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { keepDropped } from '../heads/keep-dropped.ts'
import { recordJump } from '../heads/published-jump.ts'
import { identitiesOfPush } from '../heads/record-pushed-ids.ts'
import { deletionsOf, readPrimary } from '../heads/take-branch-name.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import type { MovePrimary, PreparedMove } from './move.ts'
import { requestEvent } from './move-request.ts'
import type { Push } from './push.ts'
import { type Merge, mergesOf, proposedMerges, rightToPush } from './pushed-merges.ts'

/**
 * Prepares a move of the primary content, from the head that the rows know. Merges of open change
 * requests among the new commits make these merged. Hold the space's lock.
 */
export async function prepareMovePrimary(
  ctx: Context,
  repo: Repository,
  push: Push,
  { kind, ref, to }: MovePrimary,
  updated: ReadonlySet<string>,
): Promise<PreparedMove> {
  const { space, origin, by } = push
  const { recorded: known, tip, former } = readPrimary(ctx, space.id)
  const time = ctx.now()
  const at = time.toISOString()
  const pushed = await mergesOf(ctx, repo, push, { known, to, updated })
  const proposed = await proposedMerges(ctx, repo, push, pushed)
  const { merges } = pushed
  const jump = await recordJump(ctx, repo, space.id, { known, head: to, at: time })
  const moved = { space, revision: to, from: known, at }

  return {
    arrival: { head: to, beside: [known] },
    notes: await identitiesOfPush(ctx, repo, space.id, { known, head: to }),
    moves: [
      // Other pushes to it only add commits.
      ...(kind === 'begin' ? await keepDropped(ctx, repo, space.id, { old: known, head: to }) : []),
      ...jump.moves,
      ...deletionsOf(ctx, space.id, former),
      ...merges.map(deletionOf),
    ],
    plan: now => ({
      right: rightToPush(ctx, now, proposed),
      moves: [{ ref, from: tip, to }],
      effects: [
        { do: 'update-space', id: space.id, set: { updated_at: at, pristine: 0 } },
        ...jump.effects,
        contentMoved(moved, { userId: by.id, origin }, { pushed: true }),
        ...merges.flatMap(merge => effectsOfMerge(push, merge, at)),
      ],
      outcome: {
        lines: merges.map(({ row }) => `Change request #${row.number} merged: ${row.subject}`),
      },
    }),
  }
}

const deletionOf = ({ row, head }: Merge): RefMove => ({
  ref: changeRequestRef(row.number),
  from: head,
  to: null,
})

function effectsOfMerge(push: Push, { row, commit, published, head }: Merge, at: string): Effect[] {
  return [
    {
      do: 'update-change-request',
      id: row.id,
      set: {
        status: 'merged',
        revision: head,
        revision_merged: commit,
        merged_by: push.by.id,
        merged_at: at,
        updated_at: at,
      },
    },
    requestEvent(
      push,
      row.id,
      'merged',
      { number: row.number, revision: commit, from: published, merged: head, pushed: true },
      at,
    ),
  ]
}

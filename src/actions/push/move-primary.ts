import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { keepDropped } from '../heads/keep-dropped.ts'
import { recordJump } from '../heads/published-jump.ts'
import { identitiesOfPush } from '../heads/record-pushed-ids.ts'
import { deletionsOf, readPrimary } from '../heads/take-branch-name.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import type { MovePrimary, PushOrder } from './order.ts'
import type { Prepared } from './prepared.ts'
import { type Merge, mergesOf, proposedMerges, rightToPush } from './pushed-merges.ts'
import type { Situation } from './situation.ts'

/**
 * Prepares a move of the primary content, from the head that the rows know. Merges of open change
 * requests among the new commits make these merged. Hold the space's lock.
 */
export async function prepareMovePrimary(
  ctx: Context,
  repo: Repository,
  order: PushOrder,
  situation: Situation,
  { kind, command, ref, to }: MovePrimary,
  updated: ReadonlySet<string>,
): Promise<Prepared> {
  const { space } = situation
  const { recorded: known, tip, former } = readPrimary(ctx, space.id)
  const time = ctx.now()
  const at = time.toISOString()
  const pushed = await mergesOf(ctx, repo, situation, { known, to, updated })
  const proposed = await proposedMerges(ctx, repo, situation, order, pushed)
  const { merges } = pushed
  const jump = await recordJump(ctx, repo, space.id, { known, head: to, at: time })
  const { origin, by } = order
  const moved = { space, revision: to, from: known, at }

  return {
    arrival: { head: to, beside: [known] },
    notes: await identitiesOfPush(ctx, repo, space.id, { known, head: to }),
    moves: [
      // Other pushes to it only add commits.
      ...(kind === 'begin' ? await keepDropped(repo, known, to) : []),
      ...jump.moves,
      ...deletionsOf(ctx, space.id, former),
      ...merges.map(deletionOf),
    ],
    plan: () => ({
      right: rightToPush(ctx, order, proposed),
      moves: [{ ref, from: tip, to }],
      effects: [
        { do: 'update-space', id: space.id, set: { updated_at: at, pristine: 0 } },
        ...jump.effects,
        contentMoved(moved, { userId: by.id, origin }, { pushed: true }),
        ...merges.flatMap(merge => effectsOfMerge(order, space, merge, at)),
      ],
      done: {
        verdict: { ref: command.ref, ok: true },
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

function effectsOfMerge(
  { by, origin }: PushOrder,
  space: SpaceRow,
  { row, commit, published, head }: Merge,
  at: string,
): Effect[] {
  return [
    {
      do: 'update-change-request',
      id: row.id,
      set: {
        status: 'merged',
        revision: head,
        revision_merged: commit,
        merged_by: by.id,
        merged_at: at,
        updated_at: at,
      },
    },
    {
      do: 'record-event',
      event: {
        action: 'change_request.merged',
        organizationId: space.organization_id,
        userId: by.id,
        origin,
        target: { kind: 'change-request', id: row.id },
        spaceId: space.id,
        details: {
          number: row.number,
          revision: commit,
          from: published,
          merged: head,
          pushed: true,
        },
        at,
      },
    },
  ]
}

import type { Context } from '../../context.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { takeChangeRequestNumber } from '../../store/discussions/change-requests.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { addressesOfChangeRequest } from '../app-addresses.ts'
import { newRow } from '../change-requests/create-change-request.ts'
import { changedFields } from '../events/changed-fields.ts'
import { countPushed } from '../heads/count-pushed.ts'
import { identitiesOfPush } from '../heads/record-pushed-ids.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import type { Done, Move, PreparedMove } from './move.ts'
import { titleFrom } from './options.ts'
import type { Push } from './push.ts'
import { adviceOnTopic } from './target.ts'

/**
 * Prepares a new head of a change request, and its new title and description if options name them.
 */
export async function prepareUpdate(
  ctx: Context,
  repo: Repository,
  push: Push,
  { command, row, from, to }: Extract<Move, { kind: 'update' }>,
): Promise<PreparedMove> {
  const { by, origin, space, options } = push
  const at = ctx.now().toISOString()
  const moves = from !== to
  const advice = adviceOnTopic(command.ref, push)
  const texts = {
    ...(options.title !== undefined && { subject: options.title }),
    ...(options.description !== undefined && { description: options.description }),
  }

  const changed = changedFields(
    { subject: row.subject, description: row.description },
    { subject: row.subject, description: row.description, ...texts },
  )
  const moved = { space, changeRequestId: row.id, revision: to, from, at }
  const effects: Effect[] = []

  if (moves || changed)
    effects.push({
      do: 'update-change-request',
      id: row.id,
      set: { revision: to, updated_at: at, ...texts },
    })

  if (moves)
    effects.push(
      ...(await contributions(ctx, repo, push, row, { known: from, head: to, at })),
      contentMoved(moved, { userId: by.id, origin }, { pushed: true }),
    )

  if (changed)
    effects.push(requestEvent(push, row.id, 'updated', { number: row.number, ...changed }, at))

  const current = { ...row, ...texts }
  const what = moves || changed ? 'updated' : 'is up to date'

  // Turning it back into a draft would take it away from its reviewers.
  if (options.draft && row.status === 'open')
    advice.push(`The option "draft" is for new change requests only: #${row.number} stays open.`)

  return {
    arrival: { head: to, beside: [from] },
    notes: moves ? await identitiesOfPush(ctx, repo, space.id, { known: from, head: to }) : [],
    moves: [],
    plan: () => ({
      moves: [{ ref: changeRequestRef(row.number), from, to }],
      effects,
      outcome: doneWith(ctx, command.ref, current, what, { from, to }, advice),
    }),
  }
}

/** Prepares a new change request, whose number is taken in the deciding transaction. */
export async function prepareOpen(
  ctx: Context,
  repo: Repository,
  push: Push,
  { command, branch, base, to }: Extract<Move, { kind: 'open' }>,
): Promise<PreparedMove> {
  const { by, origin, space, options } = push
  const at = ctx.now().toISOString()
  const message = (await readCommit(repo, to))?.message ?? ''
  const subject =
    options.title ?? titleFrom(message.split('\n', 1)[0] ?? '') ?? `Commit ${to.slice(0, 10)}`
  const id = randomId()
  const counted = await contributions(
    ctx,
    repo,
    push,
    { id, space_id: space.id },
    { known: base, head: to, at },
  )
  const advice = adviceOnTopic(command.ref, push)
  const texts = { space, by, subject, description: options.description ?? null }

  return {
    arrival: { head: to, beside: [base] },
    notes: await identitiesOfPush(ctx, repo, space.id, { known: base, head: to }),
    moves: [],
    plan: () => {
      const number = takeChangeRequestNumber(ctx.store, space.id)
      const row: ChangeRequestRow = {
        ...newRow(texts, number, { at, from: base, head: to }),
        id,
        branch,
        ...(options.draft && { status: 'draft' }),
      }
      const { seq: _seq, open_comments: _none, ...inserted } = row
      const what = options.draft ? 'drafted' : 'opened'
      const moved = { space, changeRequestId: id, revision: to, from: base, at }

      return {
        moves: [{ ref: changeRequestRef(number), from: null, to }],
        effects: [
          { do: 'insert-change-request', row: inserted },
          requestEvent(push, id, what, { number, revision: to, pushed: true }, at),
          ...counted,
          contentMoved(moved, { userId: by.id, origin }, { pushed: true }),
        ],
        outcome: doneWith(ctx, command.ref, row, what, { from: null, to }, advice),
      }
    },
  }
}

/**
 * Returns the contributions of authors and committers, and of the pusher: who pushed content wrote
 * it as far as reviews are concerned, whatever name its commits have.
 */
async function contributions(
  ctx: Context,
  repo: Repository,
  { by }: Push,
  request: Pick<ChangeRequestRow, 'id' | 'space_id'>,
  moved: { known: Oid; head: Oid; at: string },
): Promise<Effect[]> {
  const counted = await countPushed(ctx, repo, request, moved)
  if (counted.some(effect => effect.do === 'count-contribution' && effect.userId === by.id))
    return counted
  return [
    ...counted,
    {
      do: 'count-contribution',
      changeRequestId: request.id,
      userId: by.id,
      at: moved.at,
      count: 0,
    },
  ]
}

/** Returns the effect that records an event of a change request. */
export const requestEvent = (
  { space, by, origin }: Push,
  id: string,
  what: 'opened' | 'drafted' | 'updated' | 'merged',
  details: Record<string, unknown>,
  at: string,
): Effect => ({
  do: 'record-event',
  event: {
    action: `change_request.${what}`,
    organizationId: space.organization_id,
    userId: by.id,
    origin,
    target: { kind: 'change-request', id },
    spaceId: space.id,
    details,
    at,
  },
})

/**
 * Returns the outcome for a change request. A ref below refs/for/ stands for its branch, which the
 * report names.
 */
function doneWith(
  ctx: Context,
  ref: string,
  { number, space_id, subject }: Pick<ChangeRequestRow, 'id' | 'number' | 'space_id' | 'subject'>,
  what: string,
  { from, to }: { from: Oid | null; to: Oid },
  advice: readonly string[],
): Done {
  const moved = { ref: changeRequestRef(number), from, to }
  const { content: address } = addressesOfChangeRequest(ctx.publicUrl(), { space_id, number })
  return {
    lines: [
      `Change request #${number} ${what}${subject === '' ? '' : `: ${subject}`}`,
      `  ${address}`,
    ],
    advice,
    ...(ref.startsWith('refs/for/') && { moved }),
  }
}

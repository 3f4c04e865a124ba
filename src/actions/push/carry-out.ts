import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import type { Oid } from '../../lib/oid.ts'
import { checkOpening } from '../change-requests/check-opening.ts'
import { clearContent } from '../clearance/clear-content.ts'
import { readHeads, readHeadsOf } from '../heads/read-heads.ts'
import { withBranchName } from '../heads/with-branch-name.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { service } from '../repositories/commit-signatures.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { writeIdentityNotes } from '../revisions/identity.ts'
import { decideMove } from './decide-move.ts'
import type { Done, Move, MovePrimary, Outcome, PreparedMove } from './move.ts'
import { prepareMovePrimary } from './move-primary.ts'
import { prepareOpen, prepareUpdate } from './move-request.ts'
import { type Push, readPush, type SentPush } from './push.ts'
import { atomicRefusal, isRefusal, Refused } from './refusals.ts'
import { targetOf } from './target.ts'

/** A push whose pack was checked. */
export type CheckedPush = SentPush & {
  /** The parents of its new commits. */
  parents: ReadonlyMap<Oid, readonly Oid[]>
  /**
   * Puts the objects into the repository of the space; repeated calls do nothing. Returns the
   * number of packs that it then has.
   */
  takeObjects: () => Promise<number>
}

/**
 * Carries out commands in their order as one operation: all of them, or none. Hold the space's
 * lock. Returns an outcome per command. Errors that are no refusals are thrown.
 */
export const carryOut = (
  ctx: Context,
  sent: CheckedPush,
  commands: readonly PushCommand[],
): Promise<Outcome[]> =>
  againIfMoved(async () => {
    const { push, moves, refused } = await decide(ctx, sent, commands)
    if (refused.some(reason => reason !== undefined))
      return refused.map(reason => ({ refused: reason ?? atomicRefusal() }))
    return onFirstBranch(ctx, push, moves, () => write(ctx, push, moves, sent.takeObjects))
  })

type Decided = { push: Push; moves: Move[]; refused: unknown[] }

async function decide(
  ctx: Context,
  sent: CheckedPush,
  commands: readonly PushCommand[],
): Promise<Decided> {
  const space = { id: sent.spaceId }
  await readHeads(ctx, space)
  const arrived = { repo: spaceRepository(ctx, space.id), parents: sent.parents }
  let push = readPush(ctx, sent)
  const moves: Move[] = []
  const refused: unknown[] = []
  const branches = new Set<string>()

  for (const command of commands) {
    let reason: unknown
    try {
      let target = targetOf(ctx, push, command)
      if (target.kind === 'update') {
        // Records what was pushed to its branch from a shell.
        const { changeRequest } = await readHeadsOf(ctx, space, target.row)
        push = readPush(ctx, sent)
        target = { kind: 'update', row: changeRequest }
      }

      await sent.takeObjects()
      const move = await decideMove(ctx, push, { command, target }, arrived)

      checkOnce(branches, move)
      checkAlone(move, commands)
      moves.push(move)
    } catch (error) {
      if (!isRefusal(error)) throw error
      reason = error
    }

    refused.push(reason)
  }

  return { push, moves, refused }
}

/** Throws Refused if another command of the operation moves the same branch by another name. */
function checkOnce(branches: Set<string>, move: Move): void {
  const branch = move.kind === 'update' ? move.row.id : move.kind === 'open' ? move.branch : null
  if (branch === null) return
  if (branches.has(branch)) throw new Refused('the branch is named twice')
  branches.add(branch)
}

/**
 * The first push may name the primary branch, after which its other commands mean something else.
 */
function checkAlone({ kind }: Move, commands: readonly PushCommand[]): void {
  if (kind === 'begin' && commands.length > 1)
    throw new Refused(
      'the first push to this space takes one branch: push it without --atomic, or alone',
    )
}

async function write(
  ctx: Context,
  push: Push,
  moves: readonly Move[],
  takeObjects: CheckedPush['takeObjects'],
): Promise<Done[]> {
  // Another organization may own the space since the push began.
  const { space, by } = push
  const repo = spaceRepository(ctx, space.id)
  const prepared = await prepareAll(ctx, push, moves)
  const all = [...prepared.values()]
  if (all.length === 0) return moves.map(() => unchanged)

  const notes = all.flatMap(each => each.notes)
  const noteMoves =
    notes.length === 0
      ? []
      : await writeIdentityNotes(ctx, repo, space.id, notes, service(ctx.now()))
  const clearance = await clearContent(
    ctx,
    repo,
    { space, by },
    ...all.map(({ arrival }) => arrival),
  )
  const upkeep = upkeepOf(ctx, space.id, await takeObjects())
  const done = await publish(ctx, repo, {
    key: space.id,
    kind: 'push',
    userId: by.id,
    clearance,
    takesNumber: moves.some(({ kind }) => kind === 'open'),
    plan: () => {
      const now = checkStill(ctx, push, moves)
      const planned = [...prepared].map(([move, { plan }]) => ({ move, ...plan(now) }))
      const primaryLast = [...planned].sort(
        (a, b) => Number(isPrimary(a.move)) - Number(isPrimary(b.move)),
      )

      return {
        moves: [...noteMoves, ...[...all, ...primaryLast].flatMap(each => each.moves)],
        effects: [...planned.flatMap(({ effects }) => effects), ...upkeep],
        right: planned.find(({ right }) => right)?.right,
        result: new Map(planned.map(({ move, outcome }) => [move, outcome])),
      }
    },
  })

  return moves.map(move => done.get(move) ?? unchanged)
}

/** With more packs than this, a fetch costs several times the work of one from a single pack. */
const manyPacks = 20

/** Returns the effect that orders upkeep for a repository with many packs. */
function upkeepOf(ctx: Context, spaceId: string, packs: number): Effect[] {
  if (packs <= manyPacks) return []
  const order = {
    kind: 'pack-space' as const,
    payload: { spaceId },
    lane: 'pack-space',
    key: spaceId,
  }
  return [{ do: 'enqueue', order, at: ctx.now().toISOString() }]
}

const unchanged: Done = { lines: [] }

/**
 * Runs `work`, which carries out the commands. Before the first push to a space, makes the pushed
 * branch the primary one.
 */
async function onFirstBranch<Result>(
  ctx: Context,
  { space, by }: Push,
  moves: readonly Move[],
  work: () => Promise<Result>,
): Promise<Result> {
  const begin = moves.find((move): move is MovePrimary => move.kind === 'begin')
  if (!begin) return work()
  const repo = spaceRepository(ctx, space.id)
  // Checked first: a refused push must not rename the branch.
  await clearContent(ctx, repo, { space, by }, { head: begin.to, beside: [begin.from] })
  return withBranchName(ctx, { spaceId: space.id, ref: begin.ref }, work)
}

/** Prepares the moves; those of nothing are left out. */
async function prepareAll(
  ctx: Context,
  push: Push,
  moves: readonly Move[],
): Promise<Map<Move, PreparedMove>> {
  const repo = spaceRepository(ctx, push.spaceId)
  const updated = new Set(moves.flatMap(move => (move.kind === 'update' ? move.row.id : [])))
  const prepared = new Map<Move, PreparedMove>()

  for (const move of moves) {
    if (move.kind === 'update') prepared.set(move, await prepareUpdate(ctx, repo, push, move))
    else if (move.kind === 'open') prepared.set(move, await prepareOpen(ctx, repo, push, move))
    else if (move.kind !== 'nothing')
      prepared.set(move, await prepareMovePrimary(ctx, repo, push, move, updated))
  }

  return prepared
}

const isPrimary = ({ kind }: Move): boolean => kind === 'primary' || kind === 'begin'

/**
 * Throws unless each command still has a target by the current rows, and the daily limit has room
 * for it. Call inside the transaction that decides. Returns the push as it is there.
 */
function checkStill(ctx: Context, push: Push, moves: readonly Move[]): Push {
  const now = readPush(ctx, push)
  if (now.space.organization_id !== push.space.organization_id)
    throw new Fault('concurrent_change', 'The space has moved to another organization. Try again.')
  for (const move of moves) targetOf(ctx, now, move.command)
  checkOpening(ctx, push.by.id, moves.filter(({ kind }) => kind === 'open').length)
  return now
}

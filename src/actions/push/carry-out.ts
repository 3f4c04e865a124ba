import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
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
import { judge } from './judge.ts'
import { meaningOf } from './meaning.ts'
import { prepareMovePrimary } from './move-primary.ts'
import { prepareOpen, prepareUpdate } from './move-request.ts'
import type { PushOptions } from './options.ts'
import {
  type Act,
  type Arrived,
  atomicRefusal,
  isRefusal,
  type MovePrimary,
  type PushOrder,
  Refused,
} from './order.ts'
import type { Done, Prepared } from './prepared.ts'
import { readSituation, type Situation } from './situation.ts'

/** A push whose pack was checked. */
export type CheckedPush = {
  order: PushOrder
  options: PushOptions
  /**
   * Puts the objects into the repository of the space; repeated calls do nothing. Returns the
   * number of packs that it then has.
   */
  takeObjects: () => Promise<number>
  arrived: Omit<Arrived, 'repo'>
}

/** What was decided about a command: an outcome, or why it was refused. */
export type Decision = { done: Done } | { refused: unknown }

/**
 * Carries out commands in their order as one operation: all of them, or none. Hold the space's
 * lock. Returns a decision per command. Errors that are no refusals are thrown.
 */
export const carryOut = (
  ctx: Context,
  push: CheckedPush,
  commands: PushOrder['commands'],
): Promise<Decision[]> =>
  againIfMoved(async () => {
    const { situation, acts, refused } = await decide(ctx, push, commands)
    if (refused.some(reason => reason !== undefined))
      return refused.map(reason => ({ refused: reason ?? atomicRefusal() }))
    const done = await onFirstBranch(ctx, situation, push.order, acts, () =>
      write(ctx, push, situation, acts),
    )
    return done.map(each => ({ done: each }))
  })

type Decided = { situation: Situation; acts: Act[]; refused: unknown[] }

async function decide(
  ctx: Context,
  push: CheckedPush,
  commands: PushOrder['commands'],
): Promise<Decided> {
  const { order, options } = push
  await readHeads(ctx, order.space)
  const repo = spaceRepository(ctx, order.space.id)
  let situation = readSituation(ctx, order)
  const acts: Act[] = []
  const refused: unknown[] = []
  const targets = new Set<string>()

  for (const command of commands) {
    let reason: unknown
    try {
      let meaning = meaningOf(ctx, order, options, situation, command)
      if (meaning.kind === 'update') {
        // Records what was pushed to its branch from a shell.
        const { changeRequest } = await readHeadsOf(ctx, order.space, meaning.row)
        situation = readSituation(ctx, order)
        meaning = { kind: 'update', row: changeRequest }
      }

      await push.takeObjects()
      const act = await judge(
        ctx,
        order,
        situation,
        { command, meaning },
        { ...push.arrived, repo },
      )

      checkOnce(targets, act)
      checkAlone(act, commands)
      acts.push(act)
    } catch (error) {
      if (!isRefusal(error)) throw error
      reason = error
    }

    refused.push(reason)
  }

  return { situation, acts, refused }
}

/** Throws Refused if another command of the operation moves the same branch by another name. */
function checkOnce(targets: Set<string>, act: Act): void {
  const target = act.kind === 'update' ? act.row.id : act.kind === 'open' ? act.branch : null
  if (target === null) return
  if (targets.has(target)) throw new Refused('the branch is named twice')
  targets.add(target)
}

/**
 * The first push may name the primary branch, after which its other commands mean something else.
 */
function checkAlone({ kind }: Act, commands: PushOrder['commands']): void {
  if (kind === 'begin' && commands.length > 1)
    throw new Refused(
      'the first push to this space takes one branch: push it without --atomic, or alone',
    )
}

async function write(
  ctx: Context,
  push: CheckedPush,
  situation: Situation,
  acts: readonly Act[],
): Promise<Done[]> {
  const { order, options } = push
  const { by } = order

  // Another organization may own it since the push began.
  const { space } = situation
  const repo = spaceRepository(ctx, space.id)
  const prepared = await prepareAll(ctx, push, situation, acts)
  const all = [...prepared.values()]
  if (all.length === 0) return acts.map(unchanged)

  const notes = all.flatMap(each => each.notes)
  const noteMoves =
    notes.length === 0 ? [] : await writeIdentityNotes(repo, notes, service(ctx.now()))
  const clearance = await clearContent(
    ctx,
    repo,
    { space, by },
    ...all.map(({ arrival }) => arrival),
  )
  const upkeep = upkeepOf(ctx, space.id, await push.takeObjects())
  const done = await publish(ctx, repo, {
    spaceId: space.id,
    kind: 'push',
    userId: by.id,
    clearance,
    plan: () => {
      checkStill(ctx, order, options, { acts, space })
      const planned = new Map([...prepared].map(([act, { plan }]) => [act, plan()]))
      const lastPrimary = [...planned].sort(
        ([a], [b]) => Number(isPrimary(a)) - Number(isPrimary(b)),
      )
      const moves = [...all, ...lastPrimary.map(([, plan]) => plan)].flatMap(each => each.moves)

      return {
        moves: [...noteMoves, ...moves],
        effects: [...[...planned.values()].flatMap(({ effects }) => effects), ...upkeep],
        right: [...planned.values()].find(({ right }) => right)?.right,
        result: planned,
      }
    },
  })

  return acts.map(act => done.get(act)?.done ?? unchanged(act))
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

const unchanged = ({ command }: Act): Done => ({
  verdict: { ref: command.ref, ok: true },
  lines: [],
})

/**
 * Runs `work`, which carries out the commands. Before the first push to a space, makes the pushed
 * branch the primary one.
 */
async function onFirstBranch<Result>(
  ctx: Context,
  { space }: Situation,
  { by }: PushOrder,
  acts: readonly Act[],
  work: () => Promise<Result>,
): Promise<Result> {
  const begin = acts.find(isBegin)
  if (!begin) return work()
  const repo = spaceRepository(ctx, space.id)
  // Checked first: a refused push must not rename the branch.
  await clearContent(ctx, repo, { space, by }, { head: begin.to, beside: [begin.from] })
  return withBranchName(ctx, repo, { spaceId: space.id, ref: begin.ref }, work)
}

async function prepareAll(
  ctx: Context,
  { order, options }: CheckedPush,
  situation: Situation,
  acts: readonly Act[],
): Promise<Map<Act, Prepared>> {
  const repo = spaceRepository(ctx, order.space.id)
  const updated = new Set(acts.flatMap(act => (act.kind === 'update' ? act.row.id : [])))
  const prepared = new Map<Act, Prepared>()

  for (const act of acts) {
    if (act.kind === 'update')
      prepared.set(act, await prepareUpdate(ctx, repo, order, situation, options, act))
    else if (act.kind === 'open')
      prepared.set(act, await prepareOpen(ctx, repo, order, situation, options, act))
    else if (act.kind !== 'nothing')
      prepared.set(act, await prepareMovePrimary(ctx, repo, order, situation, act, updated))
  }

  return prepared
}

const isBegin = (act: Act): act is MovePrimary => act.kind === 'begin'

const isPrimary = ({ kind }: Act): boolean => kind === 'primary' || kind === 'begin'

/**
 * Throws unless each command still means the same by the current rows, and the daily limit has room
 * for it. Call inside the transaction that decides.
 */
function checkStill(
  ctx: Context,
  order: PushOrder,
  options: PushOptions,
  { acts, space }: { acts: readonly Act[]; space: SpaceRow },
): void {
  const situation = readSituation(ctx, order)
  if (situation.space.organization_id !== space.organization_id)
    throw new Fault('conflict', 'The space has moved to another organization. Try again.')
  for (const act of acts) meaningOf(ctx, order, options, situation, act.command)
  checkOpening(ctx, order.by.id, acts.filter(({ kind }) => kind === 'open').length)
}

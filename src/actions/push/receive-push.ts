import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import type { PushReport, Verdict } from '../../git/protocol/report.ts'
import { isGitError } from '../../git/values/errors.ts'
import { checkOpening } from '../change-requests/check-opening.ts'
import { lockSpace, openSpace } from '../heads/open-space.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory } from '../revisions/index-history.ts'
import { type CheckedPush, carryOut, type Decision } from './carry-out.ts'
import { withCheckedPush } from './check-pack.ts'
import { meaningOf } from './meaning.ts'
import { type PushOptions, readOptions } from './options.ts'
import { atomicRefusal, isRefusal, type PushOrder, Refused } from './order.ts'
import { isPackRefusal, isStoreFull, reasonOf, refusalOfPack } from './reasons.ts'
import { ownRequests, readSituation, type Situation } from './situation.ts'

/** What a push came to, for its report. */
type PushOutcome = PushReport & {
  objects: number
  bytes: number
}

/**
 * Carries out a push. Reads the pack only if a command may be carried out, and stops reading where
 * it is too large: the caller reads the rest. Everything that can be said to a person is in the
 * outcome. Throws GitError 'aborted' when the sender has gone, and errors of the program.
 */
export async function receivePush(
  ctx: Context,
  order: PushOrder,
  pack: AsyncIterable<Buffer>,
): Promise<PushOutcome> {
  const { commands } = order
  const options = readOptions(order.options)
  await openSpace(ctx, order.space.id)
  const decisions = refuseEarly(ctx, order, options)
  const left = commands.filter(command => !decisions.has(command))

  if (left.length === 0 || (order.atomic && decisions.size > 0)) {
    for (const command of left) decisions.set(command, { refused: atomicRefusal() })
    return outcomeOf(ctx, order, options, decisions)
  }

  try {
    const received = await withCheckedPush(
      ctx,
      { order, options, commands: left },
      pack,
      async push => {
        await decideAll(ctx, push, left, decisions)
        return { objects: push.objects, bytes: push.bytes }
      },
    )
    if (left.some(command => movedPrimary(ctx, order, command))) indexLater(ctx, order)
    return { ...outcomeOf(ctx, order, options, decisions), ...received }
  } catch (error) {
    if (isRefusal(error)) for (const command of left) decisions.set(command, { refused: error })
    if (isRefusal(error)) return outcomeOf(ctx, order, options, decisions)
    if (!isPackRefusal(error)) throw error
    for (const command of left) decisions.set(command, { refused: new Refused('unpacker error') })
    return { ...outcomeOf(ctx, order, options, decisions), unpack: refusalOfPack(error) }
  }
}

/**
 * Maximum number of change requests that a push opens: each one writes rows, events and webhooks.
 */
const mostOpened = 50

type Decisions = Map<PushCommand, Decision>

/** Returns the refusals that do not depend on commits. */
function refuseEarly(ctx: Context, order: PushOrder, options: PushOptions): Decisions {
  const decisions: Decisions = new Map()
  const seen = new Set<string>()
  const opened = { atMost: 0, surely: 0 }

  // Read once for up to 10,000 commands: nothing changes meanwhile.
  let situation: Situation | undefined

  for (const command of order.commands) {
    try {
      if (seen.has(command.ref)) throw new Refused('the branch is named twice')
      seen.add(command.ref)
      situation ??= readSituation(ctx, order)
      const { kind } = meaningOf(ctx, order, options, situation, command)
      if (kind !== 'open' && kind !== 'propose') continue

      if (++opened.atMost > mostOpened)
        throw new Refused(
          `a push opens at most ${mostOpened} change requests: push fewer branches at once`,
        )

      // Only its commits tell whether a proposal goes on with a change request.
      if (kind === 'open' || ownRequests(situation, order.by.id).length === 0)
        checkOpening(ctx, order.by.id, ++opened.surely)
    } catch (error) {
      if (!isRefusal(error)) throw error
      decisions.set(command, { refused: error })
    }
  }

  return decisions
}

/**
 * Carries out the commands under the lock: all as one operation, or each as one, between which
 * others may write.
 */
async function decideAll(
  ctx: Context,
  push: CheckedPush,
  left: readonly PushCommand[],
  decisions: Decisions,
): Promise<void> {
  const { order } = push
  for (const commands of unitsOf(ctx, order, left)) {
    if (order.signal?.aborted) {
      for (const command of commands)
        decisions.set(command, { refused: new Refused('the client has gone') })
      continue
    }

    const found = await lockSpace(ctx, order.space.id, () => carryOut(ctx, push, commands)).catch(
      (error: unknown): Decision[] => {
        if (isGitError(error, 'aborted')) throw error
        if (!isRefusal(error) && !isGitError(error) && !isStoreFull(error)) throw error
        return commands.map(() => ({ refused: error }))
      },
    )

    for (const [i, command] of commands.entries()) decisions.set(command, found[i]!)
  }
}

/**
 * Returns the commands in the operations that they make, that of the history of an untouched space
 * first.
 */
function unitsOf(
  ctx: Context,
  order: PushOrder,
  left: readonly PushCommand[],
): (readonly PushCommand[])[] {
  if (order.atomic) return [left]
  try {
    const { begins } = readSituation(ctx, order)
    return [...left]
      .sort((a, b) => Number(b === begins) - Number(a === begins))
      .map(command => [command])
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return left.map(command => [command])
  }
}

const movedPrimary = (ctx: Context, { space }: PushOrder, { ref, to }: PushCommand): boolean =>
  ref === primaryRef(ctx, space.id) && headOf(ctx, space.id, ref) === to

/** Adds the new revisions to the index of the history, which the pusher does not wait for. */
function indexLater(ctx: Context, { space }: PushOrder): void {
  const head = headOf(ctx, space.id, primaryRef(ctx, space.id))
  if (!head) return
  const index = () =>
    indexHistory(ctx, spaceRepository(ctx, space.id), space.id, head).catch(error =>
      ctx.log.warn(
        { space: space.id, err: String(error) },
        'the index of the history waits for the next job',
      ),
    )

  // Runs after the report is sent.
  setImmediate(index)
}

function outcomeOf(
  ctx: Context,
  { commands, space }: PushOrder,
  { unknown }: PushOptions,
  decisions: Decisions,
): PushOutcome {
  const verdicts: Verdict[] = []
  const advice = new Set<string>()
  const done: string[] = []
  for (const name of unknown)
    advice.add(`The option "${name}" is not known: title, description, draft and topic are.`)

  for (const command of commands) {
    const decision = decisions.get(command)
    if (decision && 'done' in decision) {
      verdicts.push(decision.done.verdict)
      done.push(...decision.done.lines)
      for (const line of decision.done.advice ?? []) advice.add(line)
      continue
    }

    const error = decision?.refused
    verdicts.push({ ref: command.ref, ok: false, reason: reasonOf(ctx, space.id, error) })
    if (error instanceof Refused) for (const line of error.advice) advice.add(line)
  }

  return { unpack: 'ok', verdicts, messages: [...done, ...advice], objects: 0, bytes: 0 }
}

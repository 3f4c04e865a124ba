import type { Context } from '../../context.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import type { PushReport, Verdict } from '../../git/protocol/report.ts'
import { isGitError } from '../../git/values/errors.ts'
import { checkOpening } from '../change-requests/check-opening.ts'
import { lockSpace, openSpace } from '../heads/open-space.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory } from '../revisions/index-history.ts'
import { type CheckedPush, carryOut } from './carry-out.ts'
import { withCheckedPush } from './check-pack.ts'
import type { Outcome } from './move.ts'
import { newFindings } from './new-findings.ts'
import { ownRequests, type Push, readPush, type SentPush } from './push.ts'
import {
  atomicRefusal,
  isPackRefusal,
  isRefusal,
  isStoreFull,
  Refused,
  reasonOf,
  refusalOfPack,
} from './refusals.ts'
import { targetOf } from './target.ts'

/** The report of a push, and what was received. */
type Received = PushReport & { objects: number; bytes: number }

type Outcomes = Map<PushCommand, Outcome>

/**
 * Carries out a push. Reads the pack only if a command may be carried out, and stops reading where
 * it is too large: the caller reads the rest. Everything that can be said to a person is in the
 * report. Throws GitError 'aborted' when the sender has gone, and errors of the program.
 */
export async function receivePush(
  ctx: Context,
  sent: SentPush,
  pack: AsyncIterable<Buffer>,
): Promise<Received> {
  await openSpace(ctx, sent.spaceId)
  const { outcomes, begins } = refuseEarly(ctx, sent)
  const left = sent.commands.filter(command => !outcomes.has(command))
  const refuseLeft = (refused: unknown) => {
    for (const command of left) outcomes.set(command, { refused })
  }

  if (left.length === 0 || (sent.atomic && outcomes.size > 0)) {
    refuseLeft(atomicRefusal())
    return reportOf(ctx, sent, outcomes)
  }

  try {
    const received = await withCheckedPush(ctx, sent, left, pack, async push => {
      await carryOutAll(ctx, push, unitsOf(sent, left, begins), outcomes)
      return { objects: push.objects, bytes: push.bytes }
    })
    if (left.some(command => movedPrimary(ctx, sent, command))) indexLater(ctx, sent)
    const report = reportOf(ctx, sent, outcomes)
    const done = left.filter(command => 'lines' in (outcomes.get(command) ?? {}))
    const findings = await newFindings(ctx, sent.spaceId, done)
    return { ...report, ...received, messages: [...(report.messages ?? []), ...findings] }
  } catch (error) {
    if (isRefusal(error)) {
      refuseLeft(error)
      return reportOf(ctx, sent, outcomes)
    }

    if (!isPackRefusal(error)) throw error
    refuseLeft(new Refused('unpacker error'))
    return { ...reportOf(ctx, sent, outcomes), unpack: refusalOfPack(error) }
  }
}

/**
 * Maximum number of change requests that a push opens: each one writes rows, events and webhooks.
 */
const mostOpened = 50

/**
 * Returns the refusals that do not depend on commits, and the command that gives an untouched space
 * its history.
 */
function refuseEarly(
  ctx: Context,
  sent: SentPush,
): { outcomes: Outcomes; begins: PushCommand | undefined } {
  const outcomes: Outcomes = new Map()
  const seen = new Set<string>()
  const opened = { atMost: 0, surely: 0 }

  // Read once for up to 10,000 commands: nothing changes meanwhile.
  let push: Push | undefined

  for (const command of sent.commands) {
    try {
      if (seen.has(command.ref)) throw new Refused('the branch is named twice')
      seen.add(command.ref)
      push ??= readPush(ctx, sent)
      const { kind } = targetOf(ctx, push, command)
      if (kind !== 'open' && kind !== 'propose') continue

      if (++opened.atMost > mostOpened)
        throw new Refused(
          `a push opens at most ${mostOpened} change requests: push fewer branches at once`,
        )

      // Only its commits tell whether a proposal goes on with a change request.
      if (kind === 'open' || ownRequests(push).length === 0)
        checkOpening(ctx, sent.by.id, ++opened.surely)
    } catch (error) {
      if (!isRefusal(error)) throw error
      outcomes.set(command, { refused: error })
    }
  }

  return { outcomes, begins: push?.begins }
}

/**
 * Returns the commands in the operations that they make, that of the history of an untouched space
 * first.
 */
function unitsOf(
  { atomic }: SentPush,
  left: readonly PushCommand[],
  begins: PushCommand | undefined,
): (readonly PushCommand[])[] {
  if (atomic) return [left]
  return [...left]
    .sort((a, b) => Number(b === begins) - Number(a === begins))
    .map(command => [command])
}

/** Carries out each unit as one operation under the lock; between them, others may write. */
async function carryOutAll(
  ctx: Context,
  push: CheckedPush,
  units: readonly (readonly PushCommand[])[],
  outcomes: Outcomes,
): Promise<void> {
  for (const commands of units) {
    if (push.signal?.aborted) {
      for (const command of commands)
        outcomes.set(command, { refused: new Refused('the client has gone') })
      continue
    }

    const found = await lockSpace(ctx, push.spaceId, () => carryOut(ctx, push, commands)).catch(
      (error: unknown): Outcome[] => {
        if (isGitError(error, 'aborted')) throw error
        if (!isRefusal(error) && !isGitError(error) && !isStoreFull(error)) throw error
        return commands.map(() => ({ refused: error }))
      },
    )

    for (const [i, command] of commands.entries()) outcomes.set(command, found[i]!)
  }
}

const movedPrimary = (ctx: Context, { spaceId }: SentPush, { ref, to }: PushCommand): boolean =>
  ref === primaryRef(ctx, spaceId) && headOf(ctx, spaceId, ref) === to

/** Adds the new revisions to the index of the history, which the pusher does not wait for. */
function indexLater(ctx: Context, { spaceId }: SentPush): void {
  const head = headOf(ctx, spaceId, primaryRef(ctx, spaceId))
  if (!head) return
  const index = () =>
    indexHistory(ctx, spaceRepository(ctx, spaceId), spaceId, head).catch(error =>
      ctx.log.warn(
        { space: spaceId, err: String(error) },
        'the index of the history waits for the next job',
      ),
    )

  // Runs after the report is sent.
  setImmediate(index)
}

function reportOf(
  ctx: Context,
  { commands, spaceId, options }: SentPush,
  outcomes: Outcomes,
): Received {
  const verdicts: Verdict[] = []
  const advice = new Set<string>()
  const done: string[] = []
  for (const name of options.unknown)
    advice.add(`The option "${name}" is not known: title, description, draft and topic are.`)

  for (const command of commands) {
    const { ref } = command
    const outcome = outcomes.get(command)
    if (outcome && 'lines' in outcome) {
      const { moved, lines } = outcome
      verdicts.push({ ref, ok: true, ...(moved && { moved }) })
      done.push(...lines)
      for (const line of outcome.advice ?? []) advice.add(line)
      continue
    }

    const error = outcome?.refused
    verdicts.push({ ref, ok: false, reason: reasonOf(ctx, spaceId, error) })
    if (error instanceof Refused) for (const line of error.advice) advice.add(line)
  }

  return { unpack: 'ok', verdicts, messages: [...done, ...advice], objects: 0, bytes: 0 }
}

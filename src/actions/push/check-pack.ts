import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { repositoryBytes } from '../../git/disk/repository-size.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import { checkObjects } from '../../git/receiving/check-objects.ts'
import { PackRefused } from '../../git/receiving/pack-refused.ts'
import { type Quarantine, receivePack, withQuarantine } from '../../git/receiving/quarantine.ts'
import type { Taken } from '../../git/receiving/take-pack.ts'
import { GitError } from '../../git/values/errors.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import { checkInQuarantine } from '../clearance/clear-content.ts'
import { branchesOf } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import type { CheckedPush } from './carry-out.ts'
import { decideMove } from './decide-move.ts'
import { readPush, type SentPush } from './push.ts'
import { targetOf } from './target.ts'

/** The most bytes of a file. */
const mostFileBytes = 100 * 1024 ** 2
/** Bytes that a push leaves free on the disk. */
const roomBytes = 128 * 1024 ** 2

/**
 * Receives the pack of a push into a quarantine, checks it there for the commands that the rows
 * allow, and passes it to `work`. The folder of the quarantine is removed whatever happens. Throws
 * PackRefused, GitError, and Refused or a Fault for a single command that its commits rule out,
 * before its objects come into the repository.
 */
export function withCheckedPush<Result>(
  ctx: Context,
  sent: SentPush,
  commands: readonly PushCommand[],
  pack: AsyncIterable<Buffer>,
  work: (push: CheckedPush & { objects: number; bytes: number }) => Promise<Result>,
): Promise<Result> {
  const target = spaceRepository(ctx, sent.spaceId)
  return withQuarantine(target, join(ctx.config.dataDir, 'staging'), async quarantine => {
    const received = await receivePack(quarantine, pack, ctx.config.maxImportPackBytes)
    const { bytes } = received
    checkDisk(ctx, bytes)
    const { objects, parents, take } = await checkObjects(quarantine, received, {
      tips: [...new Set(commands.flatMap(({ to }) => to ?? []))],
      visible: [...new Set(branchesOf(ctx, sent.spaceId).values())],
      fileBytes: mostFileBytes,
      isPartial: countTips(commands) < countTips(sent.commands),
      signal: sent.signal,
    })

    await checkSize(ctx, quarantine, bytes)
    const takeObjects = taker(quarantine, take, bytes)
    const push = { ...sent, parents, objects, bytes, takeObjects }
    if (commands.length === 1) await checkSingle(ctx, push, commands[0]!, quarantine)

    return work(push)
  })
}

const countTips = (commands: readonly PushCommand[]): number =>
  commands.filter(({ to }) => to).length

/** Refuses what would not leave room for the rows of the push. */
function checkDisk({ config }: Context, bytes: number): void {
  if (freeBytes(config.dataDir) < bytes + roomBytes)
    throw new GitError('no_space', 'The disk that holds the repositories is almost full.')
}

async function checkSize(
  { config }: Context,
  { target }: Quarantine,
  bytes: number,
): Promise<void> {
  const known = target.processes.sizes.get(target.dir)
  const held = known ? known.bytes + known.written : await repositoryBytes(target)
  if (held + bytes > config.maxRepositoryBytes)
    throw new PackRefused(
      `the space would be larger than ${Math.floor(config.maxRepositoryBytes / 1024 ** 2)} MB`,
    )
}

/**
 * Throws Refused or a Fault if the only command of a push cannot be carried out as things are,
 * before its objects are kept.
 */
async function checkSingle(
  ctx: Context,
  checked: CheckedPush,
  command: PushCommand,
  quarantine: Quarantine,
): Promise<void> {
  const push = readPush(ctx, checked)
  const target = targetOf(ctx, push, command)
  const arrived = { repo: quarantine.repo, parents: checked.parents }
  const move = await decideMove(ctx, push, { command, target }, arrived)
  if (move.kind === 'nothing') return

  const beside = [move.kind === 'open' ? move.base : move.from]
  await checkInQuarantine(ctx, quarantine, push, { head: move.to, beside })
}

/** Returns a function that puts the objects into the repository at its first call. */
function taker(
  { target }: Quarantine,
  takePack: () => Promise<Taken>,
  bytes: number,
): () => Promise<number> {
  let taking: Promise<number> | undefined
  const take = async () => {
    const { packs, loose } = await takePack()
    const known = target.processes.sizes.get(target.dir)
    if (known) known.written += Math.max(bytes, loose)
    return packs
  }

  return () => {
    taking ??= take()
    return taking
  }
}

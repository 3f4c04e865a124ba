import type { Request, Response } from 'express'
import { spaceRepository } from '../actions/repositories/space-repository.ts'
import type { Context } from '../context.ts'
import { parseCommand } from '../git/protocol/command-request.ts'
import { encodeFetch, isPlainClone } from '../git/protocol/fetch-request.ts'
import { answerListRefs } from '../git/protocol/list-refs.ts'
import { encodeOldFetch, parseOldFetch } from '../git/protocol/old-fetch-request.ts'
import { ProtocolRefusal } from '../git/protocol/protocol-error.ts'
import { assemblePack } from '../git/serving/assemble-pack.ts'
import type { ProtocolVersion } from '../git/serving/fetch-settings.ts'
import type { Spool } from '../git/serving/spool.ts'
import { uploadPack } from '../git/serving/upload-pack.ts'
import type { GitError } from '../git/values/errors.ts'
import { abortSignalOf } from '../http/abort-signal.ts'
import type { BodyBudget } from '../http/limits/body-budget.ts'
import { readBody } from '../http/receiving/read-body.ts'
import { sha256 } from '../lib/digest.ts'
import type { Oid } from '../lib/oid.ts'
import type { Admitted } from './admit.ts'
import { agent } from './agent.ts'
import { askedVersion, sendAnswer } from './answer.ts'
import { withoutHidden } from './known-commits.ts'
import { type Branches, firstBeyond, objectsOf } from './reachable-objects.ts'
import { startTransfer, type Transfer } from './record.ts'
import { sendChunks } from './send-chunks.ts'
import { fetchSpools, spoolFolder } from './spools.ts'
import { refNamed, type VisibleRefs, visibleRefs } from './visible-refs.ts'

/** The largest request, unpacked: about 200,000 commits that a client has. */
const mostBytes = 10_000_000

/** A fetch that may be served, as a message for Git. */
type Plan = {
  message: Buffer
  haves: number
  /** The wants of a plain clone; undefined for any other fetch. */
  cloned: readonly Oid[] | undefined
  /**
   * The digest of everything that the answer depends on; undefined where the client's commits
   * matter.
   */
  key: string | undefined
}

/**
 * Answers a POST to `git-upload-pack`: the list of branches of version 2, or a fetch. Throws
 * ProtocolRefusal.
 */
export async function answerFetch(
  req: Request,
  res: Response,
  admitted: Admitted,
  { budget, admitAgain }: { budget: BodyBudget; admitAgain: () => Promise<Admitted> },
): Promise<void> {
  const version = askedVersion(req)
  const body = await readBody(req, res, { budget, userId: admitted.user.id, limit: mostBytes })

  // The role may be gone by the time that the body is there.
  const { ctx, space, user } = await admitAgain()
  const type = 'upload-pack-result'
  const command = version === 2 ? parseCommand(body) : parseOldFetch(body)
  if (command === undefined) return sendAnswer(res, type, Buffer.alloc(0))

  const visible = await visibleRefs(ctx, space.id)
  if (command.command === 'ls-refs') return sendAnswer(res, type, answerListRefs(visible, command))

  const transfer = await startTransfer(ctx, res, {
    service: 'fetch',
    spaceId: space.id,
    userId: user.id,
  })

  // It may have waited.
  await admitAgain()
  transfer.received = body.length
  const gone = abortSignalOf(res)
  const repo = spaceRepository(ctx, space.id)
  const tips = visible.refs.map(({ oid }) => oid)

  // Git gives any object in version 2 to a client that knows its id, and any blob and tree in
  // versions 0 and 1.
  const branches = { repo, spaceId: space.id, tips }
  const beyond = await firstBeyond(ctx, branches, command.wants, gone)
  if (beyond !== undefined) throw new ProtocolRefusal(`upload-pack: not our ref ${beyond}`)

  const served = command.lines
    .filter(line => line !== 'include-tag')
    .map(line => withRealRef(visible, line))
  const { lines, haves } = await withoutHidden(ctx, branches, served, { version, gone })
  const { wants, done } = command
  const plan = planOf(space.id, visible, { version, lines, haves, wants, done })

  await sendSpooled(res, { ctx, branches, version }, plan, transfer)
}

/**
 * Replaces the name of a branch in a line by that of its ref: Git would look at hidden refs as
 * well.
 */
function withRealRef(visible: VisibleRefs, line: string | null): string | null {
  if (!line?.startsWith('deepen-not ')) return line
  const name = line.slice('deepen-not '.length)
  const ref = refNamed(visible, name)
  if (ref === undefined)
    throw new ProtocolRefusal(`upload-pack: ambiguous deepen-not: ${name.slice(0, 200)}`)
  return `deepen-not ${ref}`
}

type FetchCommand = {
  version: ProtocolVersion
  lines: readonly (string | null)[]
  haves: number
  wants: readonly Oid[]
  done: boolean
}

function planOf(
  spaceId: string,
  { head, refs }: VisibleRefs,
  { version, lines, haves, wants, done }: FetchCommand,
): Plan {
  const message =
    version === 2 ? encodeFetch(lines.filter(line => line !== null)) : encodeOldFetch(lines)
  const cloned = version === 2 && isPlainClone(lines) ? wants : undefined
  const alone = done && haves === 0
  const listed = refs.map(({ name, oid }) => `${name} ${oid}`)
  const key = alone ? sha256(JSON.stringify([spaceId, version, head, listed, lines])) : undefined
  return { message, haves, cloned, key }
}

type FetchContext = { ctx: Context; branches: Branches; version: ProtocolVersion }

async function sendSpooled(
  res: Response,
  place: FetchContext,
  plan: Plan,
  transfer: Transfer,
): Promise<void> {
  const { ctx, branches } = place
  const reader = fetchSpools(ctx).open(spoolFolder(ctx), plan.key, async (spool, signal) => {
    const error = await fill(place, plan, spool, signal)
    if (error)
      ctx.log.warn(
        { space: branches.spaceId, code: error.code, trace: error.trace },
        'a fetch failed',
      )
    return error === undefined
  })

  transfer.spool = reader.shared ? 'kept' : 'made'
  const leave = () => reader.leave()

  res.once('close', leave)

  try {
    await sendChunks(res, reader.read(), 'upload-pack-result', transfer)
  } finally {
    res.off('close', leave)
    leave()
  }
}

/**
 * Writes the answer, without Git where that is possible. Returns the error that the client was
 * told. Throws GitError.
 */
async function fill(
  { ctx, branches, version }: FetchContext,
  { message, haves, cloned }: Plan,
  spool: Spool,
  signal: AbortSignal,
): Promise<GitError | undefined> {
  if (cloned) {
    const find = () => objectsOf(ctx, branches, cloned, signal)
    const answer = await assemblePack(branches.repo, { find, signal }, spool)
    if (answer) return answer.error
  }
  return uploadPack(branches.repo, { version, message, haves, agent, signal }, spool)
}

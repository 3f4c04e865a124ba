import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { errorPacket } from '../protocol/packets.ts'
import { cleanText } from '../protocol/report.ts'
import { commandError, type GitError } from '../values/errors.ts'
import { fetchSettings, type ProtocolVersion } from './fetch-settings.ts'
import type { Spool } from './spool.ts'

/** Up to this many bytes of an answer that fails show whether the client was told why. */
const mostBeginning = 4096
/** Milliseconds that one process may take. */
const longestMs = 600_000

type UploadPackRequest = {
  version: ProtocolVersion
  /** The message for Git, made of lines that were checked. */
  message: Buffer
  /** The number of commits that the client has. */
  haves: number
  agent: string
  signal: AbortSignal
}

/**
 * Answers a fetch with `git upload-pack`, which writes to a spool. Returns undefined, or the error
 * with which Git ended after the client was told; where Git itself tells nothing, a text is
 * written. Throws GitError 'busy', 'timeout', 'aborted', 'no_space'.
 */
export async function uploadPack(
  repo: Repository,
  { version, message, haves, agent, signal }: UploadPackRequest,
  spool: Spool,
): Promise<GitError | undefined> {
  const output = await spool.open()
  const args = ['upload-pack', '--strict', '--stateless-rpc', repo.dir]
  const { code, stderr } = await runGit(repo, args, {
    ...fetchSettings(version, { haves, agent }),
    input: message,
    slots: 'fetch',
    timeoutMs: longestMs,
    signal,
    output,
  }).finally(output.forget)
  if (code === 0) return undefined

  const error = commandError('answer a fetch', code, stderr)
  if (error.code === 'no_space') throw error

  // Inside a pack, Git tells by itself.
  const beginning = (await spool.beginning(mostBeginning)).toString('latin1')
  if (spool.bytes <= mostBeginning && !/ERR |packfile/.test(beginning))
    await spool.append(errorPacket(`upload-pack: ${reasonOf(stderr)}`))

  return error
}

/** Errors of Git that are the client's, and name nothing of the server. */
const tellable =
  /^fatal: (?:git )?(?:upload-pack: )?((?:no commits selected for shallow requests|not our ref|ambiguous deepen-not).{0,200})$/m

function reasonOf(stderr: string): string {
  const reason = tellable.exec(stderr)?.[1]
  return reason === undefined ? 'the fetch failed' : cleanText(reason)
}

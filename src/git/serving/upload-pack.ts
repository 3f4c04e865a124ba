import type { Repository } from '../process/processes.ts'
import { streamGit } from '../process/run.ts'
import { errorPacket } from '../protocol/packets.ts'
import { cleanText } from '../protocol/report.ts'
import { commandError, type GitError } from '../values/errors.ts'
import { fetchSettings, type ProtocolVersion } from './fetch-settings.ts'

/** Up to this many bytes of an answer that fails, it is looked whether they tell the client why. */
const mostBeginning = 4096
/** Milliseconds that one process may take. */
const longestMs = 600_000

export type UploadPackRequest = {
  version: ProtocolVersion
  /** The message for Git, made of lines that were checked. */
  message: Buffer
  /** The number of commits that the client has. */
  haves: number
  agent: string
  signal: AbortSignal
}

/**
 * Answers a fetch with `git upload-pack`, whose output goes to `write`. Returns undefined, or the error with which Git
 * ended after the client was told; where Git itself tells nothing, a text is written. Throws GitError 'busy', 'timeout',
 * 'aborted', 'no_space'.
 */
export async function uploadPack(
  repo: Repository,
  { version, message, haves, agent, signal }: UploadPackRequest,
  write: (chunk: Buffer) => Promise<void>,
): Promise<GitError | undefined> {
  const options = {
    ...fetchSettings(version, { haves, agent }),
    input: message,
    slots: 'fetch' as const,
    timeoutMs: longestMs,
    maxStdout: Number.POSITIVE_INFINITY,
    signal,
  }
  const args = ['upload-pack', '--strict', '--stateless-rpc', repo.dir]
  let said: Buffer | undefined = Buffer.alloc(0)
  let failed: { error: GitError; stderr: string } | undefined
  const failure = (code: number, stderr: string) => {
    failed = { error: commandError('answer a fetch', code, stderr), stderr }
    return failed.error
  }
  try {
    for await (const chunk of streamGit(repo, args, options, failure)) {
      if (said) said = said.length + chunk.length > mostBeginning ? undefined : Buffer.concat([said, chunk])
      await write(chunk)
    }
    return undefined
  } catch (error) {
    if (!failed || error !== failed.error) throw error
    if (failed.error.code === 'no_space') throw error
    // Inside a pack, Git tells by itself.
    if (said && !/ERR |packfile/.test(said.toString('latin1')))
      await write(errorPacket(`upload-pack: ${reasonOf(failed.stderr)}`))
    return failed.error
  }
}

/** Errors of Git that are the client's, and name nothing of the server. */
const tellable =
  /^fatal: (?:git )?(?:upload-pack: )?((?:no commits selected for shallow requests|not our ref|ambiguous deepen-not).{0,200})$/m

function reasonOf(stderr: string): string {
  const reason = tellable.exec(stderr)?.[1]
  return reason === undefined ? 'the fetch failed' : cleanText(reason)
}

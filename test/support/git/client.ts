import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GitChild, startChild } from '../../../src/git/process/child.ts'

/** How a program ended, and what it wrote. */
export type Ended = { code: number | null; stdout: string; stderr: string }

/**
 * The installed git as a user has it, in a folder of its own. Nothing of this machine's
 * configuration counts.
 */
export type GitClient = {
  folder: string
  /** Runs git in a folder below; the event loop goes on, since the server is in this process. */
  git: (
    args: readonly string[],
    options?: { in?: string; env?: Record<string, string> },
  ) => Promise<Ended>
  /** Runs git, and throws unless it succeeds; returns its stdout without the last newline. */
  ok: (args: readonly string[], options?: { in?: string }) => Promise<string>
  remove: () => Promise<void>
}

/** Returns the address of a space's repository with a token as its password. */
export function remoteOf(url: string, spaceId: string, token: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//git:${token}@${host}/${spaceId}.git`
}

const path = process.env.PATH ?? ''

/** Opens a folder for clones. */
export async function openClient(): Promise<GitClient> {
  const folder = await mkdtemp(join(tmpdir(), 'stemma-client-'))
  const git: GitClient['git'] = (args, { in: at = '.', env = {} } = {}) =>
    endOf(
      startChild(['git', '-C', join(folder, at), ...args], {
        PATH: path,
        ...plain(folder),
        ...env,
      }),
    )

  return {
    folder,
    git,
    ok: async (args, options) => {
      const { code, stdout, stderr } = await git(args, options)
      if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`)
      return stdout.replace(/\n$/, '')
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Runs a program to its end without blocking the event loop. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  return endOf(spawn(program, args, { cwd, env: { PATH: path, ...env } }))
}

function endOf(child: GitChild | ChildProcessWithoutNullStreams): Promise<Ended> {
  const said: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => said[name].push(chunk))

  // A program that ends at once may do so before its input was closed.
  child.stdin.on('error', () => {})
  child.stdin.end()

  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code =>
      resolve({
        code,
        stdout: Buffer.concat(said.stdout).toString(),
        stderr: Buffer.concat(said.stderr).toString(),
      }),
    )
  })
}

const plain = (home: string): Record<string, string> => ({
  HOME: home,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Bo',
  GIT_AUTHOR_EMAIL: 'bo@example.org',
  GIT_COMMITTER_NAME: 'Bo',
  GIT_COMMITTER_EMAIL: 'bo@example.org',
})

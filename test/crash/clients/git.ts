import { spawn } from 'node:child_process'

/** Git as a user of the machine runs it, without the service's configuration. */
const environment = {
  PATH: process.env.PATH,
  HOME: '/dev/null',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Out',
  GIT_AUTHOR_EMAIL: 'out@example.org',
  GIT_COMMITTER_NAME: 'Out',
  GIT_COMMITTER_EMAIL: 'out@example.org',
}

export type GitRun = { code: number; stdout: string; stderr: string }

/** Runs git in a folder to its end, whatever its exit code. */
export const tryGit = (cwd: string, args: readonly string[], input = ''): Promise<GitRun> =>
  new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd, env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
    const run = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        run[name] += text
      })

    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.once('error', reject)
    child.once('close', code => resolve({ ...run, code: code ?? -1 }))
  })

/** Runs git in a folder. Returns its stdout without the final line end. Throws if it fails. */
export async function git(cwd: string, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await tryGit(cwd, args, input)
  if (code !== 0) throw new Error(`git ${args.join(' ')} exited with ${code}: ${stderr.trim()}`)
  return stdout.trimEnd()
}

/** Runs git and returns the lines of its stdout. */
export const gitLines = async (
  cwd: string,
  args: readonly string[],
  input?: string,
): Promise<string[]> => (await git(cwd, args, input)).split('\n').filter(line => line !== '')

const turns = new Map<string, Promise<unknown>>()

/**
 * Commits files to a branch of a bare repository, one at a time, creating the branch if necessary.
 * Returns the commit.
 */
export function commitFiles(
  dir: string,
  branch: string,
  files: Record<string, string>,
): Promise<string> {
  const turn = (turns.get(dir) ?? Promise.resolve()).then(() => commitNow(dir, branch, files))
  turns.set(dir, turn)
  return turn
}

async function commitNow(
  dir: string,
  branch: string,
  files: Record<string, string>,
  tries = 1,
): Promise<string> {
  const message = 'A change'
  const ref = `refs/heads/${branch}`
  const tip = await git(dir, ['for-each-ref', '--format=%(objectname)', ref])
  const stream = [
    `commit ${ref}\ncommitter Grace <grace@example.org> ${1_700_000_000} +0000\n`,
    `data ${Buffer.byteLength(message)}\n${message}\n`,
    tip ? `from ${tip}\n` : '',
    ...Object.entries(files).map(
      ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    ),
  ]
  const { code, stderr } = await tryGit(dir, ['fast-import', '--quiet'], stream.join(''))

  // Another push moved the branch meanwhile.
  if (code !== 0 && tries < 20) return commitNow(dir, branch, files, tries + 1)
  if (code !== 0) throw new Error(`git fast-import exited with ${code}: ${stderr.trim()}`)

  return git(dir, ['rev-parse', ref])
}

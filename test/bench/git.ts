import { spawn } from 'node:child_process'
import { once } from 'node:events'

const person = (role: string) => ({
  [`GIT_${role}_NAME`]: 'Bench',
  [`GIT_${role}_EMAIL`]: 'bench@example.org',
  [`GIT_${role}_DATE`]: '1700000000 +0000',
})

/** Git without user configuration, which syncs its writes as the server's Git does. */
const environment = {
  PATH: process.env.PATH,
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.fsync',
  GIT_CONFIG_VALUE_0: 'all',
  GIT_CONFIG_KEY_1: 'gc.auto',
  GIT_CONFIG_VALUE_1: '0',
  ...person('AUTHOR'),
  ...person('COMMITTER'),
}

/** The stdin of git: text, or pieces produced while git reads. */
export type Input = string | Iterable<string | Uint8Array>

/** Runs one git process to its end and returns its stdout. Throws with its stderr if it fails. */
export async function git(
  dir: string,
  args: readonly string[],
  input: Input = '',
): Promise<Buffer> {
  const child = spawn('git', args, { cwd: dir, env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
  const out: Buffer[] = []
  let complaint = ''
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', chunk => {
    complaint += chunk
  })
  const closed = once(child, 'close') as Promise<[number]>

  // The exit code tells whether git read everything.
  child.stdin.on('error', () => {})

  for (const piece of typeof input === 'string' ? [input] : input) {
    if (child.stdin.destroyed) break
    if (!child.stdin.write(piece))
      await Promise.race([new Promise(go => child.stdin.once('drain', go)), closed])
  }

  child.stdin.end()
  const [code] = await closed
  if (code !== 0)
    throw new Error(`git ${args.join(' ')} exited with ${code}: ${complaint.slice(0, 500)}`)

  return Buffer.concat(out)
}

/** Like `git`, but returns one line of text. */
export const gitLine = async (
  dir: string,
  args: readonly string[],
  input: Input = '',
): Promise<string> => (await git(dir, args, input)).toString().trim()

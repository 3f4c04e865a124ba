import { spawn } from 'node:child_process'
import { once } from 'node:events'

const person = (role: string) => ({
  [`GIT_${role}_NAME`]: 'Bench',
  [`GIT_${role}_EMAIL`]: 'bench@example.org',
  [`GIT_${role}_DATE`]: '1700000000 +0000',
})

/** A quiet Git that makes durable what it writes, as the server does. */
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

/** What git gets on stdin: text, or pieces of it that are made while it reads. */
export type Input = string | Iterable<string | Uint8Array>

/** Runs one git process to its end and gives its stdout. Throws with its stderr when it fails. */
export async function git(dir: string, args: readonly string[], input: Input = ''): Promise<Buffer> {
  const child = spawn('git', args, { cwd: dir, env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
  const out: Buffer[] = []
  let complaint = ''
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', chunk => {
    complaint += chunk
  })
  const closed = once(child, 'close') as Promise<[number]>
  // Whether it read everything, its exit code says.
  child.stdin.on('error', () => {})
  for (const piece of typeof input === 'string' ? [input] : input) {
    if (child.stdin.destroyed) break
    if (!child.stdin.write(piece))
      await Promise.race([new Promise(go => child.stdin.once('drain', go)), closed])
  }
  child.stdin.end()
  const [code] = await closed
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${complaint.slice(0, 500)}`)
  return Buffer.concat(out)
}

/** The same, for one line of text. */
export const gitLine = async (dir: string, args: readonly string[], input: Input = ''): Promise<string> =>
  (await git(dir, args, input)).toString().trim()

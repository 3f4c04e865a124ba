import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../bin/stemma.js', import.meta.url))

/**
 * Clones a repository with the user's git, which asks this program for the token, now and at every
 * later use of the clone: the token is in no address and in no file of the clone. Git prints as
 * usual. Returns its exit code; rejects when there is no git.
 */
export function gitClone(
  server: string,
  address: string,
  folder: string | undefined,
): Promise<number> {
  const helper = [process.execPath, program, 'credential', '--server', server]
  const command = `!${helper.map(quoted).join(' ')}`
  const key = `credential.${server}.helper`

  // The empty value takes other helpers off for this server: they would keep copies of the token.
  const args = ['clone', '-c', `${key}=`, '-c', `${key}=${command}`, '--', address]
  const child = spawn('git', [...args, ...(folder === undefined ? [] : [folder])], {
    stdio: 'inherit',
  })

  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve(code ?? 1))
  })
}

/** Returns a word for the shell that Git runs helpers with. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Returns a program and its arguments that execute a server whose Git syncs only what it syncs by
 * default (packs, but neither refs nor loose objects), whatever the server configures: in its own
 * mount namespace, another program replaces git.
 */
export function throughDefaultGit(folder: string): string[] {
  // Git derives its subcommand from the program name, so the real git must keep its name.
  const real = join(folder, 'real/git')
  const other = join(folder, 'git-by-default')
  mkdirSync(dirname(real))
  writeFileSync(real, '')
  writeFileSync(other, `#!/bin/sh\nexec ${real} -c core.fsync=default "$@"\n`)
  chmodSync(other, 0o755)
  const script = `git=$(readlink -f "$(command -v git)") && mount --bind "$git" ${real} && mount --bind ${other} "$git" && exec "$@"`

  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, 'sh']
}

/** Why no server can be started that way, or undefined if one can. */
export const whyNot = (through: readonly string[]): Promise<string | undefined> =>
  new Promise(resolve => {
    const [program, ...args] = [...through, 'git', 'version']
    const child = spawn(program!, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.once('error', error => resolve(error.message))
    child.once('close', code => resolve(code === 0 ? undefined : said.trim()))
  })

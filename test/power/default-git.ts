import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * A way to start a server for which Git syncs what it syncs by default (packs, and neither refs nor loose objects),
 * whatever the server tells it: in a mount namespace of its own another program stands in the place of git. Gives the
 * program and arguments that become the server.
 */
export function throughDefaultGit(folder: string): string[] {
  // It goes by its name: another would be taken for one of its commands.
  const real = join(folder, 'real/git')
  const other = join(folder, 'git-by-default')
  mkdirSync(dirname(real))
  writeFileSync(real, '')
  writeFileSync(other, `#!/bin/sh\nexec ${real} -c core.fsync=default "$@"\n`)
  chmodSync(other, 0o755)
  const script = `git=$(readlink -f "$(command -v git)") && mount --bind "$git" ${real} && mount --bind ${other} "$git" && exec "$@"`
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, 'sh']
}

/** Why no server can be started that way, or undefined when one can. */
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

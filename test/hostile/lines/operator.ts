import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Line, line, must, NotHere, type Seen } from '../line.ts'
import { openStage, type Stage } from '../stage.ts'

const program = fileURLToPath(new URL('../../../bin/stemma.js', import.meta.url))
const day = 86_400_000

/** A server whose clock is ahead by the number of days in a file. */
function clockFlags(file: string): string[] {
  const code = `
    import { readFileSync } from 'node:fs'
    const now = Date.now
    Date.now = () => { try { return now() + Number(readFileSync(${JSON.stringify(file)}, 'utf8')) * ${day} } catch { return now() } }`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

function run(dataDir: string, ...args: string[]): Seen {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, STEMMA_DATA: dataDir, PORT: '0' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })

  // An operator at the terminal may see the paths that they gave.
  return {
    status: status ?? 'killed',
    text: (stdout + stderr).replaceAll(tmpdir(), '').replaceAll('stemma-hostile', 'folder'),
  }
}

/** Restores a backup whose manifest names a space outside the folder. */
async function tamperedBackup(stage: Stage): Promise<Seen> {
  if (stage.shared) throw new NotHere('the backup is one of a data folder')
  await stage.space()
  const folder = mkdtempSync(join(tmpdir(), 'stemma-hostile-backup-'))
  try {
    const file = join(folder, 'a.tar')
    must(run(stage.dataDir, 'backup', file).status === 0, 'no backup was made')
    execFileSync('tar', ['-xf', file, '-C', folder])
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))

    manifest.spaces[0].id = `../spaces/${manifest.spaces[0].id}`
    delete manifest.digest
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
    const names = execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n')

    execFileSync('tar', ['--format=ustar', '-cf', file, '-C', folder, ...names])
    const target = join(folder, 'inner', 'data')
    const seen = run(target, 'restore', file)

    must(!existsSync(join(dirname(target), 'spaces')), 'a repository lies beside the data folder')
    must(!existsSync(join(target, 'stemma.db')), 'it was restored')

    return seen
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Removes one lock file under a running server, and starts a second one. */
async function lockRemoved(stage: Stage): Promise<Seen> {
  rmSync(join(stage.dataDir, 'lock.db'))
  return run(stage.dataDir, 'serve')
}

/** Works on a server of its own whose clock can be set. */
async function withClock(
  work: (stage: Stage, set: (days: number) => void) => Promise<Seen>,
): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-hostile-clock-'))
  const file = join(folder, 'days')
  const stage = await openStage({ nodeFlags: clockFlags(file) })

  try {
    return await work(stage, days => writeFileSync(file, String(days)))
  } finally {
    await stage.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const clockAhead = () =>
  withClock(async (stage, set) => {
    const id = await stage.space()
    await stage.call('DELETE', `/v1/spaces/${id}`)
    set(8)

    // Any job wakes the worker, which then finds the purge due.
    await stage.space()
    await new Promise(resolve => setTimeout(resolve, 5_000))
    await stage.restart()
    await new Promise(resolve => setTimeout(resolve, 5_000))

    return stage.call('POST', `/v1/spaces/${id}/restore`)
  })

const clockBack = () =>
  withClock(async (stage, set) => {
    set(8)
    await stage.space()
    set(0)
    const seen = await stage.call('POST', '/v1/orgs/acme/spaces', { body: { title: 'Now' } })
    const ahead = Date.parse(JSON.parse(seen.text).createdAt) - Date.now()
    must(ahead < 60_000, `the space was made ${Math.round(ahead / 1000)} s in the future`)
    return seen
  })

/** Publishes a folder that somebody sent, whose Git settings name a program to start. */
async function hostileFolder(stage: Stage): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'sent-folder-'))
  try {
    const ran = join(folder, 'ran')
    const command = `touch '${ran}'`
    execFileSync('git', ['init', '-q', folder])
    writeFileSync(join(folder, 'README.md'), '# Sent\n')

    for (const key of [
      'core.fsmonitor',
      'core.sshCommand',
      'core.pager',
      'filter.a.clean',
      'diff.external',
    ])
      execFileSync('git', ['-C', folder, 'config', key, command])

    const token = stage.tokens.admin
    const seen = await new Promise<Seen>((resolve, reject) =>
      execFile(
        process.execPath,
        [program, 'publish', folder, '--org', 'acme'],
        {
          env: { PATH: process.env.PATH, HOME: folder, STEMMA_URL: stage.url, STEMMA_TOKEN: token },
        },
        (error, stdout, stderr) =>
          error && typeof error.code !== 'number'
            ? reject(error)
            : resolve({
                status: Number(error?.code ?? 0),
                text: (stdout + stderr).replaceAll(tmpdir(), ''),
              }),
      ),
    )

    must(!existsSync(ran), 'a program of the folder was started')

    return seen
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Attacks by a user with access to the machine, its clock or its backups. */
export const operatorLines: Line[] = [
  line(
    'S162',
    'a backup whose manifest names ../spaces/<id>',
    1,
    /not a complete Stemma backup/,
    tamperedBackup,
  ),
  line(
    'S164',
    'a second server after lock.db was removed',
    75,
    /Another server holds/,
    lockRemoved,
  ),
  line('X204', 'a folder whose Git settings name programs, published', 0, /http/, hostileFolder),
  line(
    'S165',
    'a clock that jumps ahead by 8 days',
    200,
    'the deleted space is restored',
    clockAhead,
  ),
  line('S166', 'a clock that goes back by 8 days', 201, 'times follow it', clockBack),
]

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** Where Debian puts the programs of each version. */
const debian = '/usr/lib/postgresql'

/** Returns the folder of the newest installed server; undefined: there is none. */
function findPrograms(): string | undefined {
  if (!existsSync(debian)) return undefined
  const versions = readdirSync(debian).sort((a, b) => Number(b) - Number(a))
  return versions
    .map(version => join(debian, version, 'bin'))
    .find(folder => existsSync(join(folder, 'initdb')))
}

/** The folder of the programs of PostgreSQL; undefined: it is not installed. */
export const postgresPrograms = findPrograms()

/** The user that runs the server: it refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(each => each.startsWith('postgres:') || each.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/** A PostgreSQL server of the tests, in a folder of its own, without a port. */
export type Cluster = {
  /** Returns the URL of a database. */
  url: (database: string) => string
  /** Runs SQL as the administrator, and returns the rows. */
  query: (sql: string, database?: string) => Promise<Record<string, unknown>[]>
  /** Creates an empty database, and returns its URL. */
  create: (options?: string) => Promise<string>
  /** The process of the server. */
  process: ChildProcess
  /** Starts the server again that has ended. */
  start: () => Promise<void>
  stop: () => void
}

/** Another user must reach the folder, and the path of a socket is short. */
const base = existsSync('/dev/shm') ? '/dev/shm' : '/tmp'

/** Starts a server. It ends with this process at the latest. */
export async function startCluster(): Promise<Cluster> {
  if (!postgresPrograms) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  const folder = mkdtempSync(join(base, 'stemma-pg-'))
  const user = serverUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const as = { ...user, cwd: folder, env: { ...process.env, HOME: folder } }
  const settings = ['-A', 'trust', '-E', 'UTF8', '--locale=C', '-U', 'stemma', '--no-sync']
  execFileSync(join(postgresPrograms, 'initdb'), ['-D', data, ...settings], {
    ...as,
    stdio: 'ignore',
  })
  const url = (database: string) =>
    `postgres://stemma@localhost/${database}?host=${encodeURIComponent(folder)}`
  const query: Cluster['query'] = async (sql, database = 'postgres') => {
    const client = new pg.Client(url(database))
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  const launch = (): ChildProcess =>
    spawn(
      join(postgresPrograms!, 'postgres'),
      ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off']
        .concat(['-c', 'full_page_writes=off', '-c', 'shared_buffers=32MB'])
        .concat(['-c', 'max_connections=100', '-c', 'synchronous_commit=off']),
      { ...as, stdio: 'ignore' },
    )
  const answers = async () => {
    for (let tries = 0; ; tries++) {
      try {
        await query('select 1')
        return
      } catch (error) {
        if (tries > 200) throw error
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    }
  }

  const cluster: Cluster = {
    url,
    query,
    process: launch(),
    async create(options = '') {
      const name = `stemma_${randomBytes(6).toString('hex')}`
      await query(`create database ${name} ${options}`)
      return url(name)
    },
    async start() {
      cluster.process = launch()
      await answers()
    },
    stop() {
      process.off('exit', cluster.stop)
      // SIGQUIT: the rows are thrown away.
      cluster.process.kill('SIGCONT')
      cluster.process.kill('SIGQUIT')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  process.once('exit', cluster.stop)
  await answers()
  return cluster
}

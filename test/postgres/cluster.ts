import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
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
  /** The path of the socket that the server listens on. */
  socket: string
  /** The process of the server. */
  process: ChildProcess
  /** Starts the server again that has ended. */
  start: () => Promise<void>
  stop: () => void
}

/** Another user must reach the folder, and the path of a socket is short. */
const usualBase = existsSync('/dev/shm') ? '/dev/shm' : '/tmp'

/** What makes the folder of a new server: a program and its arguments. */
const fresh = ['initdb', ['-A', 'trust', '-E', 'UTF8', '--locale=C', '-U', 'stemma']] as const

/** What makes the folder of a server that follows another one. */
const copyOf = ({ port, as }: NonNullable<Options['follows']>) =>
  [
    'pg_basebackup',
    ['-d', `host=127.0.0.1 port=${port} user=stemma application_name=${as}`].concat([
      '-X',
      'stream',
      '-c',
      'fast',
      '-R',
    ]),
  ] as const

type Options = {
  /** Settings such as `synchronous_commit=on`, which replace those of the tests. */
  settings?: readonly string[]
  /** The port on loopback of a server that this one follows, under a name. */
  follows?: { port: number; as: string }
  /** Where its folder is. */
  base?: string
}

/** The quickest settings: the rows of tests need not survive a power failure. */
const usual = ['fsync=off', 'full_page_writes=off', 'shared_buffers=32MB', 'max_connections=100']

/** Starts a server. It ends with this process at the latest. */
export async function startCluster({
  settings = ['synchronous_commit=off'],
  follows,
  base = usualBase,
}: Options = {}): Promise<Cluster> {
  if (!postgresPrograms) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  const folder = mkdtempSync(join(base, 'stemma-pg-'))
  const user = serverUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const as = { ...user, cwd: folder, env: { ...process.env, HOME: folder } }
  const [program, args] = follows ? copyOf(follows) : fresh
  await promisify(execFile)(join(postgresPrograms, program), ['-D', data, '--no-sync', ...args], as)
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
      [...usual, 'listen_addresses=', ...settings].reduce(
        (args, setting) => [...args, '-c', setting],
        ['-D', data, '-k', folder],
      ),
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
    socket: join(folder, '.s.PGSQL.5432'),
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

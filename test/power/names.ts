import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitForJobs } from '../crash/check/all.ts'
import { type Ask, openCall, type Reply } from '../crash/clients/call.ts'
import { newLedger } from '../crash/ledger.ts'
import { prepareServer } from '../crash/server.ts'
import { openWorld, seedSpace, type World } from '../crash/world.ts'
import { openUnsynced } from './unsynced.ts'

const calls =
  'openat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,fsync,fdatasync,write,writev,sendto,sendmsg'

/** SQLite syncs its own files; the next server does not need the others. */
const ignored = /^(stemma\.db|lock\.|staging(\/|$)|.*\/objects\/tmp_objdir)/

type Answer = { what: string; at: number }

/**
 * Checks with strace that every name created by an acknowledged write was synced before the
 * response. A power cut on ext4 cannot show this: each fsync there also writes all other names, and
 * the database syncs last.
 */
export async function checkNames(): Promise<string[]> {
  const world = await openWorld()
  process.once('exit', () => rmSync(world.folder, { recursive: true, force: true }))
  const file = join(world.folder, 'calls')
  const through = strace(file)
  const server = prepareServer({ ...world, cold: true, through })

  try {
    const url = await server.listen()
    if (!url) throw new Error('the server did not start')
    const answers = await write(world, url)
    return [...unsyncedAt(linesOf(file), world.dataDir, answers), ...(await pack(world))]
  } finally {
    await server.kill({ children: true })
    await world.close({ keep: false })
  }
}

function strace(file: string) {
  const options = ['-f', '-y', '-s', '256', '-e', `trace=${calls}`, '-e', 'signal=none']
  return ['strace', ...options, '-o', file]
}

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n')

/**
 * Packs everything twice. Returns what was not synced in time, or at the end. With --full, Git also
 * packs unreachable objects, in a different order of calls.
 */
async function pack(world: World): Promise<string[]> {
  const file = join(world.folder, 'calls of gc')
  const found: string[] = []
  for (const more of [[], ['--full']]) {
    const [first, ...rest] = [...strace(file), process.execPath, world.program.main, 'gc', ...more]
    await promisify(execFile)(first!, rest, { env: { PATH: process.env.PATH, ...world.env } })
    const unsynced = openUnsynced(world.dataDir, ignored)
    for (const line of linesOf(file)) unsynced.take(line)
    const about = ['gc', ...more].join(' ')

    found.push(
      ...[...(more.length > 0 ? [] : unsynced.early()), ...unsynced.list()].map(
        each => `${about}: ${each}`,
      ),
    )
  }

  return found
}

/** What was not synced at the time of each of these responses. */
function unsyncedAt(
  lines: readonly string[],
  dataDir: string,
  answers: readonly Answer[],
): string[] {
  const unsynced = openUnsynced(dataDir, ignored)
  const found = new Map<string, string>()
  let count = 0

  for (const line of lines) {
    if (unsynced.take(line) === undefined) continue
    const answer = answers.find(({ at }) => at === count)
    count++
    for (const each of answer ? unsynced.list() : [])
      if (!found.has(each)) found.set(each, answer!.what)
  }

  if (count < answers.length)
    throw new Error(`strace saw ${count} responses, but ${answers.length} were received`)

  return [...found].map(([each, what]) => `${what}: ${each}`)
}

/** Sends writes of every kind, one at a time, each after the jobs of the one before. */
async function write(world: World, url: string): Promise<Answer[]> {
  const { call, close } = openCall(url, world.token)
  const answers: Answer[] = []
  let count = 0
  const counted = async (asked: Ask): Promise<Reply> => {
    const reply = await call(asked)
    if (!reply || reply.status >= 300)
      throw new Error(`${asked.method} ${asked.path}: ${reply?.text}`)
    count++
    return reply
  }

  const ask = async (
    what: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Reply> => {
    const reply = await counted({ method, path, body })
    answers.push({ what, at: count - 1 })
    await waitForJobs(world)
    return reply
  }
  const ledger = newLedger()
  const { id } = await seedSpace(world, counted, ledger, 0)

  answers.push({ what: 'import', at: count - 1 })
  const space = `/v1/spaces/${id}`
  const page = (title: string) => ({
    changes: [{ operation: 'insert_page', title, document: { markdown: title } }],
  })

  for (const title of ['One', 'Two', 'Three'])
    await ask('edit', 'POST', `${space}/content`, page(title))

  for (const subject of ['First', 'Second']) {
    const made = await ask('make a change request', 'POST', `${space}/change-requests`, { subject })
    const request = `${space}/change-requests/${made.body.id}`
    await ask('edit a change request', 'POST', `${request}/content`, page(subject))
    await ask('edit', 'POST', `${space}/content`, page(`After ${subject}`))
    await ask('update a change request', 'POST', `${request}/update`)
    await ask('merge', 'POST', `${request}/merge`)
  }

  await ask('duplicate a space', 'POST', `${space}/duplicate`)
  for (const title of ['A', 'B', 'C'])
    await ask('make a space', 'POST', '/v1/orgs/default/spaces', { title })
  close()

  return answers
}

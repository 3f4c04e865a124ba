import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { encodeFetch } from '../../../src/git/protocol/fetch-request.ts'
import { flushPacket, packet } from '../../../src/git/protocol/packets.ts'
import { putMember } from '../../../src/store/people/organizations.ts'
import { insertUser } from '../../../src/store/people/users.ts'
import { Store } from '../../../src/store/store.ts'
import { clocked, type Figure, interleave, median, type Pace } from '../figure.ts'
import { git, gitLine } from '../git.ts'
import { type GitHost, processorMs, withBackend } from '../git-host.ts'
import { importSpaces } from '../space.ts'
import { repositoryOf, type Stemma, withStemma } from '../stemma.ts'
import { ask, probeOf } from '../transfers/asking.ts'
import { type Bench, client, figure } from '../transfers/bench.ts'
import { type Connection, openConnection } from '../transfers/connection.ts'
import { openCrowd } from '../transfers/crowd.ts'
import { pushing } from '../transfers/pushing.ts'
import { withReplay } from '../transfers/replay.ts'

const shape = { pages: 2_000, bytes: 3_000, commits: 1_035, megabytes: 14 }
const packs = 46
const clonesAtOnce = 32
const readers = 4

/**
 * Lists, fetches, clones and pushes over HTTP, against `git http-backend` behind Node on the same
 * repository.
 */
export const gitRow = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const spaces = await importSpaces(stemma, [shape, shape])
    const [id = '', split = ''] = spaces.map(space => space.id)
    const users: Record<string, string>[] = []
    await stemma.restart(async () => {
      users.push(...makeReaders(stemma))
      for (const each of [id, split])
        await packAgain(repositoryOf(stemma, each), each === id ? 1 : packs)
    })
    const folder = await mkdtemp(join(tmpdir(), 'stemma-bench-clones-'))

    try {
      const bench = { stemma, folder, pace, users }
      // First: a minute after its start the server packs repositories of many packs.
      const ofMany = await many(bench, split)
      return [
        ...(await small(bench, id)),
        ...(await clones(bench, id)),
        ...ofMany,
        ...(await pushing(bench, spaces[0]!, spaces[1]!)),
      ]
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

function makeReaders({ dataDir }: Stemma): Record<string, string>[] {
  const store = new Store(join(dataDir, 'stemma.db'))
  try {
    return Array.from({ length: readers }, (_, n) => {
      const id = `cloner-${n}`
      const at = '2026-01-01T00:00:00.000Z'
      insertUser(store, { id, display_name: id, email: null, created_at: at })
      putMember(store, 'default', id, 'read', at)
      const { secret } = createToken(store, { userId: id, name: 'bench' }, new Date())
      return { authorization: `Bearer ${secret}` }
    })
  } finally {
    store.close()
  }
}

/** Puts all objects of a repository into so many packs. */
async function packAgain(dir: string, count: number): Promise<void> {
  const folder = join(dir, 'objects/pack')
  const old = await readdir(folder)
  const commits = (await gitLine(dir, ['rev-list', '--reverse', '--first-parent', 'HEAD'])).split(
    '\n',
  )
  const size = Math.ceil(commits.length / count)

  for (let at = 0; at < commits.length; at += size) {
    const upTo = commits[Math.min(at + size, commits.length) - 1]!
    const input = at === 0 ? upTo : `${upTo}\n^${commits[at - 1]}`
    await git(dir, ['pack-objects', '--revs', '-q', join(folder, 'pack')], `${input}\n`)
  }

  const kept = new Set((await readdir(folder)).filter(name => !old.includes(name)))

  for (const name of old) if (!kept.has(name)) await rm(join(folder, name), { force: true })
}

/** Runs `work` with both servers of a space's repository. */
const onBoth = <Result>(
  { stemma }: Bench,
  id: string,
  work: (hosts: Record<'stemma' | 'backend', GitHost>) => Promise<Result>,
): Promise<Result> =>
  withBackend(dirname(repositoryOf(stemma, id)), host => work({ stemma, backend: host }))

/** Measures the list of capabilities, and that of branches. */
async function requests(bench: Bench, id: string, hosts: Record<'stemma' | 'backend', GitHost>) {
  const list = Buffer.concat([packet('command=ls-refs\n'), flushPacket])
  const stemma = openConnection(hosts.stemma)
  const backend = openConnection(hosts.backend)
  const info = (to: Connection) => to.ask(`/${id}.git/info/refs?service=git-upload-pack`)
  const refs = (to: Connection) => to.ask(`/${id}.git/git-upload-pack`, list)

  try {
    // The first requests of a process take several times as long.
    for (let n = 0; n < 1_000; n++) for (const each of [info, refs]) await each(stemma)
    const measure = (run: (to: Connection) => Promise<void>) =>
      interleave(bench.pace.rounds * 20, {
        stemma: () => clocked(() => run(stemma)),
        backend: () => clocked(() => run(backend)),
      })
    return [await measure(info), await measure(refs)] as const
  } finally {
    stemma.close()
    backend.close()
  }
}

async function small(bench: Bench, id: string): Promise<Figure[]> {
  return onBoth(bench, id, async hosts => {
    const [info, refs] = await requests(bench, id, hosts)
    const measure = (run: (host: GitHost) => Promise<unknown>) =>
      interleave(bench.pace.rounds * 4, {
        stemma: () => clocked(() => run(hosts.stemma)),
        backend: () => clocked(() => run(hosts.backend)),
      })
    const list = (host: GitHost) =>
      clocked(() => client(bench, host, ['ls-remote', `${host.url}/${id}.git`]))
    const remote = await withReplay(hosts.stemma, id, replay =>
      interleave(bench.pace.rounds * 4, {
        stemma: () => list(hosts.stemma),
        backend: () => list(hosts.backend),
        replay: () => list(replay),
      }),
    )

    for (const [name, host] of Object.entries(hosts))
      await client(bench, host, ['clone', '-q', '--bare', `${host.url}/${id}.git`, `again-${name}`])
    const again = await measure(host =>
      client(
        bench,
        host,
        ['fetch', '-q', `${host.url}/${id}.git`, 'main'],
        host === hosts.stemma ? 'again-stemma' : 'again-backend',
      ),
    )

    return [
      figure('info/refs, version 2', info, 0.15),
      figure('ls-refs', refs, 0.15),
      figure('git ls-remote', remote, 0.5),
      {
        ...figure('git ls-remote', remote, 1.1),
        reference: { what: 'a server that replays the answers', value: remote.replay },
      },
      figure('git fetch, nothing new', again, 1),
    ]
  })
}

/** Clones into a folder that is removed. Returns the milliseconds of the whole command. */
async function cloneOnce(bench: Bench, host: GitHost, address: string): Promise<number> {
  const into = await mkdtemp(join(bench.folder, 'clone-'))
  const ms = await clocked(() =>
    client(bench, host, ['clone', '-q', '--bare', address, join(into, 'c')]),
  )
  await rm(into, { recursive: true })
  return ms
}

let branches = 0
/**
 * Adds a branch, so that the next clone is the first one with this list of branches, and waits
 * until it is recorded.
 */
async function another({ stemma }: Bench, id: string): Promise<void> {
  await git(repositoryOf(stemma, id), ['update-ref', `refs/heads/round-${++branches}`, 'HEAD'])
  await stemma.caller.json('GET', `/v1/spaces/${id}/content/pages`)
  await sleep(300)
}

async function clones(bench: Bench, id: string): Promise<Figure[]> {
  const dir = repositoryOf(bench.stemma, id)
  return onBoth(bench, id, async hosts => {
    const address = (host: GitHost) => `${host.url}/${id}.git`
    const first = await interleave(bench.pace.rounds, {
      stemma: async () => {
        await another(bench, id)
        return cloneOnce(bench, hosts.stemma, address(hosts.stemma))
      },
      backend: () => cloneOnce(bench, hosts.backend, address(hosts.backend)),
      file: () => cloneOnce(bench, { ...hosts.backend, headers: {} }, `file://${dir}`),
    })

    const used = (host: GitHost) => async () => {
      const before = processorMs(host)
      await cloneOnce(bench, host, address(host))
      return processorMs(host) - before
    }

    const again = await interleave(bench.pace.rounds, {
      stemma: used(hosts.stemma),
      backend: used(hosts.backend),
    })
    const size = await gitLine(dir, ['count-objects', '-v', '-H'])
    const note = /size-pack: (.*)/.exec(size)?.[1] ?? ''

    return [
      { ...figure('git clone --bare, first', first, 1), note },
      {
        ...figure('git clone --bare, first', first, 1.2),
        reference: { what: 'file://', value: first.file },
      },
      figure('the same clone again: processor of the server', again, 0.3),
      ...(await atOnce(bench, id, hosts)),
    ]
  })
}

/** Many clones at the same time, as requests without a client that unpacks them. */
async function atOnce(
  bench: Bench,
  id: string,
  hosts: Record<'stemma' | 'backend', GitHost>,
): Promise<Figure[]> {
  const body = (await wholeFetch(repositoryOf(bench.stemma, id))).toString('base64')
  const path = `/${id}.git/git-upload-pack`
  const taken: Record<'processor' | 'first' | 'longest', Record<'stemma' | 'backend', number[]>> = {
    processor: { stemma: [], backend: [] },
    first: { stemma: [], backend: [] },
    longest: { stemma: [], backend: [] },
  }
  const crowd = openCrowd()

  try {
    for (let round = 0; round < bench.pace.rounds; round++)
      for (const name of ['stemma', 'backend'] as const) {
        const host = hosts[name]
        const headers = name === 'stemma' ? bench.users : [{}]
        const users = Array.from({ length: clonesAtOnce }, (_, n) => headers[n % headers.length]!)
        await another(bench, id)
        const before = processorMs(host)
        const probe = probeOf(name === 'stemma' ? `${host.url}/healthz` : undefined)
        const firstMs = await crowd.ask({ url: host.url, path, body, users })

        taken.longest[name].push(await probe())
        taken.processor[name].push(processorMs(host) - before)
        taken.first[name].push(median(firstMs))
      }
  } finally {
    crowd.close()
  }

  const of = (what: keyof typeof taken) => ({
    stemma: median(taken[what].stemma),
    backend: median(taken[what].backend),
  })

  return [
    figure(`${clonesAtOnce} clones at once: processor of the server`, of('processor'), 0.45),
    figure(`${clonesAtOnce} clones at once: first byte, median`, of('first'), 0.15),
    {
      work: `longest other request during ${clonesAtOnce} clones`,
      value: of('longest').stemma,
      unit: 'ms',
      target: { of: 'figure', is: 'at most', value: 50 },
    },
  ]
}

/**
 * Clones of a repository of many packs: the answer alone, and the whole command, most of which is
 * the client's work on the pack.
 */
async function many(bench: Bench, id: string): Promise<Figure[]> {
  const dir = repositoryOf(bench.stemma, id)
  const body = await wholeFetch(dir)
  return onBoth(bench, id, async hosts => {
    const path = `/${id}.git/git-upload-pack`
    const clone = (host: GitHost) => cloneOnce(bench, host, `${host.url}/${id}.git`)
    const taken = await interleave(bench.pace.rounds, {
      answer: async () => {
        await another(bench, id)
        return clocked(() => ask(hosts.stemma, path, body))
      },
      backendAnswer: () => clocked(() => ask(hosts.backend, path, body)),
      stemma: async () => {
        await another(bench, id)
        return clone(hosts.stemma)
      },
      backend: () => clone(hosts.backend),
    })
    const left = /packs: (\d+)/.exec(await gitLine(dir, ['count-objects', '-v']))?.[1]
    const answer = { stemma: taken.answer, backend: taken.backendAnswer }

    return [
      { ...figure('clone of many packs, one request', answer, 0.4), note: `${left} packs` },
      figure('git clone --bare of many packs', taken, 1),
    ]
  })
}

/** Returns the request of a clone of the primary content. */
async function wholeFetch(dir: string): Promise<Buffer> {
  const head = await gitLine(dir, ['rev-parse', 'HEAD'])
  return encodeFetch([`want ${head}`, 'ofs-delta', 'no-progress', 'done'])
}

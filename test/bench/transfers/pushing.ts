import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { flushPacket, packet } from '../../../src/git/protocol/packets.ts'
import { editPrimary } from '../editing.ts'
import { clocked, type Figure, interleave } from '../figure.ts'
import { git, gitLine } from '../git.ts'
import { type GitHost, untilIdle, withBackend } from '../git-host.ts'
import { commitStream } from '../plumbing.ts'
import { makeSpace, readPages, type Space } from '../space.ts'
import { repositoryOf } from '../stemma.ts'
import { type Bench, client, figure } from './bench.ts'

const main = 'refs/heads/main'

/** The most milliseconds until pages of a first push can be read. */
const patience = 60_000

/**
 * Pushes of one commit to the primary content and as proposals, against `git http-backend` on a
 * copy of the repository and against edits of another space; and the first push of a whole history.
 */
export async function pushing(bench: Bench, space: Space, other: Space): Promise<Figure[]> {
  const served = join(bench.folder, 'served')
  await mkdir(served)
  await copy(bench, space, join(served, `${space.id}.git`))
  return withBackend(served, async backend => [
    ...(await ofOneCommit(bench, backend, space, other)),
    ...(await ofHistory(bench, backend, space)),
  ])
}

/** Clones the primary content of a space into a repository that takes pushes. */
async function copy({ folder, stemma }: Bench, space: Space, to: string): Promise<void> {
  await git(folder, [
    'clone',
    '-q',
    '--bare',
    '--single-branch',
    repositoryOf(stemma, space.id),
    to,
  ])
  await git(to, ['config', 'http.receivepack', 'true'])
}

let commits = 0

/** Adds a commit to a branch of a clone. */
async function commit(dir: string, branch: string, file: string): Promise<void> {
  const text = `# Pushed\n\nCommit number ${++commits}.\n`
  await git(dir, ['fast-import', '--quiet'], commitStream(branch, `${main}^0`, file, text))
}

async function ofOneCommit(
  bench: Bench,
  backend: GitHost,
  space: Space,
  other: Space,
): Promise<Figure[]> {
  const { stemma, folder, pace } = bench
  const file = space.pages[0]!.file
  for (const name of ['stemma', 'backend']) await copy(bench, space, join(folder, `push-${name}`))
  const nameOf = (host: GitHost) => (host === backend ? 'push-backend' : 'push-stemma')
  const dirOf = (host: GitHost) => join(folder, nameOf(host))
  const command = async (host: GitHost) => {
    await commit(dirOf(host), main, file)
    return clocked(() =>
      client(bench, host, ['push', '-q', `${host.url}/${space.id}.git`, 'main'], nameOf(host)),
    )
  }
  const post = (host: GitHost) =>
    request(host, space, { dir: dirOf(host), file, from: main, to: main })
  const propose = () => {
    const name = `topic-${commits}`
    const proposal = { from: `refs/heads/${name}`, to: `refs/for/main/${name}` }
    return request(stemma, space, { dir: dirOf(stemma), file, ...proposal })
  }

  for (const host of [stemma, backend]) await command(host)
  await untilIdle(stemma)
  const taken = await interleave(pace.rounds * 4, {
    stemma: () => command(stemma),
    backend: () => command(backend),
    posted: () => post(stemma),
    postedBackend: () => post(backend),
    proposed: propose,
    edit: () => editPrimary(stemma, other, other.pages[0]!),
  })
  const { posted, proposed, postedBackend, edit } = taken
  const pushed = figure(
    'push of one commit to main, one request',
    { stemma: posted, backend: postedBackend },
    2,
  )

  return [
    pushed,
    {
      ...pushed,
      reference: { what: 'an edit of a page over the API', value: edit },
      target: { of: 'ratio', is: 'at most', value: 1.5 },
    },
    figure(
      'push of one commit to refs/for/main, one request',
      { stemma: proposed, backend: postedBackend },
      2.5,
    ),
    figure('git push of one commit to main', taken, 2),
  ]
}

type Pushed = { dir: string; file: string; from: string; to: string }

/**
 * Pushes a new commit as one request, without a client. Returns the milliseconds. Throws unless it
 * was carried out.
 */
async function request(
  host: GitHost,
  space: Space,
  { dir, file, from, to }: Pushed,
): Promise<number> {
  const old = await gitLine(dir, ['rev-parse', main])
  await commit(dir, from, file)
  const oid = await gitLine(dir, ['rev-parse', from])
  const pack = await git(dir, ['pack-objects', '--revs', '--stdout', '-q'], `${oid}\n^${old}\n`)
  const before = from === main ? old : '0'.repeat(40)
  const body = Buffer.concat([packet(`${before} ${oid} ${to}\0report-status\n`), flushPacket, pack])
  let report = ''
  const ms = await clocked(async () => {
    const answer = await fetch(`${host.url}/${space.id}.git/git-receive-pack`, {
      method: 'POST',
      headers: { ...host.headers, 'content-type': 'application/x-git-receive-pack-request' },
      body,
    })
    report = await answer.text()
  })
  if (!/ok refs\/(?:heads|for)\//.test(report)) throw new Error(`A push was answered: ${report}`)

  return ms
}

/**
 * The first push to an untouched space, until its pages can be read, against that to an empty
 * repository.
 */
async function ofHistory(bench: Bench, backend: GitHost, space: Space): Promise<Figure[]> {
  const { stemma, folder, pace } = bench
  let round = 0
  const pushTo = (host: GitHost, id: string) =>
    client(bench, host, ['push', '-q', `${host.url}/${id}.git`, 'main'], 'push-backend')
  const taken = await interleave(pace.rounds, {
    stemma: async () => {
      const { id } = await makeSpace(stemma)
      await untilIdle(stemma)
      return clocked(async () => {
        await pushTo(stemma, id)
        await untilRead(bench, id, space.pages.length)
      })
    },
    backend: async () => {
      const id = `empty${++round}`
      const dir = join(folder, 'served', `${id}.git`)
      await git(folder, ['init', '-q', '--bare', dir])
      await git(dir, ['config', 'http.receivepack', 'true'])
      return clocked(() => pushTo(backend, id))
    },
  })

  return [figure('first push of a whole history, until its pages can be read', taken, 2.5)]
}

async function untilRead({ stemma }: Bench, id: string, pages: number): Promise<void> {
  const started = performance.now()
  for (;;) {
    const tree = await stemma.caller.json('GET', `/v1/spaces/${id}/content/pages`)
    if (readPages(tree).length >= pages) return
    if (performance.now() - started > patience)
      throw new Error('The pages of a first push cannot be read.')
  }
}

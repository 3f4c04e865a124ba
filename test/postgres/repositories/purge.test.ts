import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { primaryHead } from '../../../src/actions/heads/primary-head.ts'
import { readLinkFacts } from '../../../src/actions/links/read-link-facts.ts'
import { erasing } from '../../../src/actions/made-files/erasing.ts'
import { removeDerived } from '../../../src/actions/made-files/remove-derived.ts'
import { spaceFolder, spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { indexPrimary, primarySource } from '../../../src/actions/search/index-search.ts'
import { discardStale } from '../../../src/actions/sharing/discard-stale.ts'
import { keepCaches } from '../../../src/actions/sharing/keep-caches.ts'
import type { Context } from '../../../src/context.ts'
import { CatFile } from '../../../src/git/process/cat-file.ts'
import { type Oid, parseOid } from '../../../src/lib/oid.ts'
import { forgetBlobs } from '../../../src/store/git/content-purges.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { type Run, stemmaHere } from '../../cli/stemma.ts'
import type { Actor } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { until } from '../../support/until.ts'
import { postgresPrograms } from '../cluster.ts'
import { type Nodes, startNodes } from '../nodes.ts'
import { postgresSuite } from '../suite.ts'

const secret = 'hunter2isthepasswordofproduction'
const third = mkdtempSync(join(tmpdir(), 'stemma-purge-'))
let nodes: Nodes

const test = postgresSuite(
  'purges with two nodes',
  async () => {
    nodes = await startNodes()
  },
  async () => {
    await nodes?.stop()
    rmSync(third, { recursive: true, force: true })
  },
)

const databaseOf = ({ config }: Context): string => new URL(config.database!.url).pathname.slice(1)

/** Returns the files of a folder that have the secret, and the objects of its repositories. */
function findIn(dataDir: string): string[] {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .map(name => join(dataDir, name))
    .filter(path => statSync(path, { throwIfNoEntry: false })?.isFile())
  const held = files.filter(path => readFileSync(path).includes(secret))
  const repositories = files
    .filter(path => path.endsWith('.git/HEAD'))
    .map(path => path.slice(0, -'/HEAD'.length))
  return [...held, ...repositories.filter(hasSecret)]
}

const hasSecret = (dir: string): boolean =>
  gitOutside(dir, ['cat-file', '--batch-all-objects', '--batch']).includes(secret)

/** Returns whether the database has the secret outside packs, in a text or as bytes. */
function isInDump(ctx: Context): boolean {
  const url = ctx.config.database!.url
  const dump = execFileSync(join(postgresPrograms!, 'pg_dump'), [url], { maxBuffer: 1e9 })
  return dump.includes(secret) || dump.includes(Buffer.from(secret).toString('hex'))
}

const page = (title: string, markdown: string) => ({
  operation: 'insert_page',
  title,
  document: { markdown },
})

/** Makes a space with the secret, which both nodes have read and indexed. */
async function makeLeak(): Promise<{ space: string; leaked: string }> {
  const { a, b } = nodes
  const space = (await a.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id as string
  const path = `/v1/spaces/${space}`
  let leaked = ''
  for (const title of ['Before', 'Leak', 'After']) {
    const text = `# ${title}\n\n${title === 'Leak' ? `${secret} [there](${secret}.md)` : 'Text'}.\n`
    const done = await a.admin.post(`${path}/content`, { changes: [page(title, text)] })
    assert.is(done.status, 200, done.text)
    if (title === 'Leak') leaked = done.body.revision
  }
  for (const by of [a.admin, nodes.adminAtB]) assert.match((await readLeak(by, space)).text, secret)
  for (const { ctx } of [a, b]) await keepCaches(ctx, new AbortController().signal)
  // The node that wrote indexes by a job.
  for (const by of [a.admin, nodes.adminAtB])
    await until('the secret is indexed', async () => {
      const { body } = await by.get(`${path}/search?query=${secret}`)
      return body.count > 0 || undefined
    })
  return { space, leaked }
}

const readLeak = (by: Actor, space: string) =>
  by.get(`/v1/spaces/${space}/content/path/leak?format=markdown`)

const purge = (space: string, ...more: string[]): Promise<Run> =>
  stemmaHere(['purge-content', space, '--path', 'leak.md', ...more], {
    STEMMA_DATA: third,
    STEMMA_DATABASE: nodes.a.ctx.config.database!.url,
    STEMMA_DATABASE_SECONDS: '30',
    STEMMA_KEYS: Buffer.alloc(32, 7).toString('base64'),
  })

test('a purge leaves nothing in the database and at no node', async () => {
  const { a, b } = nodes
  const { space, leaked } = await makeLeak()
  const folders = [a.dataDir, b.ctx.config.dataDir]
  for (const folder of folders) {
    const found = findIn(folder)
    assert.ok(
      found.some(path => /derived\.db/.test(path)),
      'the control finds the rows',
    )
    assert.ok(found.includes(spaceFolder(folder, space)), 'the control finds the blob')
  }

  const dry = await purge(space)
  assert.is(dry.code, 0, dry.stderr)
  assert.match((await readLeak(nodes.adminAtB, space)).text, secret)

  const done = await purge(space, '--yes')
  assert.is(done.code, 0, done.stderr)

  const { text } = await readLeak(nodes.adminAtB, space)
  assert.match(text, 'This file was removed')
  assert.not.match(text, secret)
  const old = await nodes.adminAtB.get(`/v1/spaces/${space}/revisions/${leaked}`)
  assert.is(old.status, 404, old.text)
  assert.match(old.text, /replacement is [0-9a-f]{40}/)
  assert.equal(findIn(b.ctx.config.dataDir), [])

  // Nobody has read the space at the first node.
  assert.ok(findIn(a.dataDir).length > 0)
  await a.ctx.store.gate!.pass()
  await discardStale(a.ctx, new Map())
  assert.equal(findIn(a.dataDir), [])
  assert.equal(findIn(third), [])
  assert.not(isInDump(a.ctx))

  const more = await a.admin.post(`/v1/spaces/${space}/content`, {
    changes: [page('More', 'More')],
  })
  assert.is(more.status, 200, more.text)
  const found = await nodes.adminAtB.get(`/v1/spaces/${space}/content/path/more`)
  assert.is(found.status, 200, found.text)
  for (const folder of folders)
    assert.is(gitOutside(spaceFolder(folder, space), ['fsck', '--strict']), '')
})

test('a node that was cut off discards its content before it serves', async () => {
  const { b } = nodes
  const { space } = await makeLeak()
  const { dataDir } = b.ctx.config
  await nodes.restartB(async () => {
    assert.is((await purge(space, '--yes')).code, 0)
    assert.ok(findIn(dataDir).length > 0)
  })
  const { text } = await readLeak(nodes.adminAtB, space)
  assert.match(text, 'This file was removed')
  assert.equal(findIn(dataDir), [])
})

/**
 * Holds the answers with the content of an object of a repository after it was read. Returns what resolves when so many
 * are held, and what lets them go.
 */
function holdAnswers(
  { processes }: Context,
  dir: string,
  held: Oid,
  many: number,
): { reached: Promise<void>; release: () => void } {
  const reader = new CatFile(dir)
  let [reach, release] = [() => {}, () => {}]
  const reached = new Promise<void>(resolve => {
    reach = resolve
  })
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  let left = many
  processes.readFrom(dir, {
    ask: async (oid, mostBytes) => {
      const answer = await reader.ask(oid, mostBytes)
      if (oid !== held || answer?.content === undefined) return answer
      left--
      if (left === 0) reach()
      await released
      return answer
    },
    pending: 0,
    endIfStuck: () => {},
    close: () => reader.close(),
  })
  return { reached, release }
}

/**
 * Purges content that the second node indexes and looks for links in: it has read the page, and writes once all
 * of it is discarded. Returns the space.
 */
async function purgeMeanwhile(): Promise<string> {
  const { ctx } = nodes.b
  const { space, leaked } = await makeLeak()
  const repo = spaceRepository(ctx, space)
  const row = findSpace(ctx.store, space)!
  const blob = parseOid(gitOutside(repo.dir, ['rev-parse', `${leaked}:leak.md`]).trim())!
  await erasing(ctx, async () => {
    await removeDerived(ctx, space)
    forgetBlobs(ctx.store, [blob])
  })
  ctx.caches.clear()
  const { head } = await primaryHead(ctx, row)
  const source = await primarySource(ctx, row, head)
  // What the view has read is known now; forgotten, the facts of links are read again.
  forgetBlobs(ctx.store, [blob])

  const { reached, release } = holdAnswers(ctx, repo.dir, blob, 2)
  const work = Promise.all([indexPrimary(ctx, space, source), readLinkFacts(ctx, repo, [blob])])
  await Promise.race([reached, work.then(() => assert.unreachable('the page is not read'))])
  assert.is((await purge(space, '--yes')).code, 0)
  await ctx.store.gate!.pass()
  await discardStale(ctx, new Map())
  assert.equal(findIn(ctx.config.dataDir), [])
  release()
  await work
  return space
}

test('work under way keeps nothing of content that is purged meanwhile', async () => {
  const space = await purgeMeanwhile()
  assert.equal(findIn(nodes.b.ctx.config.dataDir), [])
  const found = await nodes.adminAtB.get(`/v1/spaces/${space}/search?query=after`)
  assert.is(found.body.count, 1, found.text)
})

test('the folder of a deleted space goes from a node that does not delete it', async () => {
  const { a, b } = nodes
  const { space } = await makeLeak()
  const { dataDir } = b.ctx.config
  const known = new Map<string, string>()
  await b.ctx.store.gate!.pass()
  await discardStale(b.ctx, known)
  assert.ok(findIn(dataDir).length > 0, 'a space that is there is kept')
  for (const table of ['git_log', 'git_state', 'ref'])
    await nodes.cluster.query(`delete from ${table} where space_id = '${space}'`, databaseOf(a.ctx))
  await discardStale(b.ctx, known)
  assert.equal(findIn(dataDir), [])
})

test('the control: work that does not ask whether content was erased keeps it', async () => {
  const { ctx } = nodes.b
  const store = ctx.store as { watchErasing?: () => () => boolean }
  store.watchErasing = () => () => true
  try {
    await purgeMeanwhile()
    assert.not.equal(findIn(ctx.config.dataDir), [])
  } finally {
    delete store.watchErasing
  }
})

test.run()

import { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fsck, gitOutside } from '../support/repo.ts'
import {
  flip,
  insertPage,
  makeOriginal,
  type Original,
  objectFile,
  overwrite,
  packFile,
  repositoryOf,
  serve,
  stemma,
} from './folder.ts'

let original: Original

test.before(async () => {
  original = await makeOriginal()
})
test.after(() => original.remove())

type Damage = {
  state?: 'loose' | 'packed'
  /** Damages the repository, given its folder. */
  hurt: (dir: string) => void
  /** What verify says of it. */
  said: RegExp
  /** What is still served of the damaged space, and what is not, below its path. */
  served?: string[]
  broken?: string[]
  /** Mended by what is in the folder itself, without a backup. */
  alone?: boolean
}

const reads = (title: string) => `content/path/${title}`
const requests = 'change-requests'

/**
 * The story of every damage: verify names it, the server starts and serves what is whole, the rest is a plain 500, repair
 * mends it from the backup beside the server, and then everything is as before, without a restart.
 */
async function tell({ state, hurt, said, served = [], broken = [], alone = false }: Damage): Promise<void> {
  const dataDir = original.copy(state)
  const dir = repositoryOf(dataDir, original.hurt)
  const refs = gitOutside(dir, ['for-each-ref'])
  const space = `/v1/spaces/${original.hurt}`
  hurt(dir)
  const verified = await stemma(dataDir, 'verify')
  assert.is(verified.code, 1, verified.stdout)
  assert.match(verified.stdout, said)
  assert.match(verified.stdout, new RegExp(`^space ${original.hurt}:`, 'm'))
  assert.match(verified.stdout, new RegExp(`To do: .*stemma repair --space ${original.hurt}`))
  assert.not.match(verified.stdout, new RegExp(original.whole))

  const server = await serve(original, dataDir)
  try {
    const elsewhere = `/v1/spaces/${original.whole}/content`
    assert.is((await server.get(`${elsewhere}/path/alpha`)).status, 200)
    assert.is((await server.post(elsewhere, insertPage('New'))).status, 200)
    assert.is((await server.get('/v1/orgs/acme/spaces')).status, 200)
    for (const path of served) assert.is((await server.get(`${space}/${path}`)).status, 200, path)
    for (const path of broken) {
      const { status, text, body } = await server.get(`${space}/${path}`)
      assert.is(status, 500, `${path} ${text}`)
      assert.match(body.error.message, /^[A-Z][^/]+\.$/)
    }
    const from = alone ? [] : ['--from', original.backup]
    const repaired = await stemma(dataDir, 'repair', '--space', original.hurt, ...from)
    assert.is(repaired.code, 0, repaired.stdout + repaired.stderr)
    assert.match(repaired.stdout, /The space is as it must be\.\n$/)
    for (const path of [...served, ...broken, 'content/pages', 'revisions', `${requests}/1`])
      assert.is((await server.get(`${space}/${path}`)).status, 200, path)
    const { body } = await server.get(`${space}/content/pages`)
    assert.equal(
      body.pages.map((page: { title: string }) => page.title),
      ['Hurt', 'Alpha', 'Beta', 'Delta'],
    )
    assert.is(gitOutside(dir, ['for-each-ref']), refs)
    assert.is((await server.post(`${space}/content`, insertPage('Mended'))).status, 200)
  } finally {
    await server.stop()
  }
  fsck({ dir })
  const after = await stemma(dataDir, 'verify')
  assert.is(after.code, 0, after.stdout)
  rmSync(dataDir, { recursive: true })
}

const whole = [reads('beta'), 'content/pages', 'revisions', requests, `${requests}/2/content/pages`]
const page = {
  said: /missing blob [0-9a-f]{40} \(refs\/\S+:alpha\.md\)/,
  served: whole,
  broken: [reads('alpha')],
}

test('a byte that flipped in the object of a page', () =>
  tell({ hurt: dir => flip(objectFile(dir, 'main:alpha.md'), -3), ...page }))

test('a page that cannot be read is not written over, and what others say of it is not kept', async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)
  // Nothing is known of the page from before.
  const database = new Database(join(dataDir, 'stemma.db'))
  database.exec('DELETE FROM blob_facts')
  database.close()
  flip(objectFile(dir, 'main:alpha.md'), -3)
  const server = await serve(original, dataDir)
  const content = `/v1/spaces/${original.hurt}/content`
  const { body, status } = await server.get(`${content}/pages`)
  assert.is(status, 200)
  const pageId = body.pages.find((page: { path: string }) => page.path === 'alpha').id
  for (const change of [
    { operation: 'update_page', page: pageId, title: 'Other' },
    { operation: 'update_page', page: pageId, description: 'Other' },
  ])
    assert.is((await server.post(content, { changes: [change] })).status, 500)
  const repaired = await stemma(dataDir, 'repair', '--space', original.hurt, '--from', original.backup)
  assert.is(repaired.code, 0, repaired.stdout)
  const pages = await server.get(`${content}/pages`)
  assert.match(pages.text, /"title":"Alpha"/)
  assert.match((await server.get(`${content}/path/alpha`)).body.markdown, /Words of Alpha/)
  await server.stop()
})

test('an object of a page that is empty', () =>
  tell({ hurt: dir => overwrite(objectFile(dir, 'main:alpha.md'), ''), ...page }))

test('a table of contents that cannot be read is not taken for none, by readers or by writers', () =>
  tell({
    hurt: dir => rmSync(objectFile(dir, 'main:SUMMARY.md')),
    said: /missing blob [0-9a-f]{40} \(refs\/\S+:SUMMARY\.md\)/,
    served: ['revisions', requests, `${requests}/1/content/pages`],
    broken: ['content/pages', reads('alpha')],
  }))

test('a commit of the past', () =>
  tell({
    hurt: dir => flip(objectFile(dir, 'main~2'), -3),
    said: /missing commit [0-9a-f]{40} \(refs\/\S+[~^]/,
    served: ['content/pages', reads('alpha'), `${requests}/1/content/path/gamma`],
  }))

test('a byte that flipped in a pack', () =>
  tell({
    state: 'packed',
    hurt: dir => flip(packFile(dir, 'pack'), 600),
    said: /objects\/pack\/pack-[0-9a-f]{40}\.pack .*checksum mismatch/,
  }))

test('a pack that is gone', () =>
  tell({
    state: 'packed',
    hurt: dir => rmSync(packFile(dir, 'pack')),
    said: /refs\/heads\/main: invalid sha1 pointer/,
    served: [requests],
    broken: ['content/pages'],
  }))

test('an index of a pack that is gone, or is none: the pack says what it must hold', async () => {
  for (const hurt of [
    (dir: string) => rmSync(packFile(dir, 'idx')),
    (dir: string) => overwrite(packFile(dir, 'idx'), 'garbage'),
  ])
    await tell({
      state: 'packed',
      hurt,
      said: /refs\/heads\/main: invalid sha1 pointer|index file .* is too small/,
      broken: ['content/pages'],
      alone: true,
    })
})

test('refs that were cut off: the database knows where they were', async () => {
  const empty = (name: string) => (dir: string) => truncateSync(join(dir, name), 0)
  await tell({
    hurt: empty('refs/heads/main'),
    said: /refs\/heads\/main/,
    broken: ['content/pages'],
    alone: true,
  })
  await tell({
    hurt: empty('refs/heads/change-requests/1'),
    said: /refs\/heads\/change-requests\/1/,
    served: ['content/pages', 'revisions'],
    broken: [`${requests}/1`],
    alone: true,
  })
  await tell({
    state: 'packed',
    hurt: dir => truncateSync(join(dir, 'packed-refs'), 100),
    said: /refs/,
    broken: ['content/pages'],
    alone: true,
  })
})

test('a configuration or a HEAD that is garbage', async () => {
  await tell({
    hurt: dir => overwrite(join(dir, 'config'), '\0\0garbage'),
    said: /configuration .* changed from outside\. \(config\)/,
    alone: true,
  })
  await tell({
    hurt: dir => overwrite(join(dir, 'HEAD'), ''),
    said: /HEAD/,
    broken: ['content/pages'],
    alone: true,
  })
})

test('a repository that is gone, and a file in its place', async () => {
  const broken = ['content/pages', 'revisions']
  await tell({ hurt: dir => rmSync(dir, { recursive: true }), said: /repository is not there/, broken })
  const asFile = (dir: string) => {
    rmSync(dir, { recursive: true })
    writeFileSync(dir, 'no folder')
  }
  await tell({ hurt: asFile, said: /repository is not there/, broken })
})

test("stale locks of killed processes stand in nobody's way", async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)
  const locks = [
    'HEAD',
    'config',
    'packed-refs',
    'shallow',
    'refs/heads/main',
    'refs/heads/change-requests/1',
  ]
  for (const name of locks) writeFileSync(join(dir, `${name}.lock`), '')
  for (const name of ['gc.pid', 'gc.pid.lock', 'objects/info/commit-graph.lock', 'objects/pack/tmp_pack_1'])
    writeFileSync(join(dir, name), '')
  const server = await serve(original, dataDir)
  assert.is((await server.post(`/v1/spaces/${original.hurt}/content`, insertPage('New'))).status, 200)
  assert.is((await server.post(`/v1/spaces/${original.hurt}/change-requests/1/merge`)).status, 200)
  await server.stop()
  assert.not(existsSync(join(dir, 'gc.pid')))
  assert.is((await stemma(dataDir, 'verify')).code, 0)
})

test('what no source has is told, nothing is lost meanwhile, and the next source mends it', async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)
  // A clone of today, and a backup of before.
  const before = await serve(original, dataDir)
  await before.post(`/v1/spaces/${original.hurt}/content`, insertPage('Today'))
  await before.stop()
  const clone = join(original.folder, 'clone')
  gitOutside(original.folder, ['clone', '-q', '--no-hardlinks', dir, clone])
  const file = objectFile(dir, 'main:today.md')
  flip(file, -3)
  const repair = (...from: string[]) => stemma(dataDir, 'repair', '--space', original.hurt, ...from)
  const first = await repair('--from', original.backup)
  assert.is(first.code, 1)
  assert.match(first.stdout, /missing blob [0-9a-f]{40} \(refs\/heads\/main:today\.md\)/)
  const aside = /What was damaged lies in (\S+) now/.exec(first.stdout)?.[1] ?? ''
  assert.ok(existsSync(join(aside, file.slice(dir.length + 1))))
  const second = await repair('--from', clone)
  assert.is(second.code, 0, second.stdout + second.stderr)
  assert.match(gitOutside(dir, ['show', 'main:today.md']), /Words of Today/)
  assert.is((await stemma(dataDir, 'verify')).code, 0)
})

test('a source that is of no use is told, and nothing is changed', async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)
  const empty = join(original.folder, 'empty')
  mkdirSync(empty)
  const text = join(original.folder, 'text')
  writeFileSync(text, 'no backup')
  const cases: [string[], RegExp][] = [
    [['--space', 'none'], /no space "none"/],
    [['--space', original.hurt, '--from', join(original.folder, 'none')], /There is no .*none\./],
    [['--space', original.hurt, '--from', empty], /cannot be read as a backup, a bundle or a clone/],
    [['--space', original.hurt, '--from', text], /not a backup that stemma made/],
  ]
  const refs = gitOutside(dir, ['for-each-ref'])
  for (const [args, sentence] of cases) {
    const { code, stderr } = await stemma(dataDir, 'repair', ...args)
    assert.is(code, 1)
    assert.match(stderr, sentence)
  }
  assert.is(gitOutside(dir, ['for-each-ref']), refs)
  assert.not(existsSync(join(dataDir, 'damaged')))
  assert.not(existsSync(join(dataDir, 'repairing', 'source.git')))
})

test.run()

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { gitOutside } from '../support/git/repo.ts'
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
import { type Damage, reads, requests, tell as tellOf } from './story.ts'

let original: Original

test.before(async () => {
  original = await makeOriginal()
})
test.after(() => original.remove())

const tell = (damage: Damage) => tellOf(original, damage)

const whole = [reads('beta'), 'content/pages', 'revisions', requests, `${requests}/2/content/pages`]
const page = {
  said: /missing blob [0-9a-f]{40} \(refs\/\S+:alpha\.md\)/,
  served: whole,
  broken: [reads('alpha')],
}

test("a flipped byte in a page's object", () =>
  tell({ hurt: dir => flip(objectFile(dir, 'main:alpha.md'), -3), ...page }))

test('an unreadable page is not overwritten, and results that depend on it are not cached', async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)

  // No derived data of the page is left.
  const database = new Database(join(dataDir, 'derived.db'))
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

  const repaired = await stemma(
    dataDir,
    'repair',
    '--space',
    original.hurt,
    '--from',
    original.backup,
  )

  assert.is(repaired.code, 0, repaired.stdout)
  const pages = await server.get(`${content}/pages`)

  assert.match(pages.text, /"title":"Alpha"/)
  assert.match((await server.get(`${content}/path/alpha`)).body.markdown, /Words of Alpha/)
  await server.stop()
})

test('an empty object of a page', () =>
  tell({ hurt: dir => overwrite(objectFile(dir, 'main:alpha.md'), ''), ...page }))

test('readers and writers do not take an unreadable table of contents for a missing one', () =>
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
    served: ['content/pages', reads('alpha'), `${requests}/1/content/path/gamma`, 'revisions'],
  }))

test('a damaged commit stays in the list of revisions with its indexed data', async () => {
  const dataDir = original.copy()
  const revisions = `/v1/spaces/${original.hurt}/revisions`
  const before = await serve(original, dataDir)
  const whole = (await before.get(revisions)).body

  await before.stop()
  const [, , third] = whole.items

  flip(objectFile(repositoryOf(dataDir, original.hurt), third.id), -3)
  const after = await serve(original, dataDir)

  assert.equal(
    (await after.get(revisions)).body,
    JSON.parse(JSON.stringify(whole).replaceAll(before.url, after.url)),
  )
  assert.match(after.log(), new RegExp(`"oid":"${third.id}"`))
  await after.stop()
})

test('reads of damaged content fail with an explanation, and the log names the object', async () => {
  const dataDir = original.copy()
  const file = objectFile(repositoryOf(dataDir, original.hurt), 'main:SUMMARY.md')
  flip(file, -3)
  const server = await serve(original, dataDir)
  const { status, body } = await server.get(`/v1/spaces/${original.hurt}/content/pages`)

  assert.is(status, 500)
  assert.is(
    body.error.message,
    `Part of this content is damaged and cannot be read. The operator of the server can find the damage with "stemma verify" and repair it with "stemma repair --space ${original.hurt}".`,
  )
  const oid = file.split('/').slice(-2).join('')
  const line = server
    .log()
    .split('\n')
    .find(each => each.includes('"request failed"'))

  assert.match(line ?? '', `"oid":"${oid}"`)
  assert.is(JSON.parse(line ?? '{}').level, 50)
  await server.stop()
})

test('a flipped byte anywhere in a pack: in its header, in an object, or at its end', async () => {
  for (const at of [0, 600, -1])
    await tell({
      state: 'packed',
      hurt: dir => flip(packFile(dir, 'pack'), at),
      said: /^ +git fsck says: error: .*objects\/pack\/pack-[0-9a-f]{40}\.pack/m,
    })
})

test('a missing pack', () =>
  tell({
    state: 'packed',
    hurt: dir => rmSync(packFile(dir, 'pack')),
    said: /refs\/heads\/main: invalid sha1 pointer/,
    served: [requests],
    broken: ['content/pages'],
  }))

test('a missing or invalid pack index is rebuilt from the pack', async () => {
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

test('an object that no source has is reported, nothing is lost meanwhile, and a later source repairs it', async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)

  // The repair has a current clone and an older backup.
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
  const aside = /Damaged files were moved to (\S+)\./.exec(first.stdout)?.[1] ?? ''

  assert.ok(existsSync(join(aside, file.slice(dir.length + 1))))
  const second = await repair('--from', clone)

  assert.is(second.code, 0, second.stdout + second.stderr)
  assert.match(gitOutside(dir, ['show', 'main:today.md']), /Words of Today/)
  assert.is((await stemma(dataDir, 'verify')).code, 0)
})

test('a useless source is reported, and nothing changes', async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)
  const empty = join(original.folder, 'empty')
  mkdirSync(empty)
  const text = join(original.folder, 'text')

  writeFileSync(text, 'no backup')
  const cases: [string[], RegExp][] = [
    [['--space', 'none'], /no space "none"/],
    [['--space', original.hurt, '--from', join(original.folder, 'none')], /There is no .*none\./],
    [
      ['--space', original.hurt, '--from', empty],
      /cannot be read as a backup, a bundle or a clone/,
    ],
    [['--space', original.hurt, '--from', text], /not a Stemma backup/],
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

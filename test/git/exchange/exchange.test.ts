import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { installPack } from '../../../src/git/exchange/install-pack.ts'
import { packObjects } from '../../../src/git/exchange/pack-objects.ts'
import { isComplete } from '../../../src/git/history/complete.ts'
import { readCommit } from '../../../src/git/objects/objects.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { commitFiles, openBench } from '../../support/git/repo.ts'

const bench = await openBench()
test.after(() => bench.remove())
const source = await bench.create('source.git')
const long = 'a line of a long page\n'.repeat(2_000) + String(Math.PI).repeat(500)
const first = await commitFiles(source, { 'README.md': long, 'other.md': 'other\n' })
const second = await commitFiles(source, { 'README.md': `${long}more\n` })
const absent = 'f'.repeat(40) as Oid

async function bytesOf(pack: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of pack) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('packs carry a history to another repository, each only what is new', async () => {
  const target = await bench.create('target.git')
  const whole = await bytesOf(packObjects(source, { wants: [first] }))
  const more = await bytesOf(packObjects(source, { wants: [second], haves: [first] }))
  assert.is(more.readUInt32BE(8), 3, 'commit, tree and page')
  assert.ok(more.length < 600, `a delta, not the page: ${more.length} bytes`)
  const parts = async function* (bytes: Buffer) {
    for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
  }
  await installPack(target, parts(whole))
  assert.not(await isComplete(target, second, []))
  await installPack(target, parts(more))
  assert.ok(await isComplete(target, second, []))
  assert.is((await readCommit(target, second))?.parents[0], first)
  await installPack(target, parts(more))
})

test('a have that the repository lacks is ignored', async () => {
  const pack = await bytesOf(packObjects(source, { wants: [second], haves: [absent, first] }))
  assert.is(pack.readUInt32BE(8), 3)
})

test('a commit that the repository lacks is an error', async () => {
  const error = await bytesOf(packObjects(source, { wants: [absent] })).catch(each => each)
  assert.is(error.name, 'GitError')
})

test('a pack that ends early, or whose source fails, leaves nothing', async () => {
  const target = await bench.create('broken.git')
  const whole = await bytesOf(packObjects(source, { wants: [first] }))
  const cut = async function* () {
    yield whole.subarray(0, whole.length - 30)
  }
  const failing = async function* () {
    yield whole.subarray(0, 100)
    throw new Error('the source has failed')
  }
  assert.is((await installPack(target, cut()).catch(each => each)).name, 'GitError')
  assert.match(
    String(await installPack(target, failing()).catch(each => each)),
    /source has failed/,
  )
  const names = await readdir(join(target.dir, 'objects/pack'))
  assert.equal(
    names.filter(name => /\.(pack|idx)$/.test(name)),
    [],
  )
})

test.run()

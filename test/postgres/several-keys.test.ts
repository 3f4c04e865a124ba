import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import * as assert from 'uvu/assert'
import { signingKey } from '../../src/actions/people/organization-key.ts'
import { readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { keysFrom, opens } from '../../src/lib/keys.ts'
import { openContext } from '../../src/open.ts'
import { beginRotation } from '../../src/secret.ts'
import { findOrganizationKey } from '../../src/store/people/organization-keys.ts'
import { insertOrganization } from '../../src/store/people/organizations.ts'
import { type Run, stemmaHere } from '../cli/stemma.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { postgresSuite } from './suite.ts'

let cluster: Cluster
const top = mkdtempSync(join(tmpdir(), 'stemma-keys-'))

const test = postgresSuite(
  'several keys',
  async () => {
    cluster = await startCluster()
  },
  () => {
    cluster?.stop()
    rmSync(top, { recursive: true, force: true })
  },
)

type Env = Record<string, string>

let folders = 0
function newFolder(): string {
  const folder = join(top, `${++folders}`)
  mkdirSync(folder)
  return folder
}

/** The settings of a node with these keys and a folder of its own. */
const nodeOf = (url: string, keys: string): Env => ({
  STEMMA_DATA: newFolder(),
  STEMMA_DATABASE: url,
  STEMMA_DATABASE_SECONDS: '30',
  STEMMA_KEYS: keys,
})

async function opened<Result>(
  env: Env,
  work: (ctx: Context) => Promise<Result> | Result,
): Promise<Result> {
  const ctx = openContext(readConfig(env), pino({ level: 'silent' }))
  try {
    return await work(ctx)
  } finally {
    ctx.close()
  }
}

/** Adds an organization with a signing key, which is sealed with the first key. */
const seal = (env: Env, id: string): Promise<void> =>
  opened(env, async ctx => {
    insertOrganization(ctx.store, { id, title: id, created_at: ctx.now().toISOString() })
    await signingKey(ctx, id)
  })

const textsOf = (env: Env, ids: readonly string[]): Promise<string[]> =>
  opened(env, ({ store }) => ids.map(id => findOrganizationKey(store, id)!.sealed))

/** Returns which of the secrets open the signing key of each organization, and whether the server's keys do. */
async function openedBy(
  env: Env,
  ids: readonly string[],
  secrets: readonly Buffer[],
): Promise<{ secrets: number[][]; server: boolean }> {
  const texts = await textsOf(env, ids)
  const openEach = (keys: Context['keys']) =>
    texts.map(text => opens(keys, 'organization key', text))
  const each = secrets.map(secret => openEach(keysFrom(secret)))
  return {
    secrets: texts.map((_, at) => each.flatMap((known, of) => (known[at] ? [of] : []))),
    server: await opened(env, ctx => openEach(ctx.keys).every(Boolean)),
  }
}

const keyOf = (dataDir: string): Buffer => readFileSync(join(dataDir, 'key'))
const [k1, k2, k3] = [1, 2, 3].map(byte => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer]
const inBase64 = (...keys: Buffer[]): string => keys.map(key => key.toString('base64')).join(',')

/** Prints a file as `base64` does, in lines of 76 characters. */
const asPrinted = (file: Buffer): string => file.toString('base64').replace(/.{76}/g, '$&\n')

async function runs(args: readonly string[], env: Env): Promise<void> {
  const { code, stderr }: Run = await stemmaHere(args, env)
  assert.is(code, 0, stderr)
}

/** Returns a folder with what a database has, by `stemma move`. */
async function movedTo(url: string, keys: string): Promise<Env> {
  const folder = newFolder()
  await runs(['move', '--to', folder], nodeOf(url, keys))
  return { STEMMA_DATA: folder }
}

test('a folder whose key was rotated is moved, and each secret opens with the key of the folder', async () => {
  const folder = { STEMMA_DATA: newFolder() }
  await seal(folder, 'one')
  const first = keyOf(folder.STEMMA_DATA)
  await runs(['key', 'rotate'], folder)
  const own = keyOf(folder.STEMMA_DATA)
  await seal(folder, 'two')
  const url = await cluster.create()
  await runs(['move', '--to', url], folder)
  const found = await openedBy(nodeOf(url, inBase64(own)), ['one', 'two'], [first, own])
  assert.equal(found, { secrets: [[1], [1]], server: true })
})

test('a folder whose rotation was interrupted is neither moved nor backed up before it has ended', async () => {
  const folder = { STEMMA_DATA: newFolder() }
  await seal(folder, 'one')
  beginRotation(folder.STEMMA_DATA)
  const url = await cluster.create()
  const commands = [
    ['move', '--to', url],
    ['backup', join(top, 'rotating.tar')],
  ]
  for (const command of commands) {
    const { code, stderr } = await stemmaHere(command, folder)
    assert.is.not(code, 0)
    assert.match(stderr, /interrupted\. Run "stemma key rotate" again/)
  }
  await runs(['key', 'rotate'], folder)
  for (const command of commands) await runs(command, folder)
})

/** Returns a database of nodes that have exchanged k1 for k2, k3 being an older one. */
async function newCluster(): Promise<string> {
  const url = await cluster.create()
  await seal(nodeOf(url, inBase64(k1, k3)), 'one')
  await seal(nodeOf(url, inBase64(k2, k1, k3)), 'two')
  return url
}

test('nodes with several keys are moved and restored with all of them, and there again', async () => {
  const all = inBase64(k2, k1, k3)
  const url = await newCluster()
  const file = join(top, 'keys.tar')
  await runs(['backup', file], nodeOf(url, all))
  const restored = { STEMMA_DATA: newFolder() }
  await runs(['restore', file], restored)

  for (const folder of [await movedTo(url, all), restored]) {
    const dataDir = folder.STEMMA_DATA!
    assert.equal(keyOf(dataDir), Buffer.concat([k2, k1, k3]))
    assert.equal(
      await textsOf(folder, ['one', 'two']),
      await textsOf(nodeOf(url, all), ['one', 'two']),
    )
    await seal(folder, 'three')
    assert.equal(await openedBy(folder, ['one', 'two', 'three'], [k1, k2, k3]), {
      secrets: [[0], [1], [1]],
      server: true,
    })
    await runs(['verify'], folder)

    const again = await cluster.create()
    await runs(['move', '--to', again], folder)
    const node = nodeOf(again, asPrinted(keyOf(dataDir)))
    await seal(node, 'four')
    assert.equal(await openedBy(node, ['one', 'two', 'three', 'four'], [k1, k2, k3]), {
      secrets: [[0], [1], [1], [1]],
      server: true,
    })

    await runs(['key', 'rotate'], folder)
    const own = keyOf(dataDir)
    assert.is(own.length, 32)
    assert.equal(await openedBy(folder, ['one', 'two', 'three'], [k1, k2, own]), {
      secrets: [[2], [2], [2]],
      server: true,
    })
  }
})

test('nodes whose secrets are sealed with the first key are moved with that key alone', async () => {
  const url = await newCluster()
  await runs(['key', 'rotate'], nodeOf(url, inBase64(k2, k1, k3)))
  const folder = await movedTo(url, inBase64(k2))
  assert.equal(keyOf(folder.STEMMA_DATA!), k2)
  assert.equal(await openedBy(folder, ['one', 'two'], [k1, k2]), {
    secrets: [[1], [1]],
    server: true,
  })
})

test('more than three keys, and texts that are none, are refused', () => {
  const four = inBase64(k1, Buffer.concat([k2, k3, k1]))
  for (const keys of [four, 'secret', inBase64(k1.subarray(1)), `${inBase64(k1)},`])
    assert.throws(
      () => readConfig({ STEMMA_DATABASE: 'postgres://host/name', STEMMA_KEYS: keys }),
      /STEMMA_KEYS is invalid/,
      JSON.stringify(keys),
    )
})

test.run()

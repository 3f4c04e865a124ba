import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { verify } from '../../src/actions/upkeep/verify.ts'
import { listIntents } from '../../src/store/git/intents.ts'
import { type App, startApp } from '../support/app.ts'
import { craft, type Named, treeOf } from '../support/git/raw-commit.ts'
import { objectId, packOf } from '../support/git/raw-pack.ts'
import {
  beginPush,
  pushBody,
  type RawAnswer,
  type RawPush,
  sendPush,
} from '../support/git/raw-push.ts'
import { fsck, gitOutside } from '../support/git/repo.ts'
import { until } from '../support/until.ts'
import { insertPage } from './folder.ts'
import { fill, fillAt, moments, onSmallDisk } from './small-disk.ts'

type Target = { app: App; space: string; dir: string }

/** Returns a push to main that adds a file of random bytes, which take room on the disk. */
function adding({ dir }: Target, name: string): RawPush {
  const from = gitOutside(dir, ['rev-parse', 'main'])
  const kept = gitOutside(dir, ['ls-tree', 'main'])
    .split('\n')
    .map((entry): Named => {
      const [, mode = '', oid = '', path = ''] = /^0*(\d+) \S+ (\S+)\t(.*)$/.exec(entry) ?? []
      return [mode, path, oid]
    })

  // Too large to be kept in memory.
  const content = randomBytes(300_000)
  const entries = [...kept, ['100644', `${name}.bin`, objectId('blob', content)] satisfies Named]
  const key = ([mode, path]: Named) => (mode === '40000' ? `${path}/` : String(path))

  entries.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  const { pack, to } = craft([from], [treeOf(entries)], [{ type: 'blob', content }])

  return { commands: [{ ref: 'refs/heads/main', from, to }], pack }
}

const send = ({ app, space }: Target, push: RawPush): Promise<RawAnswer> =>
  sendPush(app.url, space, app.admin.token, push)

/** Sends a push of which a part has come when the disk fills up. */
async function sendInto({ app, space }: Target, push: RawPush): Promise<[RawAnswer, () => void]> {
  const { dataDir } = app.ctx.config
  const body = pushBody(push)
  const sending = beginPush(app.url, space, app.admin.token)
  sending.write(body.subarray(0, 280_000))
  await until('the pack comes', () => (staged(dataDir).length > 0 ? true : undefined))
  const free = fill(dataDir)

  sending.write(body.subarray(280_000))
  sending.end()

  return [await sending.answer, free]
}

function staged(dataDir: string): string[] {
  const folder = join(dataDir, 'staging')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Splits a repository into so many packs that the objects of a push become loose. */
function manyPacks(dir: string): void {
  for (let i = 0; i < 50; i++) {
    const name = join(dir, `objects/pack/pack-${randomBytes(20).toString('hex')}.pack`)
    writeFileSync(name, packOf([{ type: 'blob', content: randomBytes(20) }]))
    gitOutside(dir, ['index-pack', name])
  }
}

const isUnfinished = /could not be finished/

/** Asserts that a push on a full disk is refused, and one with room again is not. */
async function check(target: Target, name: string, during: () => Promise<[RawAnswer, () => void]>) {
  const { app, space, dir } = target
  const content = `/v1/spaces/${space}/content`

  // Every row written from here on needs room.
  app.ctx.store.checkpoint()
  const [answer, free] = await during()
  const said = `${name}: ${answer.status} ${answer.report.join(', ') || answer.text.trim()}`
  const read = await app.admin.get(`${content}/pages`)
  const left = staged(app.ctx.config.dataDir)

  free()
  assert.match(answer.report[1] ?? '', /^ng refs\/heads\/main /, said)
  assert.match(said, isUnfinished.test(said) ? /completes it/ : /the disk of the server is full/)
  assert.is(read.status, 200, `${name}: ${read.text}`)
  assert.equal(left, [], `${name}: staged`)

  let next = await send(target, adding(target, `after-${name}`))

  // The next push completes what could not be finished.
  if (/fetch first/.test(next.text)) next = await send(target, adding(target, `after-${name}`))
  assert.equal(next.report, ['unpack ok', 'ok refs/heads/main'], `${name}: ${next.text}`)
  const files = gitOutside(dir, ['ls-tree', '--name-only', 'main']).split('\n')

  assert.ok(files.includes(`after-${name}.bin`))
  assert.is(files.includes(`${name}.bin`), isUnfinished.test(said), said)
  assert.equal(listIntents(app.ctx.store), [])
  assert.equal(app.ctx.store.problems(), [])
  assert.equal(staged(app.ctx.config.dataDir), [])
  fsck(spaceRepository(app.ctx, space))
}

/** Asserts that a push is refused before anything is sent, and that a clone is not. */
async function checkRefused({ app, space }: Target): Promise<void> {
  const free = fill(app.ctx.config.dataDir)
  const refs = (service: string) =>
    fetch(`${app.url}/${space}.git/info/refs?service=${service}`, {
      headers: { authorization: `Bearer ${app.admin.token}` },
    })
  const [push, clone] = [await refs('git-receive-pack'), await refs('git-upload-pack')]
  free()
  assert.is(push.status, 507)
  assert.is(
    await push.text(),
    "The server's disk is almost full. Writes are refused until there is room.\n",
  )
  assert.is(clone.status, 200)
}

test('a disk that fills up during a push is reported, leaves nothing half done, and pushes resume once there is room', () =>
  onSmallDisk('170m', async dataDir => {
    const app = await startApp({ STEMMA_DATA: dataDir })
    try {
      const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Home' })).body.id
      await app.admin.post(`/v1/spaces/${space}/content`, insertPage('First'))
      const target = { app, space, dir: spaceRepository(app.ctx, space).dir }
      await send(target, adding(target, 'first'))
      await checkRefused(target)
      await check(target, 'pack', () => sendInto(target, adding(target, 'pack')))

      for (const moment of [...moments, 'loose'] as const)
        await check(target, moment, async () => {
          if (moment === 'loose') manyPacks(target.dir)
          const push = adding(target, moment)
          const free = fillAt(app, moment === 'loose' ? 'objects' : moment)
          return [await send(target, push), free]
        })

      assert.equal(await verify(app.ctx), [])
    } finally {
      await app.stop()
    }
  }))

test.run()

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { verify } from '../../src/actions/upkeep/verify.ts'
import { listIntents } from '../../src/store/git/intents.ts'
import { type App, startApp } from '../support/app.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { fsck } from '../support/git/repo.ts'
import { skip } from '../support/skip.ts'
import { insertPage } from './folder.ts'

/** The steps of a write at which another program fills the disk. */
const moments = ['objects', 'journal', 'refs', 'rows'] as const
type Moment = (typeof moments)[number]

/** Fills the disk to its last byte. */
function fill(dataDir: string): void {
  const filler = `of=${join(dataDir, 'filler')}`
  spawnSync('dd', ['if=/dev/zero', filler, 'bs=1M'])
  spawnSync('dd', ['if=/dev/zero', filler, 'bs=512', 'conv=notrunc', 'oflag=append'])
}

/** Fills the disk at the moment. Returns a function that undoes this. */
function fillAt({ ctx }: App, dataDir: string, moment: Moment): () => void {
  const { store, locks } = ctx
  const [transact, run] = [store.transact.bind(store), locks.run.bind(locks)]
  let full = false
  const now = () => {
    if (!full) fill(dataDir)
    full = true
  }
  const isBegun = () => listIntents(store).length > 0
  Object.assign(store, {
    transact: (work: () => unknown) => {
      if (moment === 'journal' || (moment === 'rows' && isBegun())) now()
      const result = transact(work)
      if (moment === 'refs' && isBegun()) now()
      return result
    },
  })
  Object.assign(locks, {
    run: (name: string, work: () => Promise<unknown>) =>
      run(name, () => {
        if (moment === 'objects') now()
        return work()
      }),
  })
  return () => {
    Object.assign(store, { transact })
    Object.assign(locks, { run })
    rmSync(join(dataDir, 'filler'), { force: true })
    assert.ok(full, `the write never reached "${moment}"`)
  }
}

test('a disk that fills up during a write is reported, leaves nothing half done, and writes resume once there is room', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'stemma-full-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'none', dataDir]).status !== 0) {
    rmSync(dataDir, { recursive: true })
    return skip('mounting a small disk needs root')
  }
  const app = await startApp({ STEMMA_DATA: dataDir })
  try {
    const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Home' })).body.id
    const content = `/v1/spaces/${space}/content`
    for (const moment of moments) {
      await app.admin.post(content, insertPage(`Before ${moment}`))
      // Every row written from here on needs room.
      app.ctx.store.checkpoint()
      const free = fillAt(app, dataDir, moment)
      const { status, body } = await app.admin.post(content, insertPage(`During ${moment}`))
      const read = await app.admin.get(`${content}/pages`)
      const other = await app.admin.post(`/v1/spaces/${space}/change-requests`, { subject: 'Other' })
      const before = cpuTime()
      await new Promise(resolve => setTimeout(resolve, 1000))
      const worked = cpuTime() - before
      free()
      assert.ok(status === 507 || status === 503, `${moment}: ${status}`)
      assert.match(body.error.message, /^[A-Z].*\.$/)
      assert.is(read.status, 200, `${moment}: ${read.text}`)
      assert.is(other.status, 507)
      assert.ok(worked < 500, `${moment}: ${worked} ms of work while nothing can be written`)

      const next = await app.admin.post(content, insertPage(`After ${moment}`))
      assert.is(next.status, 200, `${moment}: ${next.text}`)
      const { text } = await app.admin.get(`${content}/pages`)
      assert.match(text, new RegExp(`Before ${moment}.*After ${moment}`))
      if (/nothing was changed/.test(body.error.message))
        assert.not.match(text, new RegExp(`During ${moment}`))
      assert.equal(listIntents(app.ctx.store), [])
      assert.equal(app.ctx.store.problems(), [])
      fsck(spaceRepository(app.ctx, space))
    }
    const titles = async () =>
      (await app.admin.get(`/v1/spaces/${space}/search?query=After`)).body.items.length
    for (let tries = 0; (await titles()) < moments.length && tries < 600; tries++)
      await new Promise(resolve => setTimeout(resolve, 100))
    assert.is(await titles(), moments.length, 'the delayed rows are indexed')
    assert.equal(await verify(app.ctx), [])
  } finally {
    await app.stop()
    execFileSync('umount', ['-l', dataDir])
    rmSync(dataDir, { recursive: true })
  }
})

test.run()

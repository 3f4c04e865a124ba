import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { verify } from '../../src/actions/upkeep/verify.ts'
import { listIntents } from '../../src/store/git/intents.ts'
import { startApp } from '../support/app.ts'
import { collectGarbage, cpuTime } from '../support/cpu-time.ts'
import { fsck } from '../support/git/repo.ts'
import { insertPage } from './folder.ts'
import { fillAt, moments, onSmallDisk } from './small-disk.ts'

test('a disk that fills up during a write is reported, leaves nothing half done, and writes resume once there is room', () =>
  onSmallDisk('160m', async dataDir => {
    const app = await startApp({ STEMMA_DATA: dataDir })
    try {
      const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Home' })).body.id
      const content = `/v1/spaces/${space}/content`
      for (const moment of moments) {
        await app.admin.post(content, insertPage(`Before ${moment}`))
        // Every row written from here on needs room.
        app.ctx.store.checkpoint()
        const free = fillAt(app, moment)
        const { status, body } = await app.admin.post(content, insertPage(`During ${moment}`))
        const read = await app.admin.get(`${content}/pages`)
        const other = await app.admin.post(`/v1/spaces/${space}/change-requests`, {
          subject: 'Other',
        })

        collectGarbage()
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
    }
  }))

test.run()

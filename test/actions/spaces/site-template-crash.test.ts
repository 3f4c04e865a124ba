import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startStemma } from '../../cli/stemma.ts'
import { openKillable } from '../../support/killable.ts'
import { until } from '../../support/until.ts'

const { dataDir, serve, end, running, remove } = await openKillable()

test.after(remove)

const sites = '/v1/orgs/default/sites'

const repositories = (): string[] =>
  readdirSync(join(dataDir, 'spaces')).flatMap(shelf => readdirSync(join(dataDir, 'spaces', shelf)))

test('a server that is killed while it fills a site has filled it wholly or not at all', async () => {
  let admin = await serve()
  for (const [point, isDone] of [
    ['W4#1', false],
    ['W4#3', false],
    ['W6#1', true],
  ] as const) {
    const site = (await admin.post(sites, { title: point })).body.id
    const before = (await admin.get('/v1/orgs/default/spaces')).body.count
    await end('SIGTERM')
    admin = await serve({ STEMMA_CRASH_AT: point })
    await admin.post(`${sites}/${site}/template`).catch(() => undefined)
    await running()?.ended

    admin = await serve()
    const made = isDone ? 3 : 0
    assert.is((await admin.get(`${sites}/${site}/site-spaces`)).body.count, made, point)
    assert.is((await admin.get('/v1/orgs/default/spaces')).body.count, before + made, point)
    const again = await admin.post(`${sites}/${site}/template`)
    assert.is(again.status, isDone ? 409 : 200, point)

    // The start returns before the repositories without a space are set aside.
    await until('repositories without a space are set aside', () =>
      repositories().length === before + 3 ? true : undefined,
    )
    await end('SIGTERM')
    const { ended } = startStemma(['verify'], { STEMMA_DATA: dataDir })
    assert.is((await ended).code, 0, point)
    admin = await serve()
  }
})

test.run()

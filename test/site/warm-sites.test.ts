import { cpSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { viewCache } from '../../src/actions/revisions/view-revision.ts'
import { start } from '../../src/server.ts'
import { warmSites } from '../../src/site/warm-sites.ts'
import { holdSearch } from '../support/hold-search.ts'
import { until } from '../support/until.ts'
import { insertPublicSite, siteApp } from './open-page.ts'

const app = await siteApp()
const { ctx } = app
// The index job of a new space reads its content too, a second later.
holdSearch(ctx)
test.after(() => app.stop({ damaged: true }))

const warm = () => warmSites(ctx, { rest: 0, signal: new AbortController().signal })

test('a server renders front pages at its start, which its first report that it is ready waits for only briefly', async () => {
  const { space } = await insertPublicSite(app, { 'README.md': '# Home\n' })
  const { revision } = (await app.admin.get(`/v1/spaces/${space}`)).body
  app.ctx.store.checkpoint()
  const folder = await mkdtemp(join(tmpdir(), 'stemma-test-'))

  cpSync(app.dataDir, folder, { recursive: true })
  const server = await start({ ...ctx.config, dataDir: folder }, pino({ level: 'fatal' }))

  try {
    assert.is((await fetch(`${server.url}/readyz`)).status, 200)
    const read = () => server.ctx.caches.get(viewCache).get(`${space} ${revision}`)
    await until('the front page is rendered', read)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})

test('the content of every public site is read; a damaged one does not keep the others from it', async () => {
  const files = { 'README.md': '# Home\n', 'guide.md': '# Guide\n' }
  const first = await insertPublicSite(app, files)
  await insertPublicSite(app, { 'SUMMARY.md': '# Table of contents\n' })
  const damaged = await insertPublicSite(app, files)
  const last = await insertPublicSite(app, files)
  const visitors = await insertPublicSite(app, files, { visibility: 'visitor-auth' })

  rmSync(join(spaceRepository(ctx, damaged.space).dir, 'objects'), { recursive: true })
  ctx.caches.clear()
  await warm()
  const isRead = async (space: string) => {
    const { revision } = (await app.admin.get(`/v1/spaces/${space}`)).body
    return ctx.caches.get(viewCache).get(`${space} ${revision}`) !== undefined
  }

  assert.ok(await isRead(first.space))
  assert.ok(await isRead(last.space))
  assert.not(await isRead(visitors.space))
})

test.run()

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { viewCache } from '../../src/actions/revisions/view-revision.ts'
import { warmSites } from '../../src/site/warm-sites.ts'
import { insertPublicSite, siteApp } from './open-page.ts'

const app = await siteApp()
const { ctx } = app
test.after(() => app.stop({ damaged: true }))

const warm = () => warmSites(ctx, { rest: 0, signal: new AbortController().signal })

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

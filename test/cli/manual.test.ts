import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../support/app.ts'
import { type Killable, openKillable } from '../support/killable.ts'
import { until } from '../support/until.ts'

const files = readdirSync('docs', { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => relative('docs', join(entry.parentPath, entry.name)))

type Space = { id: string; title: string }
type Site = {
  id: string
  title: string
  published: boolean
  visibility: string
  urls: { published: string }
}

const spacesOf = async (admin: Actor): Promise<Space[]> =>
  (await admin.get('/v1/orgs/default/spaces')).body.items
const sitesOf = async (admin: Actor): Promise<Site[]> =>
  (await admin.get('/v1/orgs/default/sites')).body.items

/** Runs a test with a data folder of its own whose first start brings the manual. */
async function withFolder(work: (killable: Killable) => Promise<void>): Promise<void> {
  const killable = await openKillable({ STEMMA_MANUAL: 'true' })
  try {
    await work(killable)
  } finally {
    await killable.remove()
  }
}

const published = (admin: Actor) =>
  until('the manual is published', async () => (await sitesOf(admin)).find(site => site.published))

/**
 * Checks that the header of the manual leads to the reference of the API, on the host of the page.
 */
async function checkApiLink({ urls }: Site): Promise<void> {
  const page = await (await fetch(urls.published)).text()
  const [, address = ''] = /<a [^>]*href="([^"]*)"[^>]*>API reference</.exec(page) ?? []
  assert.is(address, '/docs')
  const { status, headers } = await fetch(new URL(address, urls.published))
  assert.equal([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
}

/** Checks that there is one manual, with every file of `docs/` unchanged. */
async function checkManual(admin: Actor, dataDir: string): Promise<string> {
  const [space, ...more] = await spacesOf(admin)
  assert.equal([space?.title, more.length], ['Manual', 0])
  const sites = await sitesOf(admin)
  assert.equal(
    sites.map(({ title, published, visibility }) => [title, published, visibility]),
    [['Stemma manual', true, 'public']],
  )
  assert.match(sites[0]!.urls.published, /\/sites\/default\/stemma-manual\/$/)
  const { id } = space!
  const git = (...args: string[]) =>
    String(
      execFileSync('git', ['-C', join(dataDir, 'spaces', id.slice(0, 2), `${id}.git`), ...args]),
    )

  assert.equal(git('ls-tree', '-r', '--name-only', 'main').trim().split('\n').sort(), files.sort())
  for (const name of files)
    assert.is(git('show', `main:${name}`), readFileSync(`docs/${name}`, 'utf8'), name)
  assert.match(git('log', '-1', '--format=%an %cn %s', 'main'), /^Stemma Stemma Add the manual/)
  const { body } = await admin.get(`/v1/spaces/${id}/links?status=broken`)

  assert.equal(body.items, [])

  return id
}

test('the first start publishes the manual, and a restart leaves it as it is', () =>
  withFolder(async killable => {
    let admin = await killable.serve()
    await checkApiLink(await published(admin))
    const id = await checkManual(admin, killable.dataDir)
    await killable.end('SIGTERM')
    admin = await killable.serve()
    assert.is(await checkManual(admin, killable.dataDir), id)
  }))

for (const point of ['W6#1', 'W3#1', 'W6#2'])
  test(`a first start that is killed at ${point} is finished by the next one`, () =>
    withFolder(async killable => {
      await killable.serve({ STEMMA_CRASH_AT: point }).catch(() => {})
      await killable.running()?.ended
      const admin = await killable.serve()
      await published(admin)
      await checkManual(admin, killable.dataDir)
    }))

test('a manual that was deleted does not come back', () =>
  withFolder(async killable => {
    let admin = await killable.serve()
    await published(admin)
    const [[space], [site]] = [await spacesOf(admin), await sitesOf(admin)]
    assert.is((await admin.delete(`/v1/orgs/default/sites/${site!.id}`)).status, 204)
    assert.is((await admin.delete(`/v1/spaces/${space!.id}`)).status, 204)
    await killable.end('SIGTERM')
    admin = await killable.serve()
    await admin.post('/v1/orgs/default/spaces', { title: 'Mine' })
    assert.equal(
      (await spacesOf(admin)).map(({ title }) => title),
      ['Mine'],
    )
    assert.equal(await sitesOf(admin), [])
  }))

test('STEMMA_MANUAL=false leaves the manual out, also on later starts', () =>
  withFolder(async killable => {
    await killable.serve({ STEMMA_MANUAL: 'false' })
    await killable.end('SIGTERM')
    const admin = await killable.serve()

    // A job of the first start would run before this one.
    await admin.post('/v1/orgs/default/spaces', { title: 'Mine' })
    assert.equal(
      (await spacesOf(admin)).map(({ title }) => title),
      ['Mine'],
    )
  }))

test.run()

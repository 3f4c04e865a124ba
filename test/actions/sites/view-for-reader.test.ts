import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findActor } from '../../../src/access/actor.ts'
import type { Reader } from '../../../src/access/asker.ts'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { readerClaims } from '../../../src/actions/sites/reader-claims.ts'
import { isSpaceShown, viewForReader } from '../../../src/actions/sites/view-for-reader.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { publishedSite, readingToken } from '../../support/sites.ts'

const app = await startApp()
test.after(() => app.stop())
const { ctx } = app

const newSpace = async (title: string): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id

const plan = { type: 'string', description: 'The plan.', enum: ['pro', 'free'] }
const beta = { type: 'boolean', description: 'Whether the visitor tests new things.' }

function putSchema(siteId: string, properties: Record<string, unknown>): void {
  const json_schema = { type: 'object', properties, additionalProperties: false }
  const updated_at = '2026-01-01T00:00:00.000Z'
  ctx.store.run(query.deleteFrom('site_schema').where('site_id', '=', siteId))
  ctx.store.run(
    query.insertInto('site_schema').values({ site_id: siteId, json_schema, updated_at }),
  )
}

async function adaptiveSite(...titles: string[]) {
  const spaceIds = await Promise.all(titles.map(newSpace))
  const site = await publishedSite(app, spaceIds, { adaptive: 1 })
  putSchema(site.id, { plan, beta })
  const rows = readStructure(ctx.store, site.id).siteSpaces
  const setCondition = (at: number, condition: string | null) =>
    updateSiteSpace(ctx.store, (rows[at] as { id: string }).id, { condition })
  return { site, spaceIds, setCondition }
}

const readerWith = (siteId: string, claims?: Record<string, unknown>) =>
  findActor(ctx, `Bearer ${readingToken(app, siteId, { claims })}`) as Reader

const titlesFor = async (reader: Reader) =>
  (await viewForReader(ctx, reader)).view.siteSpaces.map(({ space, isDefault }) =>
    isDefault ? `${space.title} (default)` : space.title,
  )

test('a reader has the claims that the schema of the site names now', async () => {
  const { site } = await adaptiveSite('Guide')
  const pro = readerWith(site.id, { plan: 'pro', beta: true, admin: true })
  const [free, none] = [readerWith(site.id, { plan: 'free' }), readerWith(site.id)]
  assert.equal(readerClaims(ctx, pro).claims, { plan: 'pro', beta: true, unsigned: {} })
  assert.equal(readerClaims(ctx, none), { claims: { unsigned: {} }, id: '' })
  assert.is(new Set([pro, free, none].map(each => readerClaims(ctx, each).id)).size, 3)
  putSchema(site.id, { beta })
  assert.equal(readerClaims(ctx, pro).claims, { beta: true, unsigned: {} })
  assert.is(readerClaims(ctx, free).id, '')
  ctx.store.run(query.deleteFrom('site_schema').where('site_id', '=', site.id))
  assert.is(readerClaims(ctx, pro).id, '')
})

test('conditions hide site spaces from readers who do not meet them, and the first shown one acts as default', async () => {
  const { site, spaceIds, setCondition } = await adaptiveSite('Pro', 'Free', 'All')
  setCondition(0, 'visitor.claims.plan === "pro"')
  setCondition(1, 'visitor.claims.plan === "free"')
  const [pro, free, none] = [{ plan: 'pro' }, { plan: 'free' }, undefined].map(claims =>
    readerWith(site.id, claims),
  ) as [Reader, Reader, Reader]

  assert.equal(await titlesFor(pro), ['Pro (default)', 'All'])
  assert.equal(await titlesFor(free), ['Free (default)', 'All'])
  assert.equal(await titlesFor(none), ['All (default)'])
  const shownTo = (reader: Reader) => Promise.all(spaceIds.map(id => isSpaceShown(ctx, reader, id)))

  assert.equal(await shownTo(pro), [true, false, true])
  assert.equal(await shownTo(none), [false, false, true])
  updateSite(ctx.store, site.id, { adaptive: 0 })
  assert.equal(await titlesFor(readerWith(site.id, { plan: 'pro' })), ['All (default)'])
})

test('the condition of a section hides its site spaces', async () => {
  const { site, spaceIds } = await adaptiveSite('Guide', 'API')
  const row = {
    site_id: site.id,
    group_id: null,
    icon: null,
    description: null,
    default_site_space_id: null,
  }
  const created_at = '2026-01-01T00:00:00.000Z'

  for (const [position, id] of ['open', 'closed'].entries()) {
    const condition = id === 'closed' ? 'visitor.claims.beta' : null
    const section = {
      ...row,
      id: `${id}-${site.id}`,
      title: id,
      path: id,
      position,
      condition,
      created_at,
    }

    ctx.store.run(query.insertInto('site_section').values(section))
    const siteSpace = readStructure(ctx.store, site.id).siteSpaces.find(
      each => each.space_id === spaceIds[position],
    )

    updateSiteSpace(ctx.store, (siteSpace as { id: string }).id, { section_id: section.id })
  }

  const [beta, none] = [readerWith(site.id, { beta: true }), readerWith(site.id)]
  const sectionsFor = async (reader: Reader) =>
    (await viewForReader(ctx, reader)).view.sections.map(each => each.row.title)

  assert.equal(await sectionsFor(beta), ['open', 'closed'])
  assert.equal(await sectionsFor(none), ['open'])
  assert.equal(await titlesFor(none), ['Guide (default)'])
  assert.is(await isSpaceShown(ctx, none, spaceIds[1] as string), false)
  assert.is(await isSpaceShown(ctx, beta, spaceIds[1] as string), true)
})

test('the condition of a site space reads the variables of its space', async () => {
  const { site, spaceIds, setCondition } = await adaptiveSite('Old', 'New')
  const repo = spaceRepository(ctx, spaceIds[1] as string)
  setCondition(1, 'space.vars.released && visitor.claims.plan !== "free"')
  const write = async (released: boolean) => {
    await commitFiles(repo, { '.gitbook/vars.yaml': `released: ${released}\n` })
    assert.is((await app.admin.get(`/v1/spaces/${spaceIds[1]}`)).status, 200)
  }

  assert.equal(await titlesFor(readerWith(site.id)), ['Old (default)'])
  await write(true)
  assert.equal(await titlesFor(readerWith(site.id)), ['Old (default)', 'New'])
  assert.equal(await titlesFor(readerWith(site.id, { plan: 'free' })), ['Old (default)'])
  await write(false)
  assert.equal(await titlesFor(readerWith(site.id)), ['Old (default)'])
  assert.is(await isSpaceShown(ctx, readerWith(site.id), spaceIds[1] as string), false)
})

test('a reader gets a space without the facts of the work on it', async () => {
  const { site, spaceIds, setCondition } = await adaptiveSite('Guide', 'Beta')
  setCondition(1, 'visitor.claims.beta')
  const get = async (spaceId: string | undefined, claims?: Record<string, unknown>) => {
    const headers = { authorization: `Bearer ${readingToken(app, site.id, { claims })}` }
    return app.anonymous.get(`/v1/spaces/${spaceId}`, headers)
  }
  const [guide, betaSpace] = spaceIds

  await app.admin.post(`/v1/spaces/${guide}/change-requests`, { subject: 'Secret plans' })
  const { status, body } = await get(guide)

  assert.is(status, 200)
  assert.equal(
    [body.title, body.changeRequests, body.mergeRules, body.parent, body.permissions.view],
    ['Guide', 0, { type: 'none' }, undefined, true],
  )
  assert.is(Object.values(body.permissions).filter(Boolean).length, 1)
  assert.is(body.revision, (await app.admin.get(`/v1/spaces/${guide}`)).body.revision)
  assert.is((await get(betaSpace)).status, 404)
  assert.is((await get(betaSpace, { beta: true })).status, 200)
  assert.is((await get(await newSpace('Elsewhere'), { beta: true })).status, 404)
})

test.run()

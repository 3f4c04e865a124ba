import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { newGroup, newSection, newSite, newSpace, treeOf } from './world.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const duplicate = (site: { path: string }, id: string, by = creator) =>
  by.post(`${site.path}/site-spaces/${id}/duplicate`)

test('a copy of a space is placed behind it, with its content', async () => {
  const site = await newSite(app, ['Two', 'Three'])
  const made = await duplicate(site, site.siteSpaces.Two as string)
  assert.is(made.status, 201, made.text)
  assert.is(made.headers.get('location'), `${app.url}${site.path}/site-spaces/${made.body.id}`)
  assert.is(await treeOf(app.admin, site), 'Two* Copy of Two Three')
  const { pages } = (await app.admin.get(`/v1/spaces/${made.body.space.id}/content/pages`)).body
  assert.is(pages.length, 1)
})

test('in a section with variants the copy is a variant, else it gets a section', async () => {
  const site = await newSite(app)
  const guides = await newSection(app, site, 'Guides')
  const api = await newSection(app, site, 'API')
  await newGroup(app, site, { title: 'G', sections: [api.id] })
  await app.admin.patch(`${site.path}/sections/${api.id}`, {
    icon: 'code',
    condition: 'visitor.claims.beta',
  })
  const [only] = api.siteSpaces
  const made = await duplicate(site, only.id)
  assert.is(made.status, 201, made.text)
  assert.is(
    await treeOf(app.admin, site),
    'Guides*(Guides*) [G: API(API*) Copy of API(Copy of API*)]',
  )
  const { items } = (await app.admin.get(`${site.path}/sections`)).body
  const copy = items.find((each: { title: string }) => each.title === 'Copy of API')
  assert.equal([copy.icon, copy.condition], ['code', 'visitor.claims.beta'])

  await app.admin.post(`${site.path}/site-spaces`, {
    spaceId: await newSpace(app, 'Old'),
    sectionId: guides.id,
  })
  await app.admin.patch(`${site.path}/site-spaces/${guides.siteSpaces[0].id}`, {
    condition: 'visitor.claims.alpha',
  })
  const variant = await duplicate(site, guides.siteSpaces[0].id)
  assert.equal([variant.body.section, variant.body.condition], [guides.id, 'visitor.claims.alpha'])
  assert.match(await treeOf(app.admin, site), /^Guides\*\(Guides\* Copy of Guides Old\)/)
})

test('a repeated request makes one copy', async () => {
  const site = await newSite(app, ['One'])
  const ask = () =>
    creator.request(
      'POST',
      `${site.path}/site-spaces/${site.siteSpaces.One}/duplicate`,
      undefined,
      { 'Idempotency-Key': 'once' },
    )
  const [first, again] = [await ask(), await ask()]
  assert.equal([first.status, again.body.id], [201, first.body.id])
  assert.is(await treeOf(app.admin, site), 'One* Copy of One')
})

test('nothing is copied for those who may not place it', async () => {
  const site = await newSite(app, ['One'])
  const count = async () => (await app.admin.get('/v1/orgs/acme/spaces?limit=1000')).body.count
  const before = await count()
  assert.is((await duplicate(site, site.siteSpaces.One as string, reader)).status, 403)
  assert.is((await duplicate(site, 'none')).status, 404)
  assert.is(await count(), before)
})

test.run()

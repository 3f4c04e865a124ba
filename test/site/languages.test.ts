import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateSiteSpace } from '../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../src/store/sites/sites.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'
import { changeAudience, sitePath } from './visitors.ts'

const app = await siteApp()
const { admin, ctx } = app
test.after(() => app.stop())

const english = {
  'README.md': '# Home\n',
  'guide.md': '# Guide\n',
  'only.md': '# Only in English\n',
}
const german = { 'README.md': '# Start\n', 'guide.md': '# Anleitung\n' }

/** Creates a site with variants in English and German. */
async function twoLanguages() {
  const made = await insertPublicSite(app, english)
  const { space } = await makeSpace(app, german, 'Deutsch')
  const added = await admin.post(`${sitePath(made.site)}/site-spaces`, { spaceId: space.id })
  assert.is(added.status, 201, added.text)

  for (const [id, language] of [
    [made.space, 'en'],
    [space.id, 'de'],
  ])
    assert.is((await admin.patch(`/v1/spaces/${id}`, { language })).status, 200)

  return {
    ...made,
    german: { siteSpace: added.body.id as string, base: `${made.base}deutsch/`, space: space.id },
  }
}

const alternates = (html: string) =>
  [...html.matchAll(/<link rel="alternate" hreflang="([^"]*)" href="([^"]*)"/g)].map(
    ([, lang, href]) => [lang, href],
  )

test('a page names the same page in other languages', async () => {
  const { base, german } = await twoLanguages()
  const own = `${app.ctx.publicUrl()}${base}`
  const expected = [
    ['en', `${own}guide`],
    ['de', `${own}deutsch/guide`],
    ['x-default', `${own}guide`],
  ]

  for (const address of [`${base}guide`, `${german.base}guide`])
    assert.equal(alternates((await openPage(app, address)).text).sort(), expected.sort(), address)
  assert.equal(alternates((await openPage(app, `${base}only`)).text), [])
  assert.equal(
    alternates((await openPage(app, base)).text).map(([, href]) => href),
    [own, `${own}deutsch/`, own],
  )
})

test('a menu leads to the same page of another variant, and to its first page otherwise', async () => {
  const { base } = await twoLanguages()
  const linkIn = async (address: string) =>
    /<a href="([^"]*)"[^>]*>Deutsch</.exec((await openPage(app, address)).text)?.[1]
  assert.is(await linkIn(`${base}guide`), `${base}deutsch/guide`)
  assert.is(await linkIn(`${base}only`), `${base}deutsch/`)
})

test('variants in one language have no alternates', async () => {
  const { base, german } = await twoLanguages()
  assert.is((await admin.patch(`/v1/spaces/${german.space}`, { language: 'en' })).status, 200)
  assert.equal(alternates((await openPage(app, `${base}guide`)).text), [])
})

test('a variant that a condition hides is not named, and other audiences name none', async () => {
  const made = await twoLanguages()
  for (const visibility of ['unlisted', 'share-link'] as const) {
    const base = await changeAudience(app, made, visibility)
    assert.equal(alternates((await openPage(app, `${base}guide`)).text), [])
  }

  updateSite(ctx.store, made.site, { visibility: 'public' })
  updateSiteSpace(ctx.store, made.german.siteSpace, { condition: 'visitor.claims.beta === true' })
  const { text } = await openPage(app, `${made.base}guide`)

  assert.equal(alternates(text), [])
  assert.not.match(text, /Deutsch|deutsch/)
})

test('breadcrumbs for search engines are addresses of the site', async () => {
  const { base } = await insertPublicSite(app, {
    'README.md': '# Home\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Home](README.md)\n* [Top](top/README.md)\n  * [Below](top/below.md)\n',
    'top/README.md': '# Top\n',
    'top/below.md': '# Below </script>\n',
  })
  const { text } = await openPage(app, `${base}top/below`)
  const [, json = ''] = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(text) ?? []
  const { itemListElement: items } = JSON.parse(json)
  const own = `${app.ctx.publicUrl()}${base}`

  assert.equal(
    items.map(({ item, position }: { item: string; position: number }) => [position, item]),
    [
      [1, `${own}top`],
      [2, `${own}top/below`],
    ],
  )
})

test.run()

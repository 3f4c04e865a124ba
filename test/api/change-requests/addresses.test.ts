import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { Browser } from '../../support/http/browser.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const files = { 'README.md': '# Home\n', 'my page.md': '# Page\n\nSeldomword.\n' }
const { api, space } = await makeSpace(app, files, 'Guide')
const { body: request } = await admin.post(`${api}/change-requests`, { subject: 'Words' })
const path = `${api}/change-requests/${request.number}`
const address = `${app.url}/app/s/${space.id}/changes/${request.number}`
const member = new Browser(app.url)
await member.signIn(app.user('Mia', 'read').token)
const openedBy = async (url: string, browser = member): Promise<number> =>
  (await browser.get(url.slice(app.url.length).replace(/#.*/, ''))).status

const { body: listed } = await admin.get(`${path}/content/pages`)
const page = listed.pages[1]

/** Returns the addresses of the change request, its content, its pages, and a page that is found. */
async function addressesNow(): Promise<string[]> {
  const { body: now } = await admin.get(path)
  const { body: inList } = await admin.get(`${api}/change-requests`)
  const { body: content } = await admin.get(`${path}/content`)
  const { body: pages } = await admin.get(`${path}/content/pages`)
  const { body: one } = await admin.get(`${path}/content/page/${page.id}`)
  const { body: found } = await admin.get(`${path}/search?query=Seldomword`)
  const all = [now, inList.items[0], content, pages.pages[1], one, found.items[0]]
  return all.map(each => each.urls.app as string)
}

const ofPage = `${address}/pages/${page.id}`
const expected = [address, address, address, ofPage, ofPage, ofPage]

test('urls.app of a change request and of its pages are pages of the workbench', async () => {
  assert.equal(await addressesNow(), expected)
  for (const url of [address, ofPage]) assert.is(await openedBy(url), 200, url)
  assert.match((await member.get(ofPage.slice(app.url.length))).text, 'Seldomword')
  assert.is(await openedBy(address, new Browser(app.url)), 303)
})

test('they do not depend on sites, where former addresses still lead', async () => {
  const { body: site } = await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })
  await admin.post(`/v1/orgs/acme/sites/${site.id}/publish`)
  assert.equal(await addressesNow(), expected)
  const former = `${app.url}/sites/acme/${site.basename}/~/changes/${request.number}/`
  assert.is(await openedBy(former), 200)
  await admin.delete(`/v1/orgs/acme/sites/${site.id}`)
  assert.equal(await addressesNow(), expected)
  const { body: shown } = await admin.get(api)
  assert.is(shown.urls.app, `${app.url}/app/s/${space.id}`)
})

test('urls.app of a comment names its place: a page, a change request, or the space', async () => {
  const post = async (scope: string, target: object) => {
    const comments = `${scope}/comments`
    const { body } = await admin.post(comments, { body: { markdown: 'Why?' }, ...target })
    const { body: reply } = await admin.post(`${comments}/${body.id}/replies`, {
      body: { markdown: 'So.' },
    })
    const { body: all } = await admin.get(comments)
    assert.is(all.items.find((each: { id: string }) => each.id === body.id).urls.app, body.urls.app)
    assert.is(reply.urls.app, body.urls.app.replace(/#.*/, `#reply-${reply.id}`))
    const opened = await member.get(body.urls.app.slice(app.url.length).replace(/#.*/, ''))
    assert.is(opened.status, 200)
    return { url: body.urls.app, id: body.id, text: opened.text, reply: reply.id }
  }
  const on = { page: page.id }

  const inRequest = await post(path, {})
  assert.is(inRequest.url, `${address}?comment=${inRequest.id}#comment-${inRequest.id}`)
  const onPage = await post(path, on)
  assert.is(onPage.url, `${ofPage}?comment=${onPage.id}#comment-${onPage.id}`)
  const inSpace = await post(api, on)
  assert.is(
    inSpace.url,
    `${app.url}/app/s/${space.id}/p/${page.id}?comment=${inSpace.id}#comment-${inSpace.id}`,
  )
  for (const { id, reply, text } of [inRequest, onPage, inSpace]) {
    assert.match(text, `id="comment-${id}"`)
    assert.match(text, `id="reply-${reply}"`)
  }

  const onSpace = await post(api, {})
  assert.is(onSpace.url, `${app.url}/app/s/${space.id}?comment=${onSpace.id}#comment-${onSpace.id}`)
})

test.run()

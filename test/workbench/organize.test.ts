import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace } from '../api/change-requests/workbench.ts'
import { startApp } from '../support/app.ts'
import { readIndependently } from '../support/git/repo.ts'
import { Browser } from '../support/http/browser.ts'
import { formIn } from './forms.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Docs\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Docs](README.md)\n* [A & Z](a.md)\n* [B](b.md)\n\n## Group\n\n* [C](c.md)\n',
  'a.md': '# A & Z\n\nSee [B](b.md).\n',
  'b.md': '# B\n',
  'c.md': '# C\n',
}

/** Returns a space, and what somebody who may edit it does in a browser. */
async function organizer(name: string) {
  const space = await makeSpace(app)
  await space.commit(files)
  const browser = new Browser(app.url)
  await browser.signIn(space.user(name, 'edit').token)
  const base = `/app/s/${space.id}`
  const idOf = async (path: string) =>
    (await admin.get(`/v1/spaces/${space.id}/content/path/${path}`)).body.id as string
  const last = async () =>
    (await admin.get(`/v1/spaces/${space.id}/change-requests/1`)).body.revision as string
  const send = async (
    path: string,
    fields: Record<string, string>,
    { name: form = '', shown = path } = {},
  ) => {
    const { text } = await browser.get(shown)
    return browser.post(path, { ...formIn(text, path, form), ...fields })
  }

  return {
    ...{ space, browser, base, idOf, send },
    summary: async () =>
      (await readIndependently(space.repo, await last(), 'SUMMARY.md')).toString(),
    textOf: async (path: string) =>
      (await readIndependently(space.repo, await last(), path)).toString(),
  }
}

const location = ({ headers }: { headers: Headers }) => headers.get('location') ?? ''

test('pages are moved by buttons, first in a new change request and then in the same', async () => {
  const { base, idOf, send, summary, browser } = await organizer('Una')
  const b = await idOf('b')
  const { text } = await browser.get(`${base}/organize`)
  assert.match(text, 'A &amp; Z')
  const moved = await send(`${base}/organize`, { do: `up ${b}` }, { name: 'move' })
  assert.is(location(moved), `${base}/changes/1/organize#p-${b}`)
  assert.match(await summary(), /\(b\.md\)\n\* \[A/)
  const at = `${base}/changes/1/organize`
  assert.is(location(await send(at, { do: `in ${b}` }, { name: 'move' })), `${at}#p-${b}`)
  assert.match(await summary(), /\(README\.md\)\n {2}\* \[B\]\(b\.md\)\n\* \[A/)
  const refused = await send(at, { do: `in ${b}` }, { name: 'move' })
  assert.is(refused.status, 409)
  assert.match(refused.text, 'This place no longer exists')
})

test('a page gets another title and address, and links to it follow', async () => {
  const { base, idOf, send, summary, textOf } = await organizer('Dua')
  const b = await idOf('b')
  const shown = `${base}/organize?page=${b}`
  const fields = { do: 'rename', title: 'Bee & <i>', slug: 'bee' }
  const sent = await send(`${base}/organize`, fields, { name: 'rename', shown })
  assert.is(sent.status, 303)
  assert.match(await summary(), '[Bee & \\<i>](bee.md)')
  assert.match(await textOf('a.md'), '[B](bee.md)')
  assert.match(await textOf('.gitbook.yaml'), 'bee.md')
})

test('groups are added and moved, and a title is needed', async () => {
  const { base, send, summary } = await organizer('Tria')
  const empty = await send(`${base}/organize`, { do: 'group', title: '' }, { name: 'group' })
  assert.is(empty.status, 400)
  await send(`${base}/organize`, { do: 'group', title: 'Other' }, { name: 'group' })
  assert.match(await summary(), /## Group[\s\S]*## Other/)
})

test('a new page is below another one, and its editor opens', async () => {
  const { base, idOf, send, summary, browser } = await organizer('Quattuor')
  const a = await idOf('a')
  const made = await send(`${base}/new`, { title: 'Fresh', into: a, description: 'New & good' })
  assert.match(location(made), new RegExp(`^${base}/changes/1/edit/`))
  const { status, text } = await browser.get(location(made))
  assert.is(status, 200)
  assert.equal(formIn(text, location(made)).title, 'Fresh')
  assert.match(await summary(), /a\.md\)\n {2}\* \[Fresh\]/)
})

test('a page is deleted with what links to it: the links become text, or lead to another page', async () => {
  const one = await organizer('Quinque')
  const b = await one.idOf('b')
  const at = `${one.base}/delete/${b}`
  assert.match((await one.browser.get(at)).text, 'a.md, line 3')
  const sent = await one.send(at, { links: 'text' })
  assert.is(location(sent), `${one.base}/changes/1/organize`)
  assert.match(await one.textOf('a.md'), 'See B.')

  const two = await organizer('Sex')
  const deleting = `${two.base}/delete/${await two.idOf('b')}`
  assert.is((await two.send(deleting, { links: 'replace', replace: '' })).status, 400)
  const c = await two.idOf('group/c')
  assert.is(
    (await two.send(deleting, { links: 'replace', replace: c, redirect: 'on' })).status,
    303,
  )
  assert.match(await two.textOf('a.md'), '(c.md)')
})

test('those who only read a space are refused, and strangers learn nothing', async () => {
  const { base, idOf, space } = await organizer('Septem')
  const a = await idOf('a')
  const reader = new Browser(app.url)
  await reader.signIn(space.user('Octo', 'read').token)
  const stranger = new Browser(app.url)
  await stranger.signIn(app.user('Novem').token)
  for (const path of ['organize', 'new', `delete/${a}`, `edit/${a}`]) {
    assert.is((await reader.get(`${base}/${path}`)).status, 403, path)
    assert.is((await stranger.get(`${base}/${path}`)).status, 404, path)
  }
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { Browser } from '../support/http/browser.ts'
import { until } from '../support/until.ts'
import { formIn } from './forms.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const hostile = '<img src=x onerror=alert(1)>'
const files = {
  'README.md': '# Home\n\nSee [Install](install.md) and [nothing](gone.md).\n',
  'install.md': `# Install ${hostile}\n\n{% hint style="warning" %}\nMind the gap.\n{% endhint %}\n\n![A picture](dot.svg)\n`,
  'deep/one.md': '# One\n',
  'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>',
  'SUMMARY.md':
    '# Summary\n\n* [Home](README.md)\n* [Install](install.md)\n  * [One](deep/one.md)\n',
}
const { api, space } = await makeSpace(app, files, `Guide ${hostile}`)
const { body: tree } = await admin.get(`${api}/content`)
const [home, install] = tree.pages
const path = `/app/s/${space.id}`
const pagePath = `${path}/p/${install.id}`
const browserOf = async (name: string, role: 'read' | 'comment' | 'review'): Promise<Browser> => {
  const browser = new Browser(app.url)
  await browser.signIn(app.user(name, role).token)
  return browser
}
const reader = await browserOf('Rita', 'read')
const commenter = await browserOf('Carl', 'comment')
const reviewer = await browserOf('Rosa', 'review')

test('a page has the text that readers get, the open branch of the list, and its files', async () => {
  const { status, text } = await reader.get(pagePath)
  assert.is(status, 200)
  assert.match(text, /class="hint[^"]*warning/)
  assert.match(text, `href="${path}/p/${home.id}"`)
  assert.match(text, '>One</a>')
  assert.not.match((await reader.get(path)).text, '>One</a>')
  assert.not.match(text, '<img src=x')
  const image = /<img [^>]*src="([^"]*dot\.svg[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  assert.is((await reader.get(image!.slice(app.url.length))).status, 200)
})

test('readers have no buttons and no form that they may not use', async () => {
  const { text } = await reader.get(pagePath)
  assert.not.match(text, `${path}/edit/`)
  assert.not.match(text, `${pagePath}/comments`)
  assert.not.match(text, `${path}/organize`)
  const { text: more } = await reviewer.get(pagePath)
  assert.match(more, `${path}/edit/${install.id}`)
  const links = [`/organize?page=${install.id}#chosen`, `/new?into=${install.id}`, '/organize']
  for (const link of [...links, `/delete/${install.id}`]) {
    assert.match(more, `href="${path}${link}"`)
    assert.is((await reviewer.get(path + link)).status, 200, link)
  }
})

test('a comment is posted, answered, resolved and opened again', async () => {
  const { csrf = '' } = formIn((await commenter.get(pagePath)).text, `${pagePath}/comments`)
  const posted = await commenter.post(`${pagePath}/comments`, {
    csrf,
    text: `Why **so**? ${hostile} ![x](https://evil.example/x.png)`,
  })
  assert.is(posted.status, 303)
  const { text } = await commenter.get(pagePath)
  assert.match(text, 'Your comment was posted.')
  assert.match(text, 'Why <strong>so</strong>?')
  assert.not.match(text, '<img src=x')
  assert.not.match(text, 'src="https://evil.example')
  const id = /#comment-(\w+)$/.exec(posted.headers.get('location') ?? '')?.[1]

  const thread = `${pagePath}/comments/${id}`
  const own = formIn((await reviewer.get(pagePath)).text, thread, `answer-${id}`)
  const reply = await reviewer.post(thread, { ...own, do: 'reply', text: 'Because.' })
  assert.is(reply.status, 303)
  const replyId = /#reply-(\w+)$/.exec(reply.headers.get('location') ?? '')?.[1]
  const edit = formIn((await reviewer.get(pagePath)).text, thread, `edit-${replyId}`)
  assert.is(edit.text, 'Because.')
  assert.is((await reviewer.post(thread, { ...edit, do: 'edit', text: 'So.' })).status, 303)
  assert.match((await reviewer.get(pagePath)).text, 'So.')
  const remove = formIn((await reviewer.get(pagePath)).text, thread, `delete-${replyId}`)
  assert.is((await reviewer.post(thread, { ...remove, do: 'delete' })).status, 303)
  assert.not.match((await reviewer.get(pagePath)).text, 'So.')
  const settle = formIn((await reviewer.get(pagePath)).text, thread, `settle-${id}`)
  for (const [what, said] of [
    ['resolve', 'The comment is resolved.'],
    ['reopen', 'The comment is open again.'],
  ] as const) {
    assert.is((await reviewer.post(thread, { ...settle, do: what })).status, 303)
    assert.match((await reviewer.get(pagePath)).text, said)
  }
  const empty = await reviewer.post(thread, { ...own, do: 'reply', text: ' ' })
  assert.is(empty.status, 400)
  assert.match(empty.text, 'Takes a text that is not empty.')
  const { body } = await admin.get(`${api}/comments`)
  assert.equal([body.items[0].id, body.items[0].status], [id, 'open'])
})

test('an empty or too long comment is shown again, with a sentence at its field', async () => {
  const { csrf = '' } = formIn((await commenter.get(pagePath)).text, `${pagePath}/comments`)
  const long = 'x'.repeat(20_001)
  for (const [text, said] of [
    ['   ', 'Takes a text that is not empty.'],
    [long, 'Takes up to 20000 characters.'],
  ] as const) {
    const reply = await commenter.post(`${pagePath}/comments`, { csrf, text })
    assert.is(reply.status, 400)
    assert.match(reply.text, said)
    assert.is(formIn(reply.text, `${pagePath}/comments`).text, text)
  }
  const refused = await reader.post(`${pagePath}/comments`, {
    csrf: await reader.csrf(),
    text: 'Hm',
  })
  assert.is(refused.status, 403)
  assert.match(refused.text, 'What you typed')
})

test('history leads to revisions, what they changed, and pages as they were', async () => {
  const { status } = await admin.post(`${api}/content`, {
    changes: [
      { operation: 'update_page', page: install.id, document: { markdown: 'Changed text.\n' } },
    ],
  })
  assert.ok(status < 300, String(status))
  const list = await reader.get(`${path}/history`)
  const [, oid] = /href="[^"]*\/history\/([0-9a-f]{40})"/.exec(list.text) ?? []
  const changed = await reader.get(`${path}/history/${oid}`)
  assert.is(changed.status, 200)
  assert.match(changed.text, `${path}/history/${oid}/p/${install.id}`)
  assert.match(changed.text, '>changed<')

  const own = await reader.get(`${pagePath}/history`)
  assert.match(own.text, `${path}/history/${oid}/p/${install.id}`)
  const then = await reader.get(`${path}/history/${tree.id}/p/${install.id}`)
  assert.match(then.text, 'Mind the gap.')
  assert.match(then.text, 'as it was at revision')
  assert.is((await reader.get(`${path}/history?before=1`)).status, 200)
  assert.is((await reader.get(`${path}/history?before=x`)).status, 400)
})

test('findings name the page, the line and what to do', async () => {
  const { status, text } = await reader.get(`${path}/findings`)
  assert.is(status, 200)
  assert.match(text, /gone\.md/)
  assert.match(text, 'README.md, line 3')
  assert.match(text, `${path}/p/${home.id}`)
})

test('the search finds pages that one may read, by their words', async () => {
  const { status, text } = await until('the page is found', async () => {
    const reply = await reader.get('/app/search?q=Install')
    return reply.text.includes(`${path}/p/`) ? reply : undefined
  })
  assert.is(status, 200)
  assert.match(text, `${path}/p/`)
  const outsider = new Browser(app.url)
  await outsider.signIn(app.user('Otto').token)
  assert.match((await outsider.get('/app/search?q=Install')).text, 'No page that you may read')
  const hostileQuery = encodeURIComponent('"><script>')
  assert.not.match((await reader.get(`/app/search?q=${hostileQuery}`)).text, '"><script>')
  assert.is((await reader.get('/app/search')).status, 200)
  assert.is((await reader.get(`/app/search?q=${'x'.repeat(600)}`)).status, 400)
})

test.run()

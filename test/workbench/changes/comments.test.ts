import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { formIn } from '../forms.ts'
import { openStage } from './stage.ts'

const app = await startApp()
test.after(() => app.stop())
const stage = await openStage(app, {
  'README.md': '# Home\n\nFirst paragraph.\n\nSecond paragraph.\n\nThird.\n',
})
const lea = await stage.member('Lea', 'edit')
const mia = await stage.member('Mia', 'read')

const pathOfPage = async (path: string): Promise<string> =>
  ((await lea.browser.get(`${path}/pages`)).headers.get('location') ?? '').replace(app.url, '')

/** Opens the form of a comment at a text of a page, and sends it. */
async function comment(page: string, view: 'page' | 'source', words: string, text: string) {
  const shown = view === 'page' ? page : `${page}?view=source`
  const html = await lea.open(shown)
  const from = html.indexOf(words)
  assert.ok(from >= 0, `"${words}" is not there`)
  const [, at = ''] = /at=((?:block|line)-[0-9a-f]{12}(?:-\d+)?)/.exec(html.slice(from)) ?? []
  const asked = `${page}?${view === 'source' ? 'view=source&' : ''}at=${at}`
  return lea.send(asked, `${page}/comments`, { text }, at)
}

test('comments stand at blocks and lines, and say where these have changed since', async () => {
  const { path, number } = await stage.request({
    'README.md': '# Home\n\nFirst <b>new</b> paragraph.\n\nSecond paragraph.\n\nThird.\n',
  })
  const page = await pathOfPage(path)
  assert.match(await comment(page, 'page', 'paragraph.', 'At a block'), /#comment-\w+$/)
  const to = await comment(page, 'source', 'Second paragraph.', 'At a line <img src=x>')
  assert.match(to, `${page}?view=source#comment-`)
  await comment(page, 'source', 'Third.', 'At the last line')

  const source = await lea.open(`${page}?view=source`)
  assert.match(source, /class="below".*?At a line/s)
  assert.not.match(source, '<img src=x')
  assert.not.match(source, 'On an earlier revision')
  assert.match(await lea.open(page), 'On lines of the source')

  // Another line in front of it moves a line; what it says stays.
  await stage.commit(
    { 'README.md': '# Home\n\nNew.\n\nOther.\n\nSecond paragraph.\n\nThird!\n' },
    number,
  )
  const later = await lea.open(`${page}?view=source`)
  assert.match(later, /class="below".*?At a line/s)
  assert.match(later, 'On earlier revisions')
  assert.match(later, /On an earlier revision: the line has changed since.*?At the last line/s)
  assert.match(
    await lea.open(page),
    /On an earlier revision: the block has changed since.*?At a block/s,
  )
  assert.match(await lea.open(path), /On an earlier revision: the line/)

  const { items } = (await app.admin.get(`${stage.api}/${number}/comments?order=asc`)).body
  assert.equal(
    items.map(({ target }: { target: { outdated?: boolean } }) => target.outdated),
    [true, undefined, true],
  )
  const [first] = items
  const one = await app.admin.get(`${stage.api}/${number}/comments/${first.id}`)
  assert.is(one.body.target.outdated, true)

  // What changes back is there again.
  await stage.commit({ 'README.md': '# Home\n\nSecond paragraph.\n\nThird.\n' }, number)
  const again = (await app.admin.get(`${stage.api}/${number}/comments?order=asc`)).body.items
  assert.is(again[2].target.outdated, undefined)
})

test('replies lead back to the view that has the comment, and nowhere else', async () => {
  const { path } = await stage.request({ 'README.md': '# Home\n\nFirst.\n' })
  const page = await pathOfPage(path)
  const at = await comment(page, 'source', 'First.', 'Why?')
  const [, id = ''] = /#comment-(\w+)$/.exec(at) ?? []
  const thread = `${path}/comments/${id}`
  const shown = `${page}?view=source`
  const to = await lea.send(shown, thread, { do: 'reply', text: 'So.' }, `answer-${id}`)
  assert.match(to, `${page}?view=source#reply-`)
  const form = formIn(await lea.open(shown), thread, `answer-${id}`)
  for (const back of ['../x', '//evil.example', 'a?view=evil', 'a#b', 'a\\b'])
    assert.is((await lea.browser.post(thread, { ...form, do: 'resolve', back })).status, 400, back)
  assert.not.match(await mia.open(shown), 'class="plus"')
})

test('a page of 2 MB is compared by line, and takes comments', async () => {
  const long = `# Long\n\n${'Words of a line.\n\n'.repeat(110_000)}`
  await stage.commit({ 'long.md': long, 'SUMMARY.md': '* [Home](README.md)\n* [Long](long.md)\n' })
  const { path } = await stage.request({ 'long.md': long.replace('a line', 'another line') })
  const page = await pathOfPage(path)
  const html = await lea.open(page)
  assert.match(html, 'another')
  assert.ok(html.length < 1_000_000, String(html.length))
  const to = await comment(page, 'source', 'another', 'Why?')
  assert.match(await lea.open(to.split('#')[0]!), /class="below".*?Why/s)
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { formIn } from '../forms.ts'
import { openStage } from './stage.ts'

const app = await startApp()
test.after(() => app.stop())
const stage = await openStage(app, {
  'README.md': '# Home\n\nWords.\n',
  'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Old](old.md)\n',
  'old.md': '# Old\n',
  'data.csv': 'a\n',
})
const lea = await stage.member('Lea', 'edit')
const mia = await stage.member('Mia', 'read')

/** Returns the ids of the changed pages, in the order of the list. */
const pagesOf = (html: string, path: string): string[] => [
  ...new Set([...html.matchAll(new RegExp(`href="${path}/pages/([\\w-]+)"`, 'g'))].map(m => m[1]!)),
]

test('pages and files are marked as viewed by each user, until they change', async () => {
  const { path, number } = await stage.request({
    'README.md': '# Home\n\nOther words.\n',
    'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [New](new.md)\n',
    'old.md': null,
    'new.md': '# New\n',
    'data.csv': 'b\n',
  })
  const [first = ''] = (await mia.browser.get(`${path}/pages`)).headers.get('location')!.split('?')
  const home = first.replace(app.url, '')
  const html = await mia.open(home)
  assert.match(html, '0 of 3 viewed')
  const [, , removed = ''] = pagesOf(html, path)

  for (const page of [home, `${path}/pages/${removed}`]) {
    const id = page.split('/').at(-1)!
    const to = await mia.send(page, `${path}/viewed/pages/${id}`, { viewed: 'yes' })
    assert.is(to, page)
  }
  assert.match(await mia.open(home), '2 of 3 viewed')
  assert.match(await mia.open(home), '✓ Viewed')
  assert.match(await lea.open(home), '0 of 3 viewed')

  const files = await mia.open(`${path}/files`)
  const [, item = ''] = new RegExp(`action="${path}/viewed/files/([^"]+)"`).exec(files) ?? []
  const back = await mia.send(`${path}/files?file=data.csv`, `${path}/viewed/files/${item}`, {
    viewed: 'yes',
  })
  assert.is(back, `${path}/files?file=data.csv`)
  assert.match(await mia.open(`${path}/files`), '1 of 1 viewed')

  const seen = formIn(await mia.open(home), `${path}/viewed/pages/${home.split('/').at(-1)}`)
  await stage.commit({ 'README.md': '# Home\n\nThird words.\n' }, number)
  assert.match(await mia.open(home), '1 of 3 viewed')
  const late = await mia.browser.post(`${path}/viewed/pages/${home.split('/').at(-1)}`, {
    ...seen,
    viewed: 'yes',
  })
  assert.is(late.status, 409)
  assert.match(late.text, 'The page or file has changed since you viewed it.')

  await mia.send(`${path}/pages/${removed}`, `${path}/viewed/pages/${removed}`, { viewed: 'no' })
  assert.match(await mia.open(home), '0 of 3 viewed')
})

test('a page is viewed with the reusable content that it showed', async () => {
  const shared = '.gitbook/includes/shared.md'
  await stage.commit({ 'README.md': `# Home\n\n{% include "${shared}" %}\n`, [shared]: 'One.\n' })
  const { path, number } = await stage.request({ [shared]: 'Two.\n' })
  const [page = ''] = pagesOf(await mia.open(path), path)
  const [home, mark] = [`${path}/pages/${page}`, `${path}/viewed/pages/${page}`]
  const before = formIn(await mia.open(home), mark)
  await mia.send(home, mark, { viewed: 'yes' })
  assert.match(await mia.open(home), '1 of 1 viewed')

  const files = await mia.open(`${path}/files`)
  const [, item = ''] = new RegExp(`action="${path}/viewed/files/([^"]+)"`).exec(files) ?? []
  await mia.send(`${path}/files`, `${path}/viewed/files/${item}`, { viewed: 'yes' })
  assert.match(await mia.open(`${path}/files`), '1 of 1 viewed')

  await stage.commit({ [shared]: 'Three.\n' }, number)
  assert.match(await mia.open(home), '0 of 1 viewed')
  assert.match(await mia.open(`${path}/files`), '0 of 1 viewed')
  assert.is((await mia.browser.post(mark, { ...before, viewed: 'yes' })).status, 409)
})

test('forged fields of a mark are refused, and lead nowhere else', async () => {
  const { path } = await stage.request({ 'README.md': '# Home\n\nMore.\n' })
  const [page = ''] = pagesOf(await mia.open(path), path)
  const shown = `${path}/pages/${page}`
  const form = { ...formIn(await mia.open(shown), `${path}/viewed/pages/${page}`), viewed: 'yes' }
  for (const [fields, at, status] of [
    [{ back: '//evil.example' }, `${path}/viewed/pages/${page}`, 400],
    [{ back: 'pages/../../x' }, `${path}/viewed/pages/nothing`, 404],
    [{ blob: 'x' }, `${path}/viewed/pages/${page}`, 400],
    [{ viewed: 'maybe' }, `${path}/viewed/pages/${page}`, 400],
    [{ blob: '' }, `${path}/viewed/pages/${page}`, 409],
  ] as const) {
    const sent = await mia.browser.post(at, { ...form, ...fields })
    assert.is(sent.status, status, JSON.stringify(fields))
  }
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { fieldName } from '../../../src/workbench/changes/conflicts/fields.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { formIn } from '../forms.ts'

const app = await startApp()
test.after(() => app.stop())
const lea = app.user('Lea', 'edit')
const mia = app.user('Mia', 'read')
const asLea = new Browser(app.url)
const asMia = new Browser(app.url)
await asLea.signIn(lea.token)
await asMia.signIn(mia.token)

const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' })
const api = `/v1/spaces/${space.id}/change-requests`
const repo = spaceRepository(app.ctx, space.id)
const contents = (title: string) =>
  `# Summary\n\n* [Home](README.md)\n* [${title}](install.md)\n* [Last](last.md)\n`
await commitFiles(repo, {
  'README.md': '# Home\n',
  'SUMMARY.md': contents('Install'),
  'install.md': '# Install\n\nRun it.\n\nKeep.\n',
  'last.md': '# Last\n\nWords.\n',
  'a b|c.md': '# Odd <b>name</b>\n\nWords.\n',
})

/** Opens a change request with files, and publishes others. Returns the path of its conflicts. */
async function conflicting(
  mine: Record<string, string>,
  published: Record<string, string>,
): Promise<{ path: string; number: number }> {
  const { body } = await lea.post(api, { subject: 'Mine' })
  await commitFiles(repo, mine, { ref: `refs/heads/change-requests/${body.number}` })
  await commitFiles(repo, published)
  return { path: `/app/s/${space.id}/changes/${body.number}/conflicts`, number: body.number }
}

const page = async (path: string): Promise<string> => (await asLea.get(path)).text

/** Returns the fields of a form that choose, and its other fields. */
const fieldsOf = async (path: string): Promise<Record<string, string>> =>
  formIn(await page(path), path)

/** Returns the name of the first choice of a kind in a page. */
async function choice(path: string, kind: string): Promise<string> {
  const [, name = ''] = new RegExp(`name="(${kind}\\|[^"]+)"`).exec(await page(path)) ?? []
  return name
}

const textOf = async (number: number, path: string): Promise<string> =>
  (await app.admin.get(`${api}/${number}/content/path/${path}?format=markdown`)).body.markdown

test('a conflict in a page is resolved with a text of one side, both, or a new one', async () => {
  const { path, number } = await conflicting(
    { 'install.md': '# Install\n\nRun it here.\n\nKeep.\n' },
    { 'install.md': '# Install\n\nRun it there.\n\nKeep.\n' },
  )
  const html = await page(path)
  assert.match(html, 'Run it here.')
  assert.match(html, 'Run it there.')
  assert.match(html, 'git pull --no-rebase')

  const hunk = await choice(path, 'hunk')
  const text = hunk.replace('hunk|', 'text|')
  const fields = await fieldsOf(path)
  const none = await asLea.post(path, fields)
  assert.is(none.status, 409)
  assert.match(none.text, 'lacks a choice')

  const sent = await asLea.post(path, { ...fields, [hunk]: 'write', [text]: 'Run it anywhere.' })
  assert.is(sent.status, 303, sent.text)
  assert.match(await textOf(number, 'install'), /Run it anywhere\.\n\nKeep\./)
  assert.match(await page(path), 'No conflicts')
})

test('a result is shown as it will read, with the choices kept, and nothing is written', async () => {
  const before = '# Tables\n\nA first line.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nEnd.\n'
  await commitFiles(repo, { 'install.md': before })
  const { path, number } = await conflicting(
    { 'install.md': before.replace('1 | 2', '1 | <b>mine</b>').replace('End.', 'My end.') },
    { 'install.md': before.replace('1 | 2', '1 | *theirs*').replace('End.', 'Their end.') },
  )
  const fields = await fieldsOf(path)
  const names = [...(await page(path)).matchAll(/name="(hunk\|[^"]+)"/g)].map(([, name]) => name!)
  const [row, end] = [...new Set(names)] as [string, string]
  const preview = { ...fields, do: 'preview' }

  const open = await asLea.post(path, { ...preview, [row]: 'theirs' })
  assert.is(open.status, 200)
  assert.match(open.text, 'Choose a version for every place of this file')
  assert.not.match(open.text, 'role="alert"')

  const typed = { [end.replace('hunk|', 'text|')]: 'Typed **end**.' }
  const shown = await asLea.post(path, { ...preview, [row]: 'both', [end]: 'write', ...typed })
  const result = /class="result"[^>]*>(.*?)<\/section>/s.exec(shown.text)?.[1] ?? ''
  // A row of a table is read as one only within its table.
  assert.match(result, /<td[^>]*>.*mine/)
  assert.match(result, /<td[^>]*>.*<em>theirs<\/em>/)
  assert.match(result, '<strong>end</strong>')
  const kept = formIn(shown.text, path)
  assert.is(kept[row], 'both')
  assert.is(kept[end], 'write')
  assert.is(kept[Object.keys(typed)[0]!], 'Typed **end**.')
  assert.match(await textOf(number, 'install'), 'My end.')

  const sent = await asLea.post(path, kept)
  assert.is(sent.status, 303, sent.text)
  assert.match(await textOf(number, 'install'), 'Typed **end**.')

  const late = await asLea.post(path, { ...kept, do: 'preview' })
  assert.is(late.status, 200)
  assert.match(late.text, 'is not on this page any more')
  assert.match(late.text, 'Typed **end**.')
})

test('a file that one side removed is shown as what is left of it', async () => {
  await commitFiles(repo, { 'gone.md': '# Gone\n\nWords.\n' })
  const { body } = await lea.post(api, { subject: 'Mine' })
  const path = `/app/s/${space.id}/changes/${body.number}/conflicts`
  await commitFiles(
    repo,
    { 'gone.md': '# Gone\n\nMy words.\n' },
    { ref: `refs/heads/change-requests/${body.number}` },
  )
  await commitFiles(repo, { 'gone.md': null })

  const file = fieldName('file', 'gone.md')
  const fields = { ...(await fieldsOf(path)), do: 'preview' }
  assert.match(
    (await asLea.post(path, { ...fields, [file]: 'theirs' })).text,
    'The file is removed.',
  )
  const mine = await asLea.post(path, { ...fields, [file]: 'ours' })
  assert.match(mine.text, /class="result".*My words\..*<\/section>/s)
})

test('a conflict in the table of contents is resolved by its entries', async () => {
  const { path, number } = await conflicting(
    { 'SUMMARY.md': contents('Set up') },
    { 'SUMMARY.md': contents('Get started') },
  )
  const html = await page(path)
  assert.match(html, '“Set up”')
  assert.match(html, '“Get started”')
  const entry = await choice(path, 'entry')
  const fields = { ...(await fieldsOf(path)), [entry]: 'theirs' }
  const shown = await asLea.post(path, { ...fields, do: 'preview' })
  assert.match(shown.text, '<bdi>Get started</bdi>')
  assert.not.match(shown.text, '<bdi>Set up</bdi>')
  const sent = await asLea.post(path, fields)
  assert.is(sent.status, 303, sent.text)
  const { body } = await app.admin.get(`${api}/${number}/content/path/install`)
  assert.is(body.title, 'Get started')
})

test('a choice is for the texts that were looked at, and what was typed is kept', async () => {
  const { path } = await conflicting(
    { 'last.md': '# Last\n\nMine.\n', 'a b|c.md': '# Odd\n\nMine.\n' },
    { 'last.md': '# Last\n\nTheirs.\n', 'a b|c.md': '# Odd\n\nTheirs.\n' },
  )
  const fields = await fieldsOf(path)
  const names = [...(await page(path)).matchAll(/name="(hunk\|[^"]+)"/g)].map(([, name]) => name!)
  const chosen = Object.fromEntries(names.map(name => [name, 'write']))
  const texts = Object.fromEntries(
    names.map(name => [name.replace('hunk|', 'text|'), 'My <b>words</b>']),
  )
  await commitFiles(repo, { 'last.md': '# Last\n\nOther.\n' })

  const late = await asLea.post(path, { ...fields, ...chosen, ...texts })
  assert.is(late.status, 409)
  assert.match(late.text, 'Other.')
  assert.match(late.text, 'My &lt;b>words&lt;/b>')
})

test('only writers resolve conflicts', async () => {
  const { path } = await conflicting({ 'README.md': '# Mine\n' }, { 'README.md': '# Theirs\n' })
  const seen = await asMia.get(path)
  assert.is(seen.status, 200)
  assert.not.match(seen.text, `action="${path}"`)
  const { csrf } = formIn(seen.text, '/sso/sign-out')
  const { status } = await asMia.post(path, {
    csrf: csrf!,
    [fieldName('file', 'README.md')]: 'ours',
    do: 'preview',
  })
  assert.is(status, 403)
})

test.run()

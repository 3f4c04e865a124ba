import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { removeRepository } from '../../../src/actions/spaces/remove-repository.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'

const app = await startApp()
const { api, space } = await makeSpace(app, {
  'SUMMARY.md':
    '# Table of contents\n\n* [One](README.md)\n* [Web](https://example.org)\n\n## Group\n\n* [Two](two.md)\n',
  'README.md': '# One\n',
  'two.md': '# Two\n',
})
test.after(() => app.stop())

type Listed = { id: string; title: string }
const { pages } = (await app.admin.get(`${api}/content/pages`)).body as { pages: Listed[] }
const idOf = (title: string) => pages.find(page => page.title === title)?.id

const refusal = async (query: string, status: number, says: RegExp, path = `${api}/pdf`) => {
  const { status: got, body } = await app.admin.get(path + query)
  assert.is(got, status, JSON.stringify(body))
  assert.match(body.error.message, says)
}

test('a request that cannot be printed is refused with a reason', async () => {
  await refusal('?page=nobody', 404, /no page "nobody"/)
  await refusal('?only=true', 400, /"only" requires "page"/)
  await refusal(`?page=${idOf('Web')}`, 400, /"Web" is a link/)
  await refusal(`?page=${idOf('Group')}&only=true`, 400, /Leave out "only"/)
  await refusal('?only=yes', 400, /"only" in the query/)
  await refusal('', 404, /no change request/, `${api}/change-requests/99/pdf`)
})

test('a space with too many pages is refused with a hint', async () => {
  const files: Record<string, string> = { 'README.md': '# One\n' }
  for (let i = 0; i < 501; i++) files[`part/${i}.md`] = `# Page ${i}\n`
  const many = await makeSpace(app, files)
  await refusal(
    '',
    413,
    /has 50\d pages, and a PDF can have at most 500\. Set "page"/,
    `${many.api}/pdf`,
  )
})

test('more text than can be printed in time is refused before it is printed', async () => {
  const files: Record<string, string> = { 'README.md': '# One\n' }
  for (let i = 0; i < 7; i++) files[`part/${i}.md`] = `# Page ${i}\n\n${'word '.repeat(200_000)}`
  const { api: large } = await makeSpace(app, files)
  const reply = await fetch((await app.admin.get(`${large}/pdf`)).body.url)
  assert.is(reply.status, 413)
  assert.match(await reply.text(), /more than 6 MB of text\. Set/)
})

test('an address is valid unmodified, for an hour, while its user can read the space', async () => {
  const reader = app.user('Rita', 'read')
  const { url } = (await reader.get(`${api}/pdf?page=${idOf('One')}`)).body as { url: string }
  const ask = async (address: string) => {
    const reply = await fetch(address)
    return { status: reply.status, text: await reply.text() }
  }

  const changed: [string, string][] = [
    [`page=${idOf('One')}`, `page=${idOf('Group')}`],
    ['user=rita', 'user=ada'],
    [space.id, 'other'],
    ['Guide.pdf?', 'Other.pdf?'],
    ['One.pdf?', 'Other.pdf?'],
    ['signature=', 'only=true&signature='],
    [/expires=\d+/.exec(url)?.[0] ?? '', 'expires=99999999999'],
    [/signature=.*/.exec(url)?.[0] ?? '', ''],
  ]

  for (const [from, to] of changed) {
    if (!url.includes(from)) continue
    const { status, text } = await ask(url.replace(from, to))
    assert.is(status, 404, `${from} → ${to}: ${text}`)
    assert.match(text, /no PDF at this address/)
  }

  const late = String(Math.floor(Date.now() / 1000) - 1)
  const { pathname, searchParams } = new URL(url)
  const [, , spaceId, revision, name] = pathname.split('/')
  const signed = [spaceId, revision, searchParams.get('page'), false, 'rita', late, name].join('\n')

  searchParams.set('expires', late)
  searchParams.set('signature', app.ctx.keys.sign('pdf', signed))
  const over = await ask(`${app.url}${pathname}?${searchParams}`)

  assert.is(over.status, 404)
  assert.match(over.text, /expired after an hour/)
  assert.is((await ask(url)).status, 200)
  await app.admin.delete('/v1/orgs/acme/members/rita')
  assert.is((await ask(url)).status, 404)
})

test('deleting a space deletes its PDFs', async () => {
  const { url } = (await app.admin.get(`${api}/pdf?page=${idOf('One')}`)).body as { url: string }
  assert.is((await fetch(url)).status, 200)
  const folder = join(app.dataDir, 'prints', space.id)
  assert.ok(existsSync(folder))
  assert.is((await app.admin.delete(api)).status, 204)
  assert.is((await fetch(url)).status, 404)
  await removeRepository(app.ctx, space.id)
  assert.not(existsSync(folder))
})

test.run()

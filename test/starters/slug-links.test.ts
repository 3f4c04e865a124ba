import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'

const app = await startApp()
test.after(() => app.stop())

const blobOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

const files = {
  'README.md':
    '# Home\n\n[Setup](/setup) [again](setup#ports) [far](/guide/far/) [gone](/nowhere) [all](more)\n',
  'guide/install.md': '---\nslug: /setup\n---\n# Install\n\n[me](/setup) [far](far)\n',
  'guide/last.md': '---\nslug: far\n---\n# Last\n\n[up](../setup)\n',
  // A file comes before a page that asks for its address.
  'more.md': '# More\n',
  'other.md': '---\nslug: /more\n---\n# Other\n',
}

/** Sends files into a space. */
async function send(space: string, files: Record<string, string>): Promise<void> {
  const sent = await app.admin.post(`/v1/spaces/${space}/git/folder`, {
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, `100644 ${blobOf(text)}`]),
    ),
    contents: Object.values(files).map(text => Buffer.from(text).toString('base64')),
  })
  assert.is(sent.status, 200, sent.text)
}

/** Makes a space with the files. Returns its id. */
async function newSpace(): Promise<string> {
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs', empty: true })
  await send(body.id, files)
  return body.id
}

const textOf = async (space: string, path: string): Promise<string> =>
  (await app.admin.get(`/v1/spaces/${space}/content/path/${path}?format=markdown`)).body.markdown

test('links by the address that a page asks for lead to it, and follow a new one', async () => {
  const space = await newSpace()
  const { body } = await app.admin.get(`/v1/spaces/${space}/links`)
  const found = body.items.map(
    ({ link, status }: { link: { path: string; target: string }; status: string }) =>
      `${link.path} ${link.target} ${status}`,
  )

  assert.equal(
    found.filter((line: string) => line.endsWith(' broken')),
    ['README.md setup#ports broken', 'README.md /nowhere broken'],
  )
  const install = (await app.admin.get(`/v1/spaces/${space}/content/path/setup`)).body
  const changes = [{ operation: 'update_page', page: install.id, slug: 'start' }]
  const changed = await app.admin.post(`/v1/spaces/${space}/content`, { changes })

  assert.is(changed.status, 200, changed.text)
  assert.match(
    await textOf(space, 'readme'),
    '[Setup](/start) [again](start#ports) [far](/guide/far/) [gone](/nowhere) [all](more)',
  )
  assert.match(await textOf(space, 'start'), '[me](/start) [far](far)')
  assert.match(await textOf(space, 'guide/far'), '[up](../start)')
})

test('a site links to the page that asks for an address, and leads on from its former one', async () => {
  const space = await newSpace()
  const sites = '/v1/orgs/acme/sites'
  const { id } = (await app.admin.post(sites, { title: 'Docs', spaces: [space] })).body
  const { urls } = (await app.admin.post(`${sites}/${id}/publish`)).body
  const html = await (await fetch(urls.published)).text()
  const base = new URL(urls.published).pathname

  for (const link of [`${base}setup"`, `${base}setup#ports"`, `${base}guide/far"`])
    assert.match(html, `href="${link}`)

  const slug = (text: string) => text.replace('slug: /setup', 'slug: /begin')
  await send(space, { ...files, 'guide/install.md': slug(files['guide/install.md']) })
  const former = await fetch(`${urls.published}setup`)

  assert.equal([former.status, former.url], [200, `${urls.published}begin`])
})

test('links and addresses with the id of a page of Docusaurus lead to it', async () => {
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Ids', empty: true })
  const texts = {
    'README.md': '# Home\n\n[Setup](guide/install#ports) [again](/guide/install/) [gone](/setup)\n',
    'guide/02-setup.md': '---\nid: install\n---\n# Setup\n\n## Ports\n',
  }
  await send(body.id, texts)
  const links = await app.admin.get(`/v1/spaces/${body.id}/links`)
  assert.equal(
    links.body.items.map(
      ({ link, status }: { link: { target: string }; status: string }) =>
        `${link.target} ${status}`,
    ),
    ['guide/install#ports ok', '/guide/install/ ok', '/setup broken'],
  )
  const sites = '/v1/orgs/acme/sites'
  const { id } = (await app.admin.post(sites, { title: 'Ids', spaces: [body.id] })).body
  const { urls } = (await app.admin.post(`${sites}/${id}/publish`)).body
  const base = new URL(urls.published).pathname
  const html = await (await fetch(urls.published)).text()
  const former = await fetch(`${urls.published}guide/install`)

  assert.match(html, `href="${base}guide/02-setup#ports"`)
  assert.match(html, `href="${base}guide/02-setup"`)
  assert.equal([former.status, former.url], [200, `${urls.published}guide/02-setup`])
  assert.match(await textOf(body.id, 'guide/install'), '# Setup')

  await send(body.id, { ...texts, 'guide/02-setup.md': '---\nid: begin\n---\n# Setup\n' })
  const again = await fetch(`${urls.published}guide/install`)
  assert.equal([again.status, again.url], [200, `${urls.published}guide/02-setup`])
})

test.run()

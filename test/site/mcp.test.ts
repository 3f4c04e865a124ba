import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SignJWT } from 'jose'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../src/jobs/all.ts'
import { updateSite } from '../../src/store/sites/sites.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { holdSearch } from '../support/hold-search.ts'
import { send } from '../support/http/send.ts'
import { publishedSite } from '../support/sites.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'

const app = await siteApp()
const { admin, ctx } = app
holdSearch(ctx)
test.after(() => app.stop())

const files = {
  'README.md':
    '# Home\n\nWelcome.\n\n{% if visitor.claims.beta === true %}\nBeta words.\n{% endif %}\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Beta](beta.md)\n* [Install it](guide/install.md)\n',
  'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n\nHiddenword text.\n',
  'guide/install.md': '# Install it\n\n## With npm\n\nRun the Openword command.\n',
}
const path = (site: string) => `/v1/orgs/acme/sites/${site}`

/** Updates the search index of a space. */
const index = (spaceId: string): Promise<unknown> =>
  jobs['index-search']!(ctx, { spaceId }, { signal: new AbortController().signal, attempt: 1 })

/** Creates a site of one space, which can be searched. */
async function insertSite(set: Parameters<typeof insertPublicSite>[2] = {}) {
  const made = await insertPublicSite(app, files, set)
  await index(made.space)
  return made
}

type Mode = 'auto' | 'legacy'
type Result = {
  isError?: boolean
  text: string
  hits: { title: string; path: string; url: string }[]
}

/** Connects the official client to the endpoint of a site. */
async function connect(base: string, headers: Record<string, string> = {}, mode: Mode = 'auto') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const address = new URL(`${app.url}${base}~gitbook/mcp`)
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
  const call = async (name: string, given: Record<string, unknown>): Promise<Result> => {
    const answer = await client.callTool({ name, arguments: given })
    const [first] = answer.content as { text: string }[]
    const { hits = [] } = (answer.structuredContent ?? {}) as { hits?: Result['hits'] }
    return { isError: answer.isError === true, text: first?.text ?? '', hits }
  }

  return { client, call }
}

const problemOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: Error) => error.message,
  )

for (const mode of ['auto', 'legacy'] as const)
  test(`a client (${mode}) lists the tools, searches, and reads what it finds`, async () => {
    const { base } = await insertSite()
    const { client, call } = await connect(base, {}, mode)
    const { tools } = await client.listTools()
    assert.equal(tools.map(({ name }) => name).sort(), ['getPage', 'searchDocumentation'])
    const found = await call('searchDocumentation', { query: 'openword' })
    const [hit] = found.hits

    assert.equal([hit?.title, hit?.path], ['Install it: With npm', 'install'])
    assert.is(hit?.url, `${app.url}${base}install#with-npm`)
    assert.match(found.text, 'Run the Openword command.')

    for (const url of [hit!.url, hit!.path, `${base}install`, 'install.md', '/install']) {
      const page = await call('getPage', { url })
      assert.equal([page.isError, page.text], [false, files['guide/install.md']], url)
    }

    assert.match((await call('getPage', { url: '' })).text, 'Welcome.')
    assert.match(
      (await call('searchDocumentation', { query: 'instll' })).text,
      'These have "install"',
    )
    await client.close()
  })

test('a page that is not there, and an address elsewhere, are errors with a sentence', async () => {
  const { base } = await insertSite()
  const other = await insertSite()
  const { client, call } = await connect(base)

  for (const url of [
    'nowhere',
    'beta',
    `${app.url}${other.base}install`,
    'https://example.org/',
    '%E0%A4%A',
    '/\\[',
    '/\\example.org/',
  ]) {
    const page = await call('getPage', { url })
    assert.is(page.isError, true, url)
    assert.match(page.text, 'There is no page at')
  }

  const empty = await client.callTool({ name: 'searchDocumentation', arguments: { query: '' } })

  assert.is(empty.isError, true)
  assert.match(
    await problemOf(client.callTool({ name: 'deletePage', arguments: {} })),
    'deletePage',
  )
  await client.close()
})

test('the endpoint finds and reads pages of the other sections of the site', async () => {
  const first = await makeSpace(app, files, 'Handbook')
  const second = await makeSpace(
    app,
    { 'README.md': '# API\n\nAll calls.\n', 'get.md': '# Get\n\nFarword.\n' },
    'API',
  )

  for (const { space } of [first, second]) await index(space.id)
  const site = await publishedSite(app, [first.space.id], { visibility: 'public' })
  const made = await admin.post(`${path(site.id)}/sections`, {
    spaceId: second.space.id,
    title: 'API',
  })

  assert.is(made.status, 201, made.text)
  const { client, call } = await connect(`/sites/acme/${site.basename}/`)
  const [hit] = (await call('searchDocumentation', { query: 'farword' })).hits

  assert.is(hit?.path, 'api/get')
  assert.match((await call('getPage', { url: hit!.url })).text, 'Farword.')
  assert.match((await call('getPage', { url: 'api/get' })).text, 'Farword.')
  await client.close()
})

test('a share link has an endpoint below its key, and none without it', async () => {
  const { base, site } = await insertSite({ visibility: 'share-link' })
  const link = (await admin.post(`${path(site)}/share-links`, { name: 'For you' })).body
  const shared = new URL(link.urls.published).pathname
  const { client, call } = await connect(shared)
  const [hit] = (await call('searchDocumentation', { query: 'openword' })).hits

  assert.match(hit?.url ?? '', shared)
  assert.is((await call('getPage', { url: hit!.url })).isError, false)
  await client.close()
  assert.match(await problemOf(connect(base)), /404|No content found/)
})

test('conditions hold for clients: each reads what its visitor token admits', async () => {
  const made = await insertSite({ visibility: 'visitor-auth' })
  const jsonSchema = {
    type: 'object',
    properties: { beta: { type: 'boolean', description: 'Takes part in the beta.' } },
    additionalProperties: false,
  }

  assert.is((await admin.put(`${path(made.site)}/adaptive-schema`, { jsonSchema })).status, 200)
  updateSite(ctx.store, made.site, { adaptive: 1 })
  const { privateKey } = (await admin.get(`${path(made.site)}/publishing/auth`)).body
  const sign = (claims: Record<string, unknown>) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.from(privateKey))

  assert.match(await problemOf(connect(made.base)), /401|Unauthorized|sign in/i)
  assert.match(
    await problemOf(connect(made.base, { authorization: 'Bearer bad' })),
    /401|Unauthorized|sign in/i,
  )
  const plain = await connect(made.base, { authorization: `Bearer ${await sign({})}` })

  assert.equal((await plain.call('searchDocumentation', { query: 'hiddenword' })).hits, [])
  assert.is((await plain.call('getPage', { url: 'beta' })).isError, true)
  assert.not.match((await plain.call('getPage', { url: '' })).text, 'Beta words.')
  await plain.client.close()
  const beta = await connect(made.base, { authorization: `Bearer ${await sign({ beta: true })}` })

  assert.is((await beta.call('searchDocumentation', { query: 'hiddenword' })).hits.length, 1)
  assert.match((await beta.call('getPage', { url: 'beta' })).text, 'Hiddenword')
  assert.match((await beta.call('getPage', { url: '' })).text, 'Beta words.')
  await beta.client.close()
  const arrived = await openPage(app, `${made.base}?jwt_token=${await sign({ beta: true })}`)
  const cookie = (arrived.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
  const signedIn = await connect(made.base, { cookie })

  assert.match((await signedIn.call('getPage', { url: 'beta' })).text, 'Hiddenword')
  await signedIn.client.close()
})

test('on a site for members the token of a user finds and reads what the user may read', async () => {
  const { base, site, space } = await insertSite()
  await admin.patch(path(site), { membersOnly: true })
  const member = app.user('Mia', 'read')
  const outsider = app.user('Stan')
  const guest = app.user('Gus', null)
  await admin.post(`/v1/spaces/${space}/permissions`, { users: [guest.id], role: 'read' })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  for (const { token } of [member, guest]) {
    const { client, call } = await connect(base, bearer(token))
    const { hits } = await call('searchDocumentation', { query: 'openword' })
    assert.equal(
      hits.map(hit => hit.path),
      ['install'],
    )
    assert.match((await call('getPage', { url: hits[0]!.url })).text, 'Openword')
    await client.close()
  }

  const other = `stm_${'x'.repeat(43)}`
  const missing = await problemOf(connect(base))
  assert.is(await problemOf(connect(base, bearer(outsider.token))), missing)
  assert.match(missing, 'No content found')
  assert.match(await problemOf(connect(base, bearer(other))), 'HTTP 401')
})

test('a site that agents may not read has no endpoint, and no texts for language models', async () => {
  const { base } = await insertSite({ agents_context: 'excluded' })
  for (const path of ['llms.txt', 'llms-full.txt', 'sitemap.md', 'README.md', 'install.md'])
    assert.is((await openPage(app, base + path)).status, 404, path)
  const page = await openPage(app, `${base}install`, { accept: 'text/html' })
  assert.is(page.status, 200)
  assert.is(page.headers.get('link'), null)
  assert.not.match(page.text, /text\/markdown|install\.md|~gitbook\/mcp/)
  assert.is((await openPage(app, `${base}install`, { accept: 'text/markdown' })).status, 404)
  assert.is((await openPage(app, `${base}robots.txt`)).status, 200)
  assert.match(await problemOf(connect(base)), /404|No content found/)
  assert.is((await openPage(app, `${base}~gitbook/mcp`, { accept: 'text/html' })).status, 404)
})

test('a browser is shown how to connect, and other requests without a message are refused', async () => {
  const { base } = await insertSite()
  const page = await openPage(app, `${base}~gitbook/mcp`, { accept: 'text/html' })
  assert.is(page.status, 200)
  assert.match(page.text, `${app.url}${base}~gitbook/mcp</code>`)
  const refused = await openPage(app, `${base}~gitbook/mcp`, { accept: 'text/event-stream' })
  assert.equal([refused.status, refused.headers.get('allow')], [405, 'POST'])
  assert.match(refused.text, 'Send a message')
})

test('messages that are too large, no JSON, lists, or from pages elsewhere are refused with a sentence', async () => {
  const { base } = await insertSite()
  const post = (body: string, headers: Record<string, string> = {}) =>
    send(`${app.url}${base}~gitbook/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const refusals: [
    body: string,
    headers: Record<string, string>,
    status: number,
    sentence: RegExp,
  ][] = [
    [JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(70_000) }), {}, 413, /too large/],
    ['{', {}, 400, /not valid JSON/],
    ['', {}, 400, /empty/],
    [`[${ping},${ping}]`, {}, 400, /one message/],
    [ping, { 'content-type': 'text/plain' }, 415, /application\/json/],
    [ping, { origin: 'https://evil.example' }, 403, /other origins/],
  ]

  for (const [body, headers, status, sentence] of refusals) {
    const answer = await post(body, headers)
    assert.is(answer.status, status, answer.text)
    assert.match(JSON.parse(answer.text).error.message, sentence)
  }

  assert.is((await post(ping, { origin: app.url })).status, 200)
})

test('a page leads to the endpoint if the settings say so', async () => {
  const { base, site } = await insertSite()
  assert.not.match((await openPage(app, base)).text, '~gitbook/mcp')
  const { body } = await admin.get(`${path(site)}/customization`)
  const pageActions = { ...body.pageActions, mcp: true }
  const put = await admin.put(`${path(site)}/customization`, { ...body, pageActions })
  assert.is(put.status, 200, put.text)
  assert.match((await openPage(app, base)).text, `href="${base}~gitbook/mcp"`)
})

test.run()

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { copyParameter } from '../../../src/site/sending/accepts.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { processed } from '../../api/openapi/host.ts'
import { chromiumPath, startChromium } from '../../browser/chromium.ts'
import { inspect, openPage as openInBrowser } from '../../browser/inspect.ts'
import { commitFiles, gitOutside } from '../../support/git/repo.ts'
import { skip } from '../../support/skip.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

/** A request that a server got. */
type Got = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

/**
 * Serves an API on a free port, with or without the headers by which a browser lets pages of other
 * hosts read it.
 */
async function serveApi(
  allows: boolean,
): Promise<{ origin: string; got: Got[]; stop: () => void }> {
  const got: Got[] = []
  const answers: Readonly<Record<string, (res: ServerResponse) => void>> = {
    '/v1/long': res => res.end('x'.repeat(300_000)),
    '/v1/never': () => {},
    '/v1/bytes': res => res.end(Buffer.from([1, 0, 2])),
    '/v1/away': res => res.writeHead(302, { Location: 'https://elsewhere.example/' }).end(),
  }

  const server = createServer(async (req, res) => {
    if (allows) {
      res.setHeader('Access-Control-Allow-Origin', '*')
      res.setHeader('Access-Control-Allow-Headers', '*, Authorization')
      res.setHeader('Access-Control-Allow-Methods', '*')
      res.setHeader('Access-Control-Expose-Headers', 'X-Answer')
    }

    if (req.method === 'OPTIONS') return res.writeHead(204).end()
    const parts: Buffer[] = []
    for await (const part of req) parts.push(part)
    const { method = '', url = '', headers } = req

    got.push({ method, url, headers, body: Buffer.concat(parts).toString() })
    const answer = answers[url]
    if (answer) return answer(res)
    res.setHeader('X-Answer', 'yes')
    res.setHeader('Set-Cookie', 'a=b')
    res.writeHead(201, { 'Content-Type': 'application/json' })
    res.end('{"id":12345678901234567890,"html":"<img src=x onerror=alert(1)>"}')
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }

  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got, stop }
}

const app = await siteApp()
const open = await serveApi(true)
const shut = await serveApi(false)
let browser: Browser | undefined
test.before(async () => {
  if (chromiumPath) browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  open.stop()
  shut.stop()
  await app.stop()
})

const simple = (summary: string, more: object = {}) => ({
  get: { summary, tags: ['more'], ...more },
})
const spec = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: `${open.origin}/v1`, description: 'Open' }, { url: `${shut.origin}/v1` }],
  security: [{ token: [] }, {}],
  paths: {
    '/pets/{id}': {
      put: {
        summary: 'Change a pet',
        tags: ['pets'],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'rex' },
          { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'kind', in: 'query', schema: { enum: ['cat', 'dog'] } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'sid', in: 'cookie', schema: { type: 'string' } },
        ],
        requestBody: {
          content: { 'application/json': { example: { name: 'Rex' } }, 'text/plain': {} },
        },
        responses: { 201: { description: 'Changed' } },
      },
    },
    '/long': simple('Long'),
    '/never': simple('Never'),
    '/bytes': simple('Bytes'),
    '/away': simple('Away'),
    '/hidden': { get: { summary: 'Hidden', tags: ['hidden'], 'x-hideTryItPanel': true } },
  },
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
}
const hostile = {
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1' },
  servers: [
    { url: 'https://first.example/"><script>alert(1)</script>' },
    { url: 'https://good.example' },
    { url: 'https://a;script-src.example' },
    { url: "https://b.example'; script-src *" },
    { url: 'https://*.example' },
    { url: 'https://c.example\r\nX-Evil: 1' },
    { url: 'javascript:alert(1)' },
  ],
  paths: {
    '/"><script>alert(1)</script>': {
      get: {
        tags: ['bad'],
        parameters: [{ name: '"><img src=x onerror=alert(1)>', in: 'query', required: true }],
      },
    },
  },
}
const plainSpec = { ...hostile, servers: [{ url: 'https://good.example' }] }
const many = {
  openapi: '3.1.0',
  info: { title: 'Many', version: '1' },
  paths: Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [
      `/p${at}`,
      { get: { servers: [{ url: `https://s${at}.example` }] } },
    ]),
  ),
}
for (const [slug, document] of Object.entries({ pets: spec, hostile, plain: plainSpec, many })) {
  await app.admin.put(`/v1/orgs/acme/openapi/${slug}`, {
    source: { text: JSON.stringify(document) },
  })
  await processed(app, `/v1/orgs/acme/openapi/${slug}`)
}

const computed = (slug: string) =>
  `* \`\`\`yaml
  type: builtin:openapi
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: ${slug}
  \`\`\`
`
const block = '{% openapi-operation spec="pets" path="/pets/{id}" method="put" %}'
const files = {
  'README.md': '# Home\n\nNo operations. ```curl```\n',
  'block.md': `# Block\n\n${block}\n`,
  'update.md': `# Updates\n\n{% updates format="full" %}\n{% update date="2026-01-02" %}\n## New\n\n${block}\n{% endupdate %}\n{% endupdates %}\n`,
  'note.md': '# Note\n\n{% include ".gitbook/includes/shared.md" %}\n',
  '.gitbook/includes/shared.md': `${block}\n`,
  'SUMMARY.md': `# Table of contents\n\n* [Home](README.md)\n* [Block](block.md)\n* [Updates](update.md)\n* [Note](note.md)\n${['pets', 'hostile', 'plain', 'many'].map(computed).join('')}`,
}
const { base, space, site } = await insertPublicSite(app, files)
const policyOf = async (path: string): Promise<string> =>
  (await openPage(app, base + path)).headers.get('content-security-policy') ?? ''
const connects = async (path: string): Promise<string | undefined> =>
  /connect-src ([^;]*)/.exec(await policyOf(path))?.[1]

test('a page may connect to the servers of its operations, and to no others', async () => {
  const servers = `'self' ${open.origin} ${shut.origin}`
  for (const path of ['pets', 'block', 'note', 'more'])
    assert.is(await connects(path), servers, path)
  for (const path of ['', 'hidden']) assert.is(await connects(path), "'self'", path)
  const [policy, plain] = [await policyOf('pets'), await policyOf('')]
  assert.is(policy.replace(` ${open.origin} ${shut.origin}`, ''), plain)
})

test('a page connects to ten origins at most', async () => {
  const page = await openPage(app, `${base}many`)
  assert.is(page.status, 200)
  assert.is((await connects('many'))?.split(' ').length, 11)
  assert.is(page.text.match(/class="try /g)?.length, 10)
})

test('a policy has no source of a hostile spec, and names of it are texts', async () => {
  // The first server is no web address, so that there is no example.
  assert.is(await connects('hostile-bad'), "'self'")
  const page = await openPage(app, `${base}plain-bad`)
  assert.is(await connects('plain-bad'), "'self' https://good.example")
  assert.match(page.text, 'class="try ')
  assert.not.match(page.text, /<script>alert|<img src=x/)
})

test('only pages with operations load the style of the form, and none loads its script', async () => {
  const [page, plain] = [await openPage(app, `${base}pets`), await openPage(app, base)]
  assert.match(page.text, /<link rel="stylesheet" href="[^"]*\/call\.[0-9a-f]{12}\.css"/)
  assert.not.match(page.text, /<script[^>]*\/call\./)
  assert.not.match(plain.text, /\/call\.|data-try/)
})

test('Markdown and feeds have no form, and a downloaded copy neither', async () => {
  for (const path of ['pets.md', 'block.md', 'update/rss.xml']) {
    const { status, text } = await openPage(app, base + path)
    assert.is(status, 200, path)
    assert.match(text, 'curl', path)
    assert.not.match(text, /data-call|Try it/, path)
  }

  const { text } = await openPage(app, `${base}update`)
  assert.match(text, 'data-call')
  const copied = await openPage(app, `${base}update`, { accept: `text/html;${copyParameter}` })
  assert.is(copied.status, 200)
  assert.not.match(copied.text, /data-call|Try it|\/call\.|data-try/)
})

test('the form goes with its operation, and an earlier version of the page has it', async () => {
  const repo = spaceRepository(app.ctx, space)
  const before = gitOutside(repo.dir, ['rev-parse', 'HEAD']).trim()
  await commitFiles(repo, { 'block.md': '# Block\n\nGone.\n' })
  assert.is(await connects('block'), "'self'")
  updateSite(app.ctx.store, site, { time_travel: 'readers' })
  const earlier = `~/revisions/${before}/block`
  assert.is(await connects(earlier), `'self' ${open.origin} ${shut.origin}`)
  assert.match((await openPage(app, base + earlier)).text, 'data-call')
})

/** Stores a picture of a page in the folder that PICTURES names, for a person to look at. */
async function picture(page: Page, title: string): Promise<void> {
  const { PICTURES: folder } = process.env
  if (folder)
    await page.screenshot({ path: `${folder}/${title.replace(/\W+/g, '-')}.png`, fullPage: true })
}

/**
 * Adds a test with a page in the browser. `expected` are messages of the console that the test
 * causes.
 */
function inBrowser(
  title: string,
  path: string,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<void>,
  expected = /^request to http:\/\/127\.0\.0\.1/,
): void {
  test(title, async () => {
    if (!browser) return skip('there is no Chromium: set CHROME_PATH')
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    const { page, said } = await openInBrowser(context, app.url + base + path)
    await run(page)
    await picture(page, title)
    assert.equal(
      said.filter(text => !expected.test(text)),
      [],
    )
    await context.close()
  })
}

const result = (page: Page): Promise<string | null> =>
  page.locator('.call [role=status]').textContent()
const sending = async (page: Page, server?: string): Promise<string | null> => {
  if (server) await page.getByLabel('Server', { exact: true }).selectOption(server)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.waitForFunction(() =>
    /[^…]$/.test(document.querySelector('.call [role=status]')?.textContent ?? ''),
  )
  return result(page)
}

inBrowser('a reader fills in a call, sends it, and reads the answer', 'pets', {}, async page => {
  const button = page.getByRole('button', { name: 'Try it PUT /pets/{id}' })
  await button.focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('.call')
  assert.equal(await inspect(page), [])
  assert.is(await button.getAttribute('aria-expanded'), 'true')
  assert.is(await page.evaluate(() => document.activeElement?.tagName), 'SELECT')
  await page.getByLabel('Token').fill('s3cret')
  await page.getByLabel('id path').fill('a/b')
  await page.getByLabel('tags query').fill('x, y')
  await page.getByLabel('kind query').selectOption('dog')
  await page.getByLabel('X-Trace header').fill('7')
  assert.is(await page.getByLabel('Request body').inputValue(), '{\n  "name": "Rex"\n}')
  const address = `${open.origin}/v1/pets/a%2Fb?tags=x&tags=y&kind=dog`

  assert.is(await page.locator('.call .address').textContent(), `PUT ${address}`)
  assert.match((await sending(page)) ?? '', /^201 Created, after \d+ ms$/)
  const [got] = open.got.splice(0)

  assert.equal(
    [got?.method, got?.url, got?.body, got?.headers.authorization, got?.headers['x-trace']],
    ['PUT', address.slice(open.origin.length), '{\n  "name": "Rex"\n}', 'Bearer s3cret', '7'],
  )
  assert.equal([got?.headers.referer, got?.headers.cookie], [undefined, undefined])
  await page.locator('.call summary').click()
  const texts = await page.locator('.call pre').allTextContents()

  assert.match(texts[0] ?? '', 'x-answer: yes')
  assert.is(
    texts[1],
    '{\n  "id": 12345678901234567890,\n  "html": "<img src=x onerror=alert(1)>"\n}',
  )
  assert.is(await page.locator('.call img').count(), 0)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.equal(await inspect(page), [])
  await picture(page, 'answer')
  assert.match((await page.locator('.call').textContent()) ?? '', /so they are left out: sid/)
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  )

  assert.not.match(kept, /s3cret|a\/b/)
  await button.click()
  assert.is(await page.locator('.call').isVisible(), false)
  await button.click()
  assert.is(await page.getByLabel('Token').inputValue(), 's3cret')
  await page.reload()
  await button.click()
  assert.is(await page.getByLabel('Token').inputValue(), '')
})

inBrowser(
  'a server without CORS headers is explained',
  'pets',
  { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
  async page => {
    await page.locator('.try button').first().click()
    assert.match(
      (await sending(page, `${shut.origin}/v1`)) ?? '',
      /^No response could be read\..*CORS/,
    )
    assert.equal(await inspect(page), [])
  },
  /^request to http:\/\/127\.0\.0\.1|CORS policy|net::ERR_FAILED/,
)

inBrowser('a missing value is asked for before anything is sent', 'pets', {}, async page => {
  await page.locator('.try button').first().click()
  await page.getByLabel('id path').fill('')
  await page.getByRole('button', { name: 'Send' }).click()
  assert.is(await page.evaluate(() => document.activeElement?.matches('input:invalid')), true)
  assert.is(open.got.length, 0)
})

inBrowser(
  'long answers are cut, bytes are not shown, and waiting can be cancelled',
  'more',
  {},
  async page => {
    const call = async (name: string): Promise<void> => {
      const shown = page.locator('.try button[aria-expanded=true]')
      if ((await shown.count()) > 0) {
        await shown.click()
        await page.evaluate(() => document.querySelector('.call')?.remove())
      }
      await page.getByRole('button', { name: `Try it GET /${name}` }).click()
      await page.waitForSelector('.call')
    }

    await call('long')
    assert.match((await sending(page)) ?? '', /^200/)
    assert.is((await page.locator('.call pre').last().textContent())?.length, 100_000)
    assert.match((await page.locator('.call').textContent()) ?? '', 'Only the beginning is shown.')
    await call('bytes')
    await sending(page)
    assert.match(
      (await page.locator('.call').textContent()) ?? '',
      'The body is not text (3 bytes).',
    )
    await call('never')
    await page.getByRole('button', { name: 'Send' }).click()
    assert.is(await result(page), 'Sending…')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForFunction(
      () => document.querySelector('.call [role=status]')?.textContent === 'Cancelled.',
    )
  },
)

inBrowser(
  'the policy stops a redirect to another host',
  'more',
  {},
  async page => {
    await page.getByRole('button', { name: 'Try it GET /away' }).click()
    assert.match((await sending(page)) ?? '', /^No response could be read\..*redirected/)
  },
  /^request to http:\/\/127\.0\.0\.1|elsewhere\.example/,
)

inBrowser(
  'without a script there is no button',
  'pets',
  { javaScriptEnabled: false },
  async page => {
    assert.is(await page.locator('.try').first().isVisible(), false)
  },
)

inBrowser('printing leaves the form out', 'pets', {}, async page => {
  await page.locator('.try button').first().click()
  await page.waitForSelector('.call')
  await page.emulateMedia({ media: 'print' })
  assert.is(await page.locator('.try').first().isVisible(), false)
})

inBrowser('names of a hostile spec are texts in the form', 'bad-1', {}, async page => {
  await page.locator('.try button').first().click()
  await page.waitForSelector('.call')
  assert.is(await page.locator('.call img, .call script').count(), 0)
  assert.equal(await inspect(page), [])
})

test.run()

import { request } from 'node:http'
import { Browser, type PageReply } from '../../support/http/browser.ts'
import { type Line, line, must, type Seen } from '../line.ts'
import type { Stage } from '../stage.ts'
import { done, type Json } from './sites/tools.ts'

const markup = '"><img src=x onerror=alert(1)><svg onload=a()>'

async function signedIn(stage: Stage): Promise<Browser> {
  const browser = new Browser(stage.url)
  const { status } = await browser.signIn(stage.tokens.admin ?? '')
  must(status === 303, `the sign-in answered ${status}`)
  return browser
}

const seenOf = ({ status, text }: PageReply): Seen => ({ status, text: text.slice(-1_000) })

/** Opens a page, which must be whole, closed to frames, and without an element that its authors wrote as text. */
async function opened(browser: Browser, path: string): Promise<PageReply> {
  const page = await browser.get(path)
  must(page.status === 200, `${path} answers ${page.status}: ${page.text.slice(-500)}`)
  must(page.text.endsWith('</html>'), `${path} ends with ${page.text.slice(-100)}`)
  const policy = page.headers.get('content-security-policy') ?? ''
  must(/frame-ancestors 'none'/.test(policy), `${path} may be in a frame: ${policy}`)
  must(/default-src 'none'/.test(policy), `${path} loads everything: ${policy}`)
  // Quoted values of attributes cannot end early: quotation marks in them are escaped.
  const tags = page.text.replace(/"[^"]*"/g, '""')
  const evil = /<(?:img src=x|svg onload)|<[a-z][^>]*\sonerror\s*=/i.exec(tags)?.[0]
  must(evil === undefined, `${path} contains ${evil}`)
  return page
}

/** A space with a change request that changes a page. */
type Proposed = { id: string; number: number; page: string; at: string }

async function proposed(
  stage: Stage,
  { title, text, changed }: { title: string; text: string; changed: string },
): Promise<Proposed> {
  const { id } = await done(stage, 'POST /v1/orgs/acme/spaces', { title })
  const insert = { operation: 'insert_page', title, slug: 'evil', document: { markdown: text } }
  await done(stage, `POST /v1/spaces/${id}/content`, { changes: [insert] })
  const { pages } = await done(stage, `GET /v1/spaces/${id}/content/pages`)
  const page = pages.find((each: Json) => each.path === 'evil').id
  const api = `/v1/spaces/${id}/change-requests`
  const { number } = await done(stage, `POST ${api}`, { subject: title })
  const update = { operation: 'update_page', page, document: { markdown: changed } }
  await done(stage, `POST ${api}/${number}/content`, { changes: [update] })
  return { id, number, page, at: `/app/s/${id}/changes/${number}` }
}

/** Writes markup into every name, then opens every page that shows one. */
async function names(stage: Stage): Promise<Seen> {
  const asked = { title: markup, text: 'One.\n', changed: 'Two.\n' }
  const { id, number, page, at } = await proposed(stage, asked)
  const api = `/v1/spaces/${id}/change-requests/${number}`
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
  await done(stage, `POST ${api}/comments`, { body: { markdown: markup } })
  await done(stage, `POST ${api}/comments`, { body: { markdown: markup }, page })
  await done(stage, `POST /v1/spaces/${id}/comments`, {
    body: { markdown: markup },
    page,
  })
  const base64 = Buffer.from(svg).toString('base64')
  const files = [{ name: "img src=x onerror=alert(1) '.svg", base64, contentType: 'image/svg+xml' }]
  await done(stage, `POST ${api}/content`, { changes: [{ operation: 'insert_files', files }] })
  const browser = await signedIn(stage)
  const { revision } = await done(stage, `GET ${api}`)
  const paths = [
    '/app',
    `/app/search?q=${encodeURIComponent(markup)}`,
    `/app/s/${id}`,
    `/app/s/${id}/p/${page}`,
    `/app/s/${id}/findings`,
    `/app/s/${id}/history`,
    `/app/s/${id}/history/${revision}`,
    `/app/s/${id}/p/${page}/history`,
    `/app/s/${id}/organize`,
    `/app/s/${id}/changes?q=${encodeURIComponent(markup)}`,
    ...['', `/pages/${page}`, '/files', '/conflicts', `/edit/${page}`].map(end => at + end),
    ...['side', 'source'].map(view => `${at}/pages/${page}?view=${view}`),
  ]
  let last: PageReply | undefined
  for (const path of paths) last = await opened(browser, path)
  return seenOf(last as PageReply)
}

/** Sends forms as pages of other origins could, and without the token of the session. */
async function forgery(stage: Stage): Promise<Seen> {
  const asked = { title: 'Forged', text: 'One.\n', changed: 'Two.\n' }
  const { id, number, page, at } = await proposed(stage, asked)
  const browser = await signedIn(stage)
  const csrf = await browser.csrf()
  const forms = [
    `${at}/merge`,
    `${at}/review`,
    `${at}/edit/${page}`,
    `/app/s/${id}/p/${page}/comments`,
  ]
  const form = { csrf, text: 'x', title: 'x', document: 'x' }
  let last: Seen | undefined

  for (const path of forms)
    for (const [fields, headers] of [
      [form, { origin: 'https://evil.example' }],
      [form, { origin: 'null' }],
      [form, { 'sec-fetch-site': 'cross-site', origin: '' }],
      [{ ...form, csrf: 'x'.repeat(43) }, {}],
    ] as const) {
      last = seenOf(await browser.post(path, fields, headers))
      must(Number(last.status) >= 400, `${path} answers ${last.status} to a forged form`)
    }

  const request = await done(stage, `GET /v1/spaces/${id}/change-requests/${number}`)
  must(request.status === 'open', `the change request is ${request.status}`)
  return last as Seen
}

/** Opens a page of 2 MB in the editor, and what changes in it. */
async function largePage(stage: Stage): Promise<Seen> {
  const text = 'Some *words* of a long page, [a link](https://example.org), and `code`.\n\n'.repeat(
    27_500,
  )
  const asked = { title: 'Long', text, changed: `${text}One more.\n` }
  const { id, page, at } = await proposed(stage, asked)
  const browser = await signedIn(stage)
  for (const path of [`${at}/edit/${page}`, at, `${at}/pages/${page}`]) await opened(browser, path)
  for (const view of ['side', 'source']) await opened(browser, `${at}/pages/${page}?view=${view}`)
  return seenOf(await opened(browser, `/app/s/${id}/p/${page}`))
}

/** Opens the pages of a change request that changes 500 pages. */
async function manyPages(stage: Stage): Promise<Seen> {
  const { id } = await done(stage, 'POST /v1/orgs/acme/spaces', { title: 'Many' })
  const numbers = Array.from({ length: 500 }, (_, n) => n)
  const insert = (from: number) =>
    numbers.slice(from, from + 50).map(n => ({
      ...{ operation: 'insert_page', title: `Page ${n}`, slug: `page-${n}` },
      document: { markdown: `Text ${n}.\n\n${'Words of it. '.repeat(50)}\n` },
    }))
  const { number } = await done(stage, `POST /v1/spaces/${id}/change-requests`, { subject: 'Many' })
  const at = `/app/s/${id}/changes/${number}`
  for (let from = 0; from < 500; from += 50)
    await done(stage, `POST /v1/spaces/${id}/change-requests/${number}/content`, {
      changes: insert(from),
    })
  const browser = await signedIn(stage)
  for (const end of ['', '/files', '/conflicts']) await opened(browser, at + end)
  const page = await browser.get(`${at}/pages`)
  must(page.status === 200 || page.status === 303, `the pages answer ${page.status}`)
  return seenOf(await opened(browser, at))
}

/** Opens a page with nearly as many comments as a person posts in an hour, half of them in a change request. */
async function manyComments(stage: Stage): Promise<Seen> {
  const asked = { title: 'Talk', text: 'One.\n', changed: 'Two.\n' }
  const { id, number, page, at } = await proposed(stage, asked)
  for (const api of [`/v1/spaces/${id}`, `/v1/spaces/${id}/change-requests/${number}`])
    for (let from = 0; from < 490; from += 49)
      await Promise.all(
        Array.from({ length: 49 }, (_, n) =>
          done(
            stage,
            `POST ${api}/comments`,
            { body: { markdown: `Number ${from + n} ${'of many words '.repeat(20)}` }, page },
            'alice',
          ),
        ),
      )
  const browser = await signedIn(stage)
  for (const path of [at, `${at}/pages/${page}`, '/app']) await opened(browser, path)
  return seenOf(await opened(browser, `/app/s/${id}/p/${page}`))
}

const announce = (stage: Stage, size: number, as = 'admin'): Promise<Json> =>
  done(
    stage,
    'POST /v1/orgs/acme/storage/upload',
    { file: { name: 'a.png', type: 'image/png', size }, kind: 'import_file' },
    as,
  )

const put = async (url: string, body: string): Promise<Seen> => {
  const answer = await fetch(url, { method: 'PUT', body, headers: { connection: 'close' } })
  return { status: answer.status, text: await answer.text() }
}

/** Sends bytes to addresses of uploads that were forged, changed or used. */
async function forgedUploads(stage: Stage): Promise<Seen> {
  const { url } = await announce(stage, 10)
  const other = await announce(stage, 10)
  const signature = new URL(url).searchParams.get('signature') ?? ''
  const forged = [
    url.replace(signature, `${signature.slice(0, -2)}AA`),
    url.replace(signature, ''),
    url.split('?')[0],
    url.replace(signature, new URL(other.url).searchParams.get('signature')),
    `${url}&signature=x`,
    url.replace(/uploads\/[^?]+/, 'uploads/..%2f..%2fstemma.db'),
  ]
  for (const each of forged) {
    const { status } = await put(each, '0123456789')
    must(Number(status) >= 400 && Number(status) < 500, `${each} answers ${status}`)
  }
  for (const body of ['0123456789a', '012345678'])
    must((await put(url, body)).status === 400, `${body.length} bytes are taken`)
  must((await put(url, '0123456789')).status === 204, 'the announced bytes are refused')
  return put(url, '9876543210')
}

/** Sends 50 files a byte at a time; another one must arrive in the meantime. */
async function slowUploads(stage: Stage): Promise<Seen> {
  const addresses: string[] = []
  for (let n = 0; n < 50; n++) {
    const seen = await stage.call('POST', '/v1/orgs/acme/storage/upload', {
      body: { file: { name: 'a.png', type: 'image/png', size: 1_000 }, kind: 'import_file' },
    })
    if (Number(seen.status) >= 300) break
    addresses.push(JSON.parse(seen.text).url)
  }
  must(addresses.length > 0, 'no address was given out')
  const last = addresses.at(-1) as string
  const sent = addresses.slice(0, -1).map(url => {
    const asked = request(url, {
      method: 'PUT',
      agent: false,
      headers: { 'content-length': 1_000 },
    })
    asked.on('error', () => {})
    const timer = setInterval(() => asked.write('x'), 1_000)
    asked.write('x')
    return () => {
      clearInterval(timer)
      asked.destroy()
    }
  })
  try {
    const health = await stage.call('GET', '/v1/user')
    must(health.status === 200, `/v1/user answers ${health.status}`)
    return await put(last, 'y'.repeat(1_000))
  } finally {
    for (const stop of sent) stop()
  }
}

/** Pages and forms of the workbench, and the addresses of uploads. */
export const workbenchLines: Line[] = [
  line('WB1', 'markup in every name that pages of the workbench show', 200, 'shown as text', names),
  line(
    'WB2',
    'forms of other origins and without the token',
    '403|400',
    'nothing is done',
    forgery,
  ),
  line(
    'WB3',
    'a page of 2 MB in the editor and in its changes',
    200,
    'the pages are whole',
    largePage,
    {
      slow: true,
      mostWait: 1_500,
    },
  ),
  line('WB4', 'a change request with 500 pages', 200, 'the pages are whole', manyPages, {
    slow: true,
  }),
  line('WB5', '980 comments on a page', 200, 'the pages are whole', manyComments, {
    slow: true,
    mostWait: 1_500,
  }),
  line('WB6', 'addresses of uploads that are forged or used', '400|409|403', /./, forgedUploads),
  line('WB7', '50 files that come a byte a second', 204, 'another file arrives', slowUploads),
]

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Admission } from '../../../src/http/limits/admission.ts'
import { parameterNames, parametersOf } from '../../../src/site/place/parameters.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import type { SiteRow, SiteSpaceRow } from '../../../src/store/tables/rows.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { publishedSite } from '../../support/sites.ts'
import { until } from '../../support/until.ts'
import { insertPublicSite, type Opened, openPage, siteApp } from '../open-page.ts'
import { changeAudience, cookieOf, makeAdaptive } from '../visitors.ts'

const app = await siteApp()
const { admin, ctx } = app
test.after(() => app.stop())

const files = {
  'README.md': '# Home\n\nWelcome.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Plain](plain.md)\n* [Varying](varying.md)\n',
  'plain.md': `# Plain\n\n${'Plainword text that repeats.\n\n'.repeat(100)}`,
  'varying.md':
    '# Varying\n\n{% if visitor.claims.unsigned.plan === "pro" %}\nProword.\n{% endif %}\n',
}

/**
 * Publishes files on a site, and opens its space: the first request after a start records its
 * commits.
 */
async function publish(...[content, set]: [typeof files, Partial<SiteRow>?]) {
  const published = await insertPublicSite(app, content, set)
  await openPage(app, `${published.base}nothing-here`)
  return published
}

/** Returns how many answers the server computes while work runs. */
async function computedDuring(work: () => Promise<unknown>): Promise<number> {
  const run = Admission.prototype.run
  let count = 0
  Admission.prototype.run = function counted(...given) {
    count++
    return run.apply(this, given) as never
  }

  try {
    await work()
  } finally {
    Admission.prototype.run = run
  }

  return count
}

/** Returns the admission of the server, which work that computes an answer passes. */
async function admissionOf(work: () => Promise<unknown>): Promise<Admission> {
  const { run } = Admission.prototype
  let seen: Admission | undefined
  Admission.prototype.run = function noted(...given) {
    seen = this
    return run.apply(this, given) as never
  }

  try {
    await work()
  } finally {
    Admission.prototype.run = run
  }

  return seen!
}

const opened = async (path: string, headers: Record<string, string> = {}): Promise<Opened> => {
  const page = await openPage(app, path, headers)
  assert.is(page.status, 200, path)
  return page
}

test('each kind of address names the parameters that its answer reads', () => {
  const names: Record<string, string[]> = {
    '/sites/acme/docs/': ['tag', 'thanks'],
    '/sites/acme/docs/page': ['tag', 'thanks'],
    '/sites/acme/docs/page.md': [],
    '/llms-full.txt/2': ['tag', 'thanks'],
    '/llms.txt': [],
    '/rss.xml': [],
    '/~gitbook/search': ['q', 'part', 'in'],
    '/~stemma/history/abc': ['before'],
    '/~stemma/nav/abc/x': [],
    '/~/revisions/2026-01-01/page': ['tag', 'thanks', 'marks'],
    '/~/compare/a...b/~gitbook/search': ['q', 'part', 'in', 'marks'],
  }

  for (const [path, expected] of Object.entries(names))
    assert.equal(parameterNames(path), expected, path)
  assert.equal(parametersOf('/page?tag=new&utm_source=mail&q=1&__proto__=x'), { tag: 'new' })
  assert.equal(parametersOf('/page?tag=a&tag=b&thanks='), {})
  assert.equal(parametersOf('/%7Egitbook/search?q=a%20b'), { q: 'a b' })
})

test('parameters that a page does not read lead to the same kept page', async () => {
  const { base } = await publish(files)
  const first = await opened(`${base}plain`)
  const count = await computedDuring(async () => {
    for (const query of [
      'utm_source=mail',
      'q=1',
      'marks=0',
      'token=x',
      'visitor.plan=pro',
      'fbclid=abc',
    ])
      assert.is((await opened(`${base}plain?${query}`)).text, first.text, query)
  })

  assert.is(count, 0)
})

test('a kept page is sent in every encoding, to HEAD and with 304, without being computed again', async () => {
  const { base } = await publish(files)
  const first = await opened(`${base}plain`)
  const etag = first.headers.get('etag') ?? ''
  const count = await computedDuring(async () => {
    for (let round = 0; round < 2; round++) {
      const zipped = await opened(`${base}plain`, { 'accept-encoding': 'gzip' })
      assert.is(zipped.headers.get('content-encoding'), 'gzip')
      assert.is(gunzipSync(zipped.bytes).toString(), first.text)
      const small = await opened(`${base}plain`, { 'accept-encoding': 'br' })
      assert.is(brotliDecompressSync(small.bytes).toString(), first.text)
      assert.is((await opened(`${base}plain`)).text, first.text)
    }

    assert.is((await openPage(app, `${base}plain?q=2`, { 'if-none-match': etag })).status, 304)

    for (const encoding of ['br', 'gzip', 'identity']) {
      const head = await fetch(`${app.url}${base}plain`, {
        method: 'HEAD',
        headers: { 'accept-encoding': encoding },
      })
      assert.is(head.status, 200)
      assert.is(head.headers.get('etag'), etag)
    }

    assert.is((await opened(`${base}plain`, { cookie: 'stemma-session=x' })).text, first.text)
    const cookie = `stemma-session=${'x'.repeat(43)}`

    assert.is((await opened(`${base}plain`, { cookie })).text, first.text)
  })

  assert.is(count, 0)
})

test('requests for the same page at the same time share one computation', async () => {
  const { base } = await publish(files)
  // Requests before and after a write are computed apart, and the search index is still written.
  await keptMissing(`${base}gone`)
  const count = await computedDuring(() =>
    Promise.all(Array.from({ length: 20 }, (_, at) => opened(`${base}plain?q=${at}`))),
  )
  assert.is(count, 1)
})

test('a page without conditions is kept for all readers of an adaptive site, others for each of their claims', async () => {
  const { base, site } = await publish(files)
  await makeAdaptive(app, site)
  const plain = await opened(`${base}plain`)
  const count = await computedDuring(async () => {
    for (const plan of ['pro', 'free', 'team'])
      assert.is((await opened(`${base}plain?visitor.plan=${plan}`)).text, plain.text)
  })

  assert.is(count, 0)
  const varying = await computedDuring(async () => {
    for (let round = 0; round < 3; round++) {
      assert.match((await opened(`${base}varying?visitor.plan=pro`)).text, 'Proword.')
      assert.not.match((await opened(`${base}varying?visitor.plan=free`)).text, 'Proword.')
      assert.not.match((await opened(`${base}varying`)).text, 'Proword.')
    }
  })

  assert.is(varying, 3)
})

test('a condition anywhere around a page keeps it for readers with the same claims only', async () => {
  const hiding = {
    ...files,
    'varying.md': '---\nif: visitor.claims.unsigned.plan === "pro"\n---\n\n# Varying\n',
  }
  const { base, site } = await publish(hiding)
  await makeAdaptive(app, site)
  assert.not.match((await opened(`${base}plain`)).text, '>Varying<')
  assert.match((await opened(`${base}plain?visitor.plan=pro`)).text, 'Varying')
  assert.not.match((await opened(`${base}plain`)).text, '>Varying<')
  const other = await publish(files)

  await makeAdaptive(app, other.site)
  const link = { title: 'Beta', links: [], to: { kind: 'url', url: 'https://beta.example/' } }
  const header = { links: [{ ...link, condition: 'visitor.claims.unsigned.plan === "pro"' }] }

  updateSite(ctx.store, other.site, { customization: { header } })
  assert.not.match((await opened(`${other.base}plain`)).text, 'beta.example')
  assert.match((await opened(`${other.base}plain?visitor.plan=pro`)).text, 'beta.example')
})

test('a kept page of a site for visitors is sent to visitors alone', async () => {
  const { base, site } = await publish(files)
  const sign = await makeAdaptive(app, site)
  await changeAudience(app, { site, base }, 'visitor-auth')
  const cookie = await cookieOf(app, base, await sign({ beta: true }))
  const another = await cookieOf(app, base, await sign({}))
  const first = await opened(`${base}plain`, { cookie })
  const count = await computedDuring(async () => {
    assert.is((await opened(`${base}plain`, { cookie })).text, first.text)
    assert.is((await opened(`${base}plain`, { cookie: another })).text, first.text)
  })

  assert.is(count, 0)
  assert.is.not((await openPage(app, `${base}plain`)).status, 200)
  assert.is.not((await openPage(app, `${base}plain`, { cookie: `${cookie}x` })).status, 200)
})

test('a kept page of a site without language models is not sent to their programs', async () => {
  const { base } = await publish(files, { agents_context: 'excluded' })
  await opened(`${base}plain`)
  const count = await computedDuring(() => opened(`${base}plain`))
  assert.is(count, 0)
  assert.is((await openPage(app, `${base}plain`, { 'user-agent': 'GPTBot/1.0' })).status, 404)
})

/**
 * Opens a path without a page until its answer is kept: the search index is written after the
 * content.
 */
const keptMissing = (path: string, server: Pick<typeof app, 'url'> = app): Promise<Opened> =>
  until('the answer is kept', async () => {
    let page: Opened | undefined
    const count = await computedDuring(async () => {
      page = await openPage(server, path)
    })
    assert.is(page?.status, 404)
    return count === 0 ? page : undefined
  })

test('the answer to a path without a page is kept, also for HEAD, and never answers 304', async () => {
  const { base } = await publish(files)
  const first = await keptMissing(`${base}gone`)
  const count = await computedDuring(async () => {
    assert.is((await openPage(app, `${base}gone?q=1`)).text, first.text)
    const etag = first.headers.get('etag') ?? ''
    assert.is((await openPage(app, `${base}gone`, { 'if-none-match': etag })).status, 404)
    assert.is((await openPage(app, `${base}gone`, { 'accept-encoding': 'br' })).status, 404)
    assert.is((await fetch(`${app.url}${base}gone`, { method: 'HEAD' })).status, 404)
  })

  assert.is(count, 0)
  assert.match(first.headers.get('content-type') ?? '', 'text/html')
})

test('a page that comes to a path is shown at once', async () => {
  const { base, space } = await publish(files)
  await keptMissing(`${base}new`)
  const added = await admin.post(`/v1/spaces/${space}/content`, {
    changes: [{ operation: 'insert_page', title: 'New', document: { markdown: 'Newword.\n' } }],
  })
  assert.ok(added.status < 300, added.text)
  assert.match((await opened(`${base}new`)).text, 'Newword.')
})

test('the answer to a hidden variant is kept like that to one that is not there', async () => {
  const spaces = [
    await makeSpace(app, { 'README.md': '# Open\n' }, 'Open'),
    await makeSpace(app, { 'README.md': '# Beta\n' }, 'Beta'),
  ]
  const ids = spaces.map(({ space }) => space.id)
  const { id, basename } = await publishedSite(app, ids, { visibility: 'public' })
  const beta = readStructure(ctx.store, id).siteSpaces[1] as SiteSpaceRow

  updateSiteSpace(ctx.store, beta.id, { path: 'beta', condition: 'visitor.claims.beta' })
  for (const path of ['beta', 'beta/a', 'zeta', 'zeta/a'])
    await keptMissing(`/sites/acme/${basename}/${path}`)
})

test('a search before the index has the content is not kept', async () => {
  const { base } = await insertPublicSite(app, files)
  await until('the page is found', async () => {
    const { text } = await opened(`${base}~gitbook/search?q=plainword`)
    return text.includes('Plainword') || undefined
  })
})

test('paths of versions and of reserved names without an answer are computed each time', async () => {
  const { base } = await publish(files)
  await keptMissing(`${base}settled`)

  for (const [path, status] of [
    ['~/revisions/2020-01-01/plain', 401],
    ['~gitbook/none', 404],
    ['~stemma/none', 404],
  ] as const) {
    const count = await computedDuring(async () => {
      for (let round = 0; round < 2; round++)
        assert.is((await openPage(app, base + path, { accept: 'text/html' })).status, status, path)
    })
    assert.is(count, 2, path)
  }
})

test('any number of paths without a page leaves kept pages as they are', async () => {
  const small = await siteApp({ STEMMA_CACHE_MB: '16' })
  try {
    const { base } = await insertPublicSite(small, files)
    const open = (path: string) => openPage(small, base + path)
    await keptMissing(`${base}gone`, small)
    await open('plain')
    const count = await computedDuring(async () => {
      for (let at = 0; at < 60; at++)
        assert.is((await open(`x${at}?tag=${'x'.repeat(8_000)}`)).status, 404)
    })

    assert.is(count, 60)
    assert.is(await computedDuring(() => open('plain')), 0)
  } finally {
    await small.stop()
  }
})

test('an edit is readable at once, also where an equal request waits', async () => {
  const { base, space } = await publish(files)
  await opened(`${base}plain`)
  const pages = (await admin.get(`/v1/spaces/${space}/content/pages`)).body.pages
  const page = pages.find(({ title }: { title: string }) => title === 'Plain').id
  const changed = await admin.post(`/v1/spaces/${space}/content`, {
    changes: [{ operation: 'update_page', page, document: { markdown: 'Newword.\n' } }],
  })

  assert.ok(changed.status < 300, changed.text)
  assert.match((await opened(`${base}plain`)).text, 'Newword.')
})

test('above the line, readers and programs are asked to try again in their own form', async () => {
  const { base } = await publish(files)
  const admission = await admissionOf(() => opened(`${base}plain?tag=none`))
  let end = () => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  const applicant = { kind: 'stranger', share: '127.0.0.1' } as const
  const line = Array.from({ length: 101 }, () => admission.run(applicant, undefined, () => ended))

  try {
    const forms: [path: string, accept: string, type: string][] = [
      ['varying', 'text/html', 'text/html'],
      ['varying.md', '*/*', 'text/plain'],
      ['rss.xml', 'application/rss+xml', 'text/plain'],
      ['~gitbook/search?q=word', 'text/html', 'text/html'],
    ]

    for (const [path, accept, type] of forms) {
      const { status, headers, text } = await openPage(app, base + path, { accept })
      assert.is(status, 503, path)
      assert.match(headers.get('content-type') ?? '', type)
      assert.match(headers.get('retry-after') ?? '', /^\d+$/)
      assert.match(text, 'Try again')
    }

    await opened(`${base}plain?tag=none`)
  } finally {
    end()
    await Promise.all(line)
  }

  await opened(`${base}varying`)
})

test.run()

import { SignJWT } from 'jose'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { query } from '../../../src/store/store.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const day = (text: string): number => Date.parse(`${text}T12:00:00Z`) / 1000
const summary = (...entries: string[]) =>
  `# Table of contents\n\n${entries.map(entry => `* ${entry}\n`).join('')}`

const { base, space, site } = await insertPublicSite(app, {})
const repo = spaceRepository(app.ctx, space)
/** Opens the site: commits that are pushed together are recorded as one publication. */
const publish = () => openPage(app, base)
const first = await commitFiles(
  repo,
  {
    'README.md': '# Home\n\nSee [setting up](setup.md) and [old](old.md).\n',
    'SUMMARY.md': summary('[Home](README.md)', '[Set up](setup.md)', '[Old](old.md)'),
    'setup.md':
      '# Set up\n\nOldword: the password is hunter2.\n\nRun the program and wait for it.\n',
    'old.md': '# Old\n\nGoes away.\n',
  },
  { at: day('2024-02-29'), message: 'First words\n\nMore about them' },
)
const second = await commitFiles(
  repo,
  { 'setup.md': '# Set up\n\nNo secrets.\n\nRun the program and wait for it.\n' },
  { at: day('2024-03-10'), message: 'Take the password out' },
)
await publish()
const third = await commitFiles(
  repo,
  {
    'setup.md': null,
    'install.md': '# Set up\n\nNo secrets.\n\nRun the program and wait for it.\n',
    'old.md': null,
    'README.md': '# Home\n\nSee [setting up](install.md).\n',
    'SUMMARY.md': summary('[Home](README.md)', '[Set up](install.md)'),
  },
  { at: day('2024-03-12'), message: 'Rename' },
)

await publish()

const reader = app.user('Rita', 'read')
const member = new Browser(app.url)
const open = (path: string, headers: Record<string, string> = {}) =>
  openPage(app, base + path, { cookie: member.cookie, accept: 'text/html', ...headers })
const revision = (oid: string) => `~/revisions/${oid}/`

test.before(async () => {
  assert.is((await member.signIn(reader.token)).status, 303)
})

test('earlier versions ask readers to sign in, whether or not they exist', async () => {
  const paths = [
    `${revision(first)}setup`,
    `${revision('0'.repeat(40))}setup`,
    '~/revisions/2024-03-01/setup',
    `~/compare/${first}...${third}/`,
    '~/changes/1/',
    '~/nothing/1/',
  ]

  for (const path of paths) {
    const page = await open(path, { cookie: '' })
    assert.is(page.status, 401, path)
    assert.not.match(page.text, 'hunter2')
    assert.match(page.text, '<h1>Sign in to read this</h1>')
    const login = `${base}~gitbook/auth/login?${new URLSearchParams({ location: path.replace(/\/$/, '') })}`
    assert.match(page.text, `href="${login.replaceAll('&', '&amp;')}"`)
  }

  const history = await open('', { cookie: '' })
  assert.not.match(history.text, '~stemma/history')
})

test('a member reads the site as of a commit: page, list, Markdown, search and links stay in it', async () => {
  const page = await open(`${revision(first)}setup`)
  assert.is(page.status, 200)
  assert.match(page.text, 'hunter2')
  assert.match(
    page.text,
    `You are reading this site as of February 29, 2024 (${first.slice(0, 7)}).`,
  )

  assert.equal(
    [page.headers.get('cache-control'), page.headers.get('x-robots-tag')],
    ['private, no-store', 'noindex'],
  )
  assert.match(page.text, '<meta name="robots" content="noindex"')
  assert.not.match(page.text, 'rel="canonical"')
  const home = await open(revision(first))

  assert.match(home.text, `href="${base}${revision(first)}setup"`)
  assert.match(home.text, `href="${base}${revision(first)}old"`)
  assert.match(home.text, `href="${base}${revision(first)}~gitbook/search"`)
  const markdown = await open(`${revision(first)}setup.md`)

  assert.match(markdown.text, 'hunter2')
  assert.equal(
    [markdown.headers.get('content-type'), markdown.headers.get('cache-control')],
    ['text/markdown; charset=utf-8', 'private, no-store'],
  )
  const found = await open(`${revision(first)}~gitbook/search?q=oldword&part=1`)

  assert.match(found.text, `href="${base}${revision(first)}setup"`)
  assert.not.match((await open('~gitbook/search?q=oldword&part=1')).text, 'href="/sites')
})

test('the banner leads to the current page, and to what changed since', async () => {
  const page = await open(`${revision(first)}setup`)
  assert.match(page.text, `href="${base}install"`)
  assert.match(page.text, `href="${base}~/compare/${first}...${third}/install"`)
  const same = await open(`${revision(second)}setup`)
  assert.match(same.text, 'This page has not changed since.')
  const gone = await open(`${revision(first)}old`)
  assert.match(gone.text, `href="${base}~/compare/${first}...${third}/old"`)
})

test('other spellings of an address lead to it within the version', async () => {
  const cases: [string, number, string][] = [
    [`${revision(first)}Setup/`, 307, `${revision(first)}setup`],
    [`${revision(first)}setup.html?x=1`, 307, `${revision(first)}setup?x=1`],
    [`~/revisions/${first}`, 307, revision(first)],
    [`~/revisions/${first.toUpperCase()}/setup`, 302, `${revision(first)}setup`],
    [`~/compare/${first}..${second}/setup`, 302, `~/compare/${first}...${second}/setup`],
    [`~/compare/2024-03-01...2024-03-12/`, 302, `~/compare/${first}...${third}/`],
    [`${revision(first)}~stemma/page/x`, 404, ''],
  ]
  for (const [path, status, to] of cases) {
    const answer = await open(path)
    const location = to === '' ? null : base + to
    assert.equal([answer.status, answer.headers.get('location')], [status, location], path)
  }
})

test('a day leads to the last commit before it ended', async () => {
  for (const [name, oid] of [
    ['2024-02-29', first],
    ['2024-03-09', first],
    ['2024-03-10', second],
    ['2024-03-11', second],
    ['2024-03-12', third],
  ] as const) {
    const answer = await open(`~/revisions/${name}/setup`)
    assert.is(answer.headers.get('cache-control'), 'private, no-store')
    assert.equal(
      [answer.status, answer.headers.get('location')],
      [302, `${base}${revision(oid)}setup`],
      name,
    )
  }
})

test('a day that the calendar lacks, one before the first version, and unknown commits are not found, with help', async () => {
  for (const name of [
    '2023-02-29',
    '2024-02-30',
    '2024-13-01',
    '2024-00-10',
    '1999-01-01',
    '24-1-1',
    '0'.repeat(40),
    first.slice(0, 39),
    'main',
    '2024-03-10..2024-03-12',
  ]) {
    const page = await open(`~/revisions/${name}/setup`)
    assert.is(page.status, 404, name)
    assert.match(page.text, 'such as 2026-03-12')
  }

  assert.is((await open(`~/compare/${first}/`)).status, 404)
  assert.is((await open(`~/compare/${first}...${second}...${third}/`)).status, 404)
})

test('a page that a version lacks says so, and leads to the page under its name there', async () => {
  const page = await open(`${revision(first)}install`)
  assert.is(page.status, 404)
  assert.match(page.text, 'This page is not in this version')
  assert.match(page.text, `href="${base}${revision(first)}setup"`)
})

test('the history of a page goes through its renames, and leads to versions and changes', async () => {
  const page = await open('install')
  const [, address = ''] = /href="([^"]*~stemma\/history\/[^"]*)"/.exec(page.text) ?? []
  assert.match(address, `${base}~stemma/history/`)
  const id = address.split('/').at(-1)
  const history = await openPage(app, address, { cookie: member.cookie })
  const subjects = [...history.text.matchAll(/class="subject">([^<]*)</g)].map(([, text]) => text)

  assert.equal(subjects, ['Rename', 'Take the password out', 'First words'])
  assert.match(
    history.text,
    new RegExp(
      `<time datetime="2024-03-10T[^"]*">March 10, 2024 at [\\d:]+\\s[AP]M UTC</time><code>${second.slice(0, 7)}</code>`,
    ),
  )
  const then = `${base}${revision(second)}~stemma/page/${id}`

  assert.match(history.text, `href="${then}"`)
  assert.match(history.text, `href="${base}~/compare/${first}...${second}/~stemma/page/${id}"`)
  const moved = await openPage(app, then, { cookie: member.cookie })

  assert.equal(
    [moved.status, moved.headers.get('location')],
    [307, `${base}${revision(second)}setup`],
  )
  assert.is((await openPage(app, address)).status, 404)
  const rest = await openPage(app, `${address}?before=3`, { cookie: member.cookie })

  assert.not.match(rest.text, 'class="subject">Rename')
})

test('renames in commits that were pushed together are followed as well', async () => {
  const other = await insertPublicSite(app, {})
  const own = spaceRepository(app.ctx, other.space)
  const text = '# Set up\n\nRun the program and wait for it, then go on.\n'
  const then = await commitFiles(own, {
    'SUMMARY.md': null,
    'README.md': '# Home\n',
    'setup.md': text,
  })

  await commitFiles(own, { 'setup.md': null, 'install.md': text })
  const edited = await commitFiles(own, { 'install.md': `${text}\nThat is all.\n` })
  const page = await openPage(app, `${other.base}install`, { cookie: member.cookie })
  const address = /href="([^"]*~stemma\/history\/[^"]*)"/.exec(page.text)?.[1] ?? ''
  const history = await openPage(app, address, { cookie: member.cookie })

  assert.is(history.text.match(/class="subject"/g)?.length, 3)
  const asOf = `${other.base}${revision(then)}~stemma/page/${address.split('/').at(-1)}`

  assert.match(history.text, `href="${asOf}"`)
  const moved = await openPage(app, asOf, { cookie: member.cookie })

  assert.is(moved.headers.get('location'), `${other.base}${revision(then)}setup`)
  const compared = `${other.base}~/compare/${then}...${edited}/install`
  const marked = await openPage(app, compared, { cookie: member.cookie })

  assert.is(marked.text.match(/class="change /g)?.length, 1)
  const missing = await openPage(app, `${other.base}${revision(then)}install`, {
    cookie: member.cookie,
  })

  assert.match(missing.text, `href="${other.base}${revision(then)}setup"`)
})

test('a long history comes in pages', async () => {
  const other = await insertPublicSite(app, {})
  const own = spaceRepository(app.ctx, other.space)
  for (let at = 1; at <= 65; at++)
    await commitFiles(
      own,
      { 'README.md': `# Home\n\nText ${at}.\n` },
      { at: day('2024-03-01') + at, message: `Change ${at}` },
    )

  const home = await openPage(app, other.base, { cookie: member.cookie })
  let address = /href="([^"]*~stemma\/history\/[^"]*)"/.exec(home.text)?.[1]
  const subjects: string[] = []

  for (let pages = 0; address && pages < 5; pages++) {
    const page = await openPage(app, address, { cookie: member.cookie })
    subjects.push(...[...page.text.matchAll(/class="subject">([^<]*)</g)].map(([, text]) => text!))
    address = /href="([^"]*\?before=\d+)"/.exec(page.text)?.[1]
  }

  const expected = Array.from({ length: 65 }, (_, at) => `Change ${65 - at}`)

  assert.equal(subjects.slice(0, 65), expected)
})

test('readers of a site that opens earlier versions read the published ones, and nothing of other branches', async () => {
  const draft = await commitFiles(
    repo,
    { 'README.md': '# Home\n\nDraftword.\n' },
    { ref: 'refs/heads/draft', parents: [third] },
  )

  updateSite(app.ctx.store, site, { time_travel: 'readers' })
  const page = await openPage(app, `${base}${revision(first)}setup`)
  assert.is(page.status, 200)
  assert.match(page.text, 'hunter2')
  assert.equal(
    [page.headers.get('cache-control'), page.headers.get('x-robots-tag')],
    ['public, max-age=0, must-revalidate', 'noindex'],
  )
  assert.match((await openPage(app, base)).text, '~stemma/history/')
  const history =
    /href="([^"]*~stemma\/history\/[^"]*)"/.exec((await openPage(app, base)).text)?.[1] ?? ''

  assert.is((await openPage(app, history)).status, 200)
  assert.is((await openPage(app, `${base}${revision(draft)}`)).status, 404)
  assert.is((await openPage(app, `${base}~/compare/${first}...${draft}/`)).status, 404)
  assert.match((await open(revision(draft))).text, 'Draftword.')
  assert.is((await openPage(app, `${base}~/changes/1/`)).status, 401)
  updateSite(app.ctx.store, site, { time_travel: 'members' })
  assert.is((await openPage(app, `${base}${revision(first)}setup`)).status, 401)
})

test('what a condition hides now is hidden in earlier versions', async () => {
  const files = {
    'README.md': '# Home\n\nWelcome.\n',
    'SUMMARY.md': summary('[Home](README.md)', '[Plan](plan.md)', '[Beta](beta.md)'),
    'plan.md': '# Plan\n\nPlanword.\n',
    'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n\nBetaword.\n',
  }
  const other = await insertPublicSite(app, {}, { time_travel: 'readers' })
  const own = spaceRepository(app.ctx, other.space)
  const before = await commitFiles(own, files)
  const after = await commitFiles(own, {
    'plan.md': `---\nif: visitor.claims.plan === "pro"\n---\n\n${files['plan.md']}`,
  })

  for (const oid of [before, after]) {
    const at = other.base + revision(oid)
    for (const path of [
      '',
      'plan',
      'plan.md',
      'beta',
      'beta.md',
      '~gitbook/search?q=planword',
      'pla',
    ]) {
      const { text } = await openPage(app, at + path)
      assert.not.match(text.replaceAll('planword', ''), /Planword|Betaword|>Plan<|>Beta</, path)
    }

    assert.is((await openPage(app, `${at}plan`)).status, 404)
  }

  const compared = await openPage(app, `${other.base}~/compare/${before}...${after}/`)

  assert.is(compared.status, 200)
  assert.not.match(compared.text, '>Plan<')
  assert.is((await openPage(app, `${other.base}~/compare/${before}...${after}/plan`)).status, 404)
})

test('every audience: earlier versions are for members, and for readers once the site opens them', async () => {
  const text = { 'README.md': '# Home\n\nNow.\n' }
  const { cookie } = member
  for (const visibility of ['public', 'unlisted', 'share-link', 'visitor-auth'] as const) {
    const other = await insertPublicSite(app, {}, { visibility })
    const own = spaceRepository(app.ctx, other.space)
    const then = await commitFiles(own, { ...text, 'README.md': '# Home\n\nThenword.\n' })
    await commitFiles(own, text)
    const { start, cookies } = await admission(other, visibility)
    const address = `${start}${revision(then)}`
    const read = (...pairs: string[]) => openPage(app, address, { cookie: pairs.join('; ') })

    const isOpen = visibility === 'public' || visibility === 'unlisted'
    assert.is((await read(cookies)).status, isOpen ? 401 : 404, visibility)
    const asMember = await read(cookies, cookie)

    assert.match(asMember.text, 'Thenword.', visibility)
    assert.is(asMember.headers.get('cache-control'), 'private, no-store')
    if (visibility === 'visitor-auth') assert.is((await read(cookie)).status, 401)
    if (visibility === 'share-link')
      assert.is((await openPage(app, other.base + revision(then), { cookie })).status, 404)
    updateSite(app.ctx.store, other.site, { time_travel: 'readers' })
    const asReader = await read(cookies)

    assert.match(asReader.text, 'Thenword.', visibility)
    assert.is(asReader.headers.get('x-robots-tag'), 'noindex')
    assert.match(asReader.headers.get('cache-control') ?? '', isOpen ? 'public' : 'private')
    const outside = await openPage(app, other.base + revision(then))

    assert.is(
      outside.status,
      { 'visitor-auth': 401, 'share-link': 404 }[visibility as string] ?? 200,
    )
    assert.is(outside.text.includes('Thenword.'), isOpen)
  }
})

/** Returns the base at which readers of an audience open a site, and the cookies that they need. */
async function admission(
  { base: start, site: id }: { base: string; site: string },
  visibility: string,
) {
  const path = `/v1/orgs/acme/sites/${id}`
  if (visibility === 'share-link') {
    const { body } = await app.admin.post(`${path}/share-links`, { name: 'For you' })
    return { start: new URL(body.urls.published).pathname, cookies: '' }
  }

  if (visibility !== 'visitor-auth') return { start, cookies: '' }

  const { privateKey } = (await app.admin.get(`${path}/publishing/auth`)).body
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(Buffer.from(privateKey))
  const arrived = await openPage(app, `${start}?jwt_token=${token}`)

  return { start, cookies: (arrived.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '' }
}

test('versions of the space of a variant lie below the variant, and are its own', async () => {
  const other = await insertPublicSite(app, {})
  const { space: added, repo: own } = await makeSpace(
    app,
    { 'README.md': '# Second\n\nOlderword.\n' },
    'Second',
  )
  const then = (await app.admin.get(`/v1/spaces/${added.id}/revisions?limit=1`)).body.items[0].id
  await commitFiles(own, { 'README.md': '# Second\n\nNewer.\n' })
  const placed = await app.admin.post(`/v1/orgs/acme/sites/${other.site}/site-spaces`, {
    spaceId: added.id,
  })

  assert.is(placed.status, 201, placed.text)
  const { cookie } = member
  const page = await openPage(app, `${other.base}second/${revision(then)}`, { cookie })

  assert.match(page.text, 'Olderword.')
  assert.match(page.text, `href="${other.base}second/"`)
  assert.is((await openPage(app, `${other.base}${revision(then)}`, { cookie })).status, 404)
})

test('a commit that was rewritten to remove content leads to its replacement', async () => {
  const { store } = app.ctx
  const old = asOid('a'.repeat(40))
  store.run(
    query.insertInto('rewritten_commit').values({ space_id: space, old_oid: old, new_oid: second }),
  )
  const answer = await open(`~/revisions/${old}/setup`)

  assert.equal(
    [answer.status, answer.headers.get('location')],
    [302, `${base}${revision(second)}setup`],
  )
})

test('a damaged or foreign cookie changes nothing for a reader', async () => {
  for (const cookie of ['stemma-session=x', `stemma-session=${'x'.repeat(43)}`]) {
    assert.is((await open(`${revision(first)}setup`, { cookie })).status, 401)
    assert.is(
      (await open('install', { cookie })).text,
      (await open('install', { cookie: '' })).text,
    )
  }
})

test.run()

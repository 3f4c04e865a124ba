import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { Browser } from '../../support/http/browser.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
const { admin } = app
test.after(() => app.stop())

const picture = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="${color}"/></svg>`
const files = {
  'README.md': '# Home\n\nWelcome.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide/README.md)\n  * [Install](guide/install.md)\n  * [Old](guide/old.md)\n* [Options](options.md)\n',
  'guide/README.md': '# Guide\n\nText.\n',
  'guide/install.md':
    '# Install\n\nRun npm install and start it.\n\nGoes away altogether.\n\n![A picture](../.gitbook/assets/a.svg)\n\nEnd of it.\n',
  'guide/old.md': '# Old\n\nOldword, see [options](../options.md).\n',
  'options.md': '# Options\n\nSome.\n',
  '.gitbook/assets/a.svg': picture('red'),
}
const { base, space } = await insertPublicSite(app, files)
const repo = spaceRepository(app.ctx, space)
const api = `/v1/spaces/${space}`
const { body: request } = await admin.post(`${api}/change-requests`, {
  subject: 'How to <install>',
})
await commitFiles(
  repo,
  {
    'guide/install.md':
      '# Install\n\nRun npm ci and start it.\n\nSomething quite different here.\n\n![A picture](../.gitbook/assets/a.svg)\n\nEnd of it.\n',
    'guide/old.md': null,
    'guide/new.md': '# New\n\nNewword text.\n',
    '.gitbook/assets/a.svg': picture('blue'),
    'SUMMARY.md': files['SUMMARY.md'].replace('[Old](guide/old.md)', '[New](guide/new.md)'),
  },
  { ref: `refs/heads/change-requests/${request.number}` },
)
// Published meanwhile: no change of the change request.
await commitFiles(repo, { 'options.md': '# Options\n\nSome, and a Laterword.\n' })

const member = new Browser(app.url)
test.before(async () => {
  await member.signIn(app.user('Mia', 'read').token)
})
const open = (path: string, cookie = member.cookie) => openPage(app, base + path, { cookie })
const scope = `~/changes/${request.number}/`
const stripped = (html: string) => html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')

test('a page of a change request marks what it changes, with anchors and buttons', async () => {
  const page = await open(`${scope}guide/install`)
  assert.is(page.status, 200)
  assert.match(
    page.text,
    'Change request #1, “How to &lt;install>”, by Ada: 1 changed, 1 new, 1 removed.',
  )
  assert.match(page.text, /<del[^>]*>install<\/del>/)
  assert.match(page.text, /<ins[^>]*>ci<\/ins>/)
  assert.match(page.text, /class="change removed"[^>]*>[\s\S]*?Goes away altogether/)
  assert.match(page.text, /class="change added"[^>]*>[\s\S]*?Something quite different/)
  const ids = [...page.text.matchAll(/id="change-(\d+)"/g)].map(([, id]) => Number(id))

  assert.equal(
    ids,
    Array.from({ length: ids.length }, (_, at) => at + 1),
  )
  assert.match(page.text, `href="#change-${ids.length}" data-step="-1"`)
  assert.match(page.text, 'href="#change-1" data-step="1"')
  assert.match(page.text, /<link rel="stylesheet" href="[^"]*travel\.\w+\.css"/)
  assert.equal(
    [page.headers.get('cache-control'), page.headers.get('x-robots-tag')],
    ['private, no-store', 'noindex'],
  )
})

test('an image whose file is another one is shown as it was and as it is', async () => {
  const { text } = await open(`${scope}guide/install`)
  const sources = [...text.matchAll(/<img[^>]* src="([^"]*)"/g)].map(([, source]) => source!)
  assert.is(new Set(sources).size, 2)
  const colors = await Promise.all(sources.map(async source => (await openPage(app, source)).text))
  assert.equal(
    colors.map(svg => /fill="(\w+)"/.exec(svg)?.[1]),
    ['red', 'blue'],
  )
})

test('without marks the page is that of the change request', async () => {
  const page = await open(`${scope}guide/install?marks=0`)
  assert.not.match(page.text, /class="change |<article[\s\S]*<(?:del|ins)|data-step/)
  assert.match(stripped(page.text), 'Run npm ci and start it. Something quite different here.')
  assert.match(page.text, `href="${base}${scope}guide/install"`)
  const article = (text: string) => /<article[\s\S]*<\/article>/.exec(text)?.[0] ?? ''
  const marked = article((await open(`${scope}guide/install`)).text)
    .replace(/<(div|span) class="change removed"[\s\S]*?<\/\1>/g, '')
    .replace(/<del[^>]*>[\s\S]*?<\/del>/g, '')
    .replace(/<span class="sr">[^<]*<\/span>/g, '')

  assert.is(stripped(marked).trim(), stripped(article(page.text)).trim())
})

test('the list of pages marks changed, new and removed pages, with their branches open', async () => {
  const { text } = await open(scope)
  assert.match(text, /<span>Install<\/span><small class="changed">/)
  assert.match(text, /<span>New<\/span><small class="tag">new<\/small>/)
  assert.match(text, /<span><del>Old<\/del><\/span>/)
  const [at, old, fresh] = ['Install', 'Old', 'New'].map(title => text.indexOf(`>${title}<`)) as [
    number,
    number,
    number,
  ]

  assert.ok(at < old && old < text.length && at < fresh)
  assert.not.match(text, /<span>Options<\/span><small/)
})

test('a removed page shows its former text as removed, and a new one is added throughout', async () => {
  const old = await open(`${scope}guide/old`)
  assert.is(old.status, 200)
  assert.match(old.text, /class="change removed"[^>]*>[\s\S]*?Oldword/)
  const fresh = await open(`${scope}guide/new`)
  assert.match(fresh.text, /class="change added"[^>]*>[\s\S]*?Newword/)
  assert.is((await open(`${scope}guide/nothing`)).status, 404)
})

test('what was published meanwhile is no change of the change request', async () => {
  const page = await open(`${scope}options`)
  assert.not.match(page.text, /Laterword|class="change /)
  assert.match((await open('options')).text, 'Laterword')
})

test('the search and the links of a change request stay in it', async () => {
  const found = await open(`${scope}~gitbook/search?q=newword&part=1`)
  assert.match(found.text, `href="${base}${scope}guide/new"`)
  const guide = await open(`${scope}guide`)
  for (const [, href] of guide.text.matchAll(/<a href="([^"]*guide[^"]*)"/g))
    assert.ok(href!.startsWith(base + scope) || href === `${base}guide`, href)
  const spelled = await open(`~/changes/0${request.number}/guide`)
  assert.equal([spelled.status, spelled.headers.get('location')], [302, `${base}${scope}guide`])
  assert.is((await open('~/changes/99/')).status, 404)
})

/** The entries of the banner: text, mark, and address. */
const entriesOf = (text: string): string[][] => {
  const [, list = ''] = /<details class="differences">([\s\S]*?)<\/details>/.exec(text) ?? []
  return [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, entry = '']) => [
    stripped(entry).trim(),
    /href="([^"]*)"/.exec(entry)?.[1] ?? '',
  ])
}

test('the banner leads to the pages that a change request changes, and to its other files', async () => {
  const { text } = await open(`${scope}guide/install`)
  const entries = entriesOf(text)
  assert.equal(
    entries.map(([title]) => title),
    [
      'Install changed',
      'New new',
      'Old removed',
      '.gitbook/assets/a.svg changed',
      'SUMMARY.md changed',
    ],
  )
  assert.match(text, 'Other files that differ: 2.')

  for (const [title, href = ''] of entries)
    assert.is((await openPage(app, href, { cookie: member.cookie })).status, 200, title)
  const [, image = ''] = entries[3] ?? []
  assert.match((await openPage(app, image, { cookie: member.cookie })).text, 'blue')
})

test('a change request without changed pages lists its files, also those that no page names', async () => {
  const { body: other } = await admin.post(`${api}/change-requests`, { subject: 'Files' })
  const ref = `refs/heads/change-requests/${other.number}`
  const added = { 'unlisted.md': '# Unlisted\n', '.gitbook/assets/a.svg': picture('green') }
  await commitFiles(repo, added, { ref })
  const { text } = await open(`~/changes/${other.number}/`)
  assert.match(text, 'by Ada: 0 changed, 0 new, 0 removed. Other files that differ: 2.')
  const entries = entriesOf(text)
  assert.equal(
    entries.map(([title]) => title),
    ['.gitbook/assets/a.svg changed', 'unlisted.md new'],
  )
  const page = await openPage(app, entries[1]?.[1] ?? '', { cookie: member.cookie })
  assert.match(page.text, '# Unlisted')
})

test('change requests are for members alone, and need their scope', async () => {
  assert.is((await open(`${scope}guide/install`, '')).status, 401)
  const stranger = new Browser(app.url)
  await stranger.signIn(app.user('Stan').token)
  assert.is((await open(`${scope}guide/install`, stranger.cookie)).status, 404)
  const { body: token } = await admin.post('/v1/user/tokens', {
    name: 'content',
    scopes: ['content:read'],
  })
  const limited = new Browser(app.url)

  await limited.signIn(token.token)
  assert.is((await open(`${scope}guide/install`, limited.cookie)).status, 404)
  const home = await open('', limited.cookie)

  assert.match(home.text, 'class="toolbar"')
  assert.not.match(home.text, '/changes/')
})

test('a comparison shows what changed between two commits, and the history leads to it', async () => {
  const head = (await admin.get(`${api}/revisions?limit=2`)).body.items.map(
    ({ id }: { id: string }) => id,
  )
  const page = await open(`~/compare/${head[1]}...${head[0]}/options`)
  assert.match(page.text, /What changed between .+ and .+\./)
  assert.match(page.text, /<ins[^>]*>, and a Laterword<\/ins>/)
  const back = await open(`~/compare/${head[0]}...${head[1]}/options`)
  assert.match(back.text, /<del[^>]*>, and a Laterword<\/del>/)
})

test('a merged change request keeps its changes', async () => {
  const merged = await admin.post(`${api}/change-requests/${request.number}/merge`)
  assert.is(merged.status, 200, merged.text)
  const page = await open(`${scope}guide/install`)
  assert.match(page.text, /<ins[^>]*>ci<\/ins>/)
  const history =
    /href="([^"]*~stemma\/history\/[^"]*)"/.exec((await open('guide/install')).text)?.[1] ?? ''
  const entries = await openPage(app, history, { cookie: member.cookie })
  assert.match(entries.text, `href="${base}${scope}"`)
})

/** Returns the titles that the list of pages marks, with their marks. */
const marksIn = (html: string) =>
  [...html.matchAll(/<span>(?:<del>)?([^<]*)(?:<\/del>)?<\/span><small class="(\w+)"/g)].map(
    ([, title, mark]) => `${title} ${mark}`,
  )

test('a page that was renamed in a history that was pushed as a whole is one changed page', async () => {
  const { base, space } = await insertPublicSite(app, {}, { time_travel: 'readers' })
  const pushed = spaceRepository(app.ctx, space)
  const words = 'Words of a page that stay.\n\nAnd more of them in a second paragraph.\n'
  const list = (...entries: string[]) => `# Table of contents\n\n${entries.join('\n')}\n`
  const from = await commitFiles(pushed, {
    'README.md': '# Home\n',
    'guide/install.md': `# Install\n\n${words}`,
    'options.md': '# Options\n\nSome.\n',
    'SUMMARY.md': list(
      '* [Home](README.md)',
      '  * [Install](guide/install.md)',
      '* [Options](options.md)',
    ),
  })

  const to = await commitFiles(pushed, {
    'guide/install.md': null,
    'setup.md': `# Setup\n\n${words}\nAdded.\n`,
    'SUMMARY.md': list('* [Home](README.md)', '* [Setup](setup.md)', '* [Options](options.md)'),
  })
  const scope = `${base}~/compare/${from}...${to}/`
  const page = await openPage(app, `${scope}setup`)

  assert.equal(marksIn(page.text), ['Setup changed'])
  assert.match(page.text, /class="change added"[^>]*>[\s\S]*?Added/)
  assert.is(page.text.match(/ id="change-/g)?.length, 1)
  assert.match(page.text, /<h1><del>Install<\/del> <ins>Setup<\/ins><\/h1>/)
  assert.is(/<p class="moved">(.*?)<\/p>/.exec(page.text)?.[1], 'Moved from /readme/install')
  const plain = await openPage(app, `${scope}setup?marks=0`)

  assert.match(plain.text, '<h1>Setup</h1>')
  const former = await openPage(app, `${scope}guide/install`)

  assert.equal([former.status, former.headers.get('location')], [307, `${scope}setup`])
})

test('a page that only moved says where it was', async () => {
  const { base, space } = await insertPublicSite(app, {}, { time_travel: 'readers' })
  const moving = spaceRepository(app.ctx, space)
  const words = '# Install\n\nThe words of this page stay as they are.\n'
  const summary = (path: string) => `* [Home](README.md)\n* [Guide](guide/README.md)\n${path}`
  const from = await commitFiles(moving, {
    'README.md': '# Home\n',
    'guide/README.md': '# Guide\n',
    'install.md': words,
    'SUMMARY.md': summary('* [Install](install.md)\n'),
  })

  const to = await commitFiles(moving, {
    'install.md': null,
    'guide/install.md': words,
    'SUMMARY.md': summary('  * [Install](guide/install.md)\n'),
  })
  const scope = `${base}~/compare/${from}...${to}/`
  const page = await openPage(app, `${scope}guide/install`)

  assert.equal(marksIn(page.text), ['Install changed'])
  assert.match(page.text, '<p class="moved">Moved from /install</p>')
  const plain = await openPage(app, `${scope}guide/install?marks=0`)

  assert.not.match(plain.text, 'Moved from')
  const other = await openPage(app, `${scope}guide`)

  assert.not.match(other.text, 'Moved from')
})

test('a changed description is marked, with one that is new or gone', async () => {
  const { base, space } = await insertPublicSite(app, {}, { time_travel: 'readers' })
  const pushed = spaceRepository(app.ctx, space)
  const text = (description: string) => `---\n${description}\n---\n\n# Options\n\nSome.\n`
  await commitFiles(pushed, { 'SUMMARY.md': null, 'README.md': '# Home\n' })
  const versions = []

  for (const front of [
    'icon: star',
    'description: One line',
    'description: Another line',
    'icon: star',
  ])
    versions.push(await commitFiles(pushed, { 'options.md': text(front) }))

  const leads = []

  for (const [at, to] of versions.slice(1).entries()) {
    const page = await openPage(app, `${base}~/compare/${versions[at]}...${to}/options`)
    leads.push(/<p class="lead">(.*?)<\/p>/.exec(page.text)?.[1]?.trim())
  }

  assert.equal(leads, [
    '<ins>One line</ins>',
    '<del>One line</del> <ins>Another line</ins>',
    '<del>Another line</del>',
  ])
})

test('changed reusable content marks the pages that show it, and the words in it', async () => {
  const { base, space } = await insertPublicSite(app, {}, { time_travel: 'readers' })
  const pushed = spaceRepository(app.ctx, space)
  const include = (path: string) => `{% include "${path}" %}`
  const [outer, inner] = ['.gitbook/includes/outer.md', '.gitbook/includes/inner.md']
  const from = await commitFiles(pushed, {
    'SUMMARY.md': null,
    'README.md': '# Home\n',
    'direct.md': `# Direct\n\nFirst words.\n\n${include(inner)}\n\n${include(inner)}\n\nLast words.\n`,
    'nested.md': `# Nested\n\n${include(outer)}\n`,
    'other.md': '# Other\n\nNames .gitbook/includes/inner.md.\n',
    [outer]: `Around it.\n\n${include('inner.md')}\n`,
    [inner]: 'Words that stay, and the former ones.\n',
  })

  const to = await commitFiles(pushed, {
    'direct.md': `# Direct\n\nFirst words.\n\n${include(inner)}\n\n${include(inner)}\n\nLast words here.\n`,
    [inner]: 'Words that stay, and the later ones.\n\nOne more.\n',
  })
  const scope = `${base}~/compare/${from}...${to}/`
  const direct = await openPage(app, `${scope}direct`)

  assert.equal(marksIn(direct.text), ['Direct changed', 'Nested changed'])
  const nested = await openPage(app, `${scope}nested`)

  for (const { text } of [direct, nested]) {
    assert.match(
      text,
      /Words that stay, and the <del[^>]*>former<\/del>\s*<ins[^>]*>later<\/ins> ones/,
    )
    assert.match(text, /class="change added"[^>]*>[\s\S]*?One more/)
    const ids = [...text.matchAll(/id="(change-\d+)"/g)].map(([, id]) => id)
    assert.equal(
      ids,
      [...ids.keys()].map(at => `change-${at + 1}`),
    )
    assert.match(text, `href="#change-${ids.length}" data-step="-1"`)
  }

  const plain = await openPage(app, `${scope}nested?marks=0`)

  assert.not.match(plain.text, /<article[\s\S]*<(?:ins|del)|class="change /)
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openContent } from '../../../src/actions/audience/open-content.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { findChangeRequest } from '../../../src/store/discussions/change-requests.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { index, marked, pathsOf, searchableSite } from './searchable.ts'

const app = await startApp()
holdSearch(app.ctx)
test.after(() => app.stop())

const guide = {
  'README.md': '# Home\n\nWelcome to the zoo.\n',
  'SUMMARY.md':
    '* [Home](README.md)\n* [Animals](animals.md)\n  * [Cats](cats.md)\n* [Ocelot](ocelot.md)\n* [Trees](trees.md)\n',
  'animals.md': '# Animals\n\nAll of them.\n',
  'cats.md':
    '# Cats\n\nBefore everything.\n\n## Large ones\n\nA lion.\n\n## Small ones\n\nHere an Ocelot sleeps, and another ocelot eats.\n',
  'ocelot.md':
    '---\ndescription: The ocelot in one line.\n---\n# Ocelot\n\n## Ocelot food\n\nMeat.\n',
  'trees.md': '# Trees\n\nAn ocelot in a tree.\n\n## Ocelot traces\n\nOn bark.\n',
}

test('hits are pages or sections of pages, best first, with a passage that is split at the found words', async () => {
  const { search, spaces } = await searchableSite(app, [guide])
  const found = await search('ocelot')
  assert.equal(pathsOf(found), ['ocelot', 'trees#ocelot-traces', 'animals/cats#small-ones'])
  assert.equal([found.count, found.more, found.suggestion], [3, false, undefined])
  const [title, heading, text] = found.hits

  assert.is(marked(title!.passage), 'The [ocelot] in one line.')
  assert.equal(heading!.section, { heading: 'Ocelot traces', anchor: 'ocelot-traces' })
  assert.is(marked(text!.passage), 'Here an [Ocelot] sleeps, and another [ocelot] eats.')
  assert.equal([text!.title, text!.ancestors], ['Cats', ['Animals']])
  assert.is(text!.siteSpace.space.id, spaces[0]!.space.id)
  assert.equal(pathsOf(await search('Before every')), ['animals/cats'])
  assert.equal(pathsOf(await search('…')), [])
})

test('a search with a smaller limit returns the first of the same hits, and says that there are more', async () => {
  const words = ['An ocelot.', 'An ocelot and a lynx.', 'A lynx.', 'Ocelots, lynx, ocelots.']
  const pages = Object.fromEntries(
    Array.from({ length: 80 }, (_, n) => [
      `page-${n}.md`,
      `# Page ${n}\n\n${words[(n * 7) % 4]} ${'Other text. '.repeat((n * 13) % 29)}\n`,
    ]),
  )
  const part = '# Lynx {{ visitor.claims.team }}\n\nAn ocelot beside a lynx.\n'
  const home = { 'README.md': '# Home\n' }
  const { search } = await searchableSite(app, [
    { ...home, ...pages, 'part.md': part },
    { ...home, ...pages },
    { ...home, 'a.md': '# A\n\nAn ocelot beside a lynx and a serval.\n' },
  ])

  for (const query of ['ocelot', 'lynx ocelot', 'ocelot lynx serval', 'ocelto']) {
    const whole = await search(query, { limit: 60 })
    for (const limit of [1, 8, 20, 40]) {
      const { hits, count, more } = await search(query, { limit })
      assert.equal(hits, whole.hits.slice(0, limit), `${query}, ${limit}`)
      assert.equal([count, more], [whole.count, whole.count > limit], query)
    }
  }
})

test('pages of the open site space come first among equals', async () => {
  const files = { 'README.md': '# Home\n\nAn ocelot.\n' }
  const { search, readerWith } = await searchableSite(app, [
    files,
    files,
    { 'README.md': '# Ocelot\n' },
  ])
  const titlesOf = (found: Awaited<ReturnType<typeof search>>) =>
    found.hits.map(({ siteSpace }) => siteSpace.space.title)
  const first = await search('ocelot')

  assert.equal(titlesOf(first), ['Space 2', 'Space 0', 'Space 1'])
  const current = first.hits.find(({ siteSpace }) => siteSpace.space.title === 'Space 1')!.siteSpace
    .row.id

  assert.equal(titlesOf(await search('ocelot', { current })), ['Space 2', 'Space 1', 'Space 0'])
  const only = [first.hits[0]!.siteSpace]

  assert.equal(titlesOf(await search('ocelot', { siteSpaces: only, reader: readerWith({}) })), [
    'Space 2',
  ])
})

test('of a word that many pages have, the page that is most about it comes first', async () => {
  const many = (count: number, best: string): Record<string, string> => ({
    'README.md': '# Home\n',
    ...Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `page-${100 + n}.md`,
        `# Page ${n}\n\nAn ocelot beside ${'other things and '.repeat(20)}\n`,
      ]),
    ),
    'z.md': best,
  })
  const { search } = await searchableSite(app, [
    many(60, '# Z\n\nAn ocelot.\n'),
    many(40, '# Y\n\nAn ocelot and an ocelot.\n'),
  ])
  const { hits } = await search('ocelot', { limit: 2 })
  assert.equal(
    hits.map(({ title }) => title),
    ['Y', 'Z'],
  )
})

test('pages with some of the words are found beside one that depends on the reader', async () => {
  const { search } = await searchableSite(app, [
    {
      'README.md': '# Home\n',
      'a.md': '# A\n\nA quokka beside a numbat.\n',
      'b.md': '# B\n\nA quokka beside a potoroo.\n',
      'c.md':
        "# C\n\nA numbat beside a potoroo.{% if visitor.claims.team == 'a' %} Text.{% endif %}\n",
    },
    { 'README.md': '# Start\n', 'd.md': '# D\n\nA quokka beside a numbat.\n' },
  ])
  const { hits } = await search('quokka numbat potoroo')
  assert.equal(hits.map(({ title }) => title).sort(), ['A', 'B', 'C', 'D'])
})

test('pages in Chinese, Japanese, Korean and Thai are found by any part of their words', async () => {
  const { search } = await searchableSite(app, [
    {
      'README.md': '# Home\n',
      'zh.md': '# 安装\n\n如何在服务器上安装数据库系统。\n',
      'ja.md': '# 設定\n\nサーバーの環境変数を設定します。\n',
      'ko.md': '# 시작하기\n\n데이터베이스를 설치합니다.\n',
      'th.md': '# การติดตั้ง\n\nวิธีการติดตั้งฐานข้อมูลบนเซิร์ฟเวอร์\n',
    },
  ])

  const table: [query: string, path: string, passage: string][] = [
    ['数据库', 'zh', '如何在服务器上安装[数据库]系统。'],
    ['環境変数', 'ja', 'サーバーの[環境変数]を設定します。'],
    ['데이터베이스', 'ko', '[데이터베이스]를 설치합니다.'],
    ['ฐานข้อมูล', 'th', 'วิธีการติดตั้ง[ฐานข้อมูล]บนเซิร์ฟเวอร์'],
  ]

  for (const [query, path, passage] of table) {
    const found = await search(query)
    assert.equal(pathsOf(found), [path], query)
    assert.is(marked(found.hits[0]!.passage), passage)
  }
})

test('a search finds nothing that only pages hidden from the reader have', async () => {
  const forTeam = "---\nif: visitor.claims.team == 'a'\n---\n"
  const { search } = await searchableSite(app, [
    {
      'README.md': '# Home\n\nOpen to all.\n',
      'SUMMARY.md':
        '* [Home](README.md)\n* [Quokka plans](secret.md)\n  * [Child](child.md)\n* [Part](part.md)\n',
      'secret.md': `${forTeam}# Quokka plans\n\n## Numbat section\n\nA bilby.\n`,
      'child.md': '# Child\n\nBelow, an echidna.\n',
      'part.md':
        "# Part\n\n{% if visitor.claims.team == 'a' %}\n## Potoroo\n\nA wombat.\n{% endif %}\n\nText.\n",
    },
  ])

  for (const word of ['quokka', 'numbat', 'bilby', 'potoroo', 'wombat']) {
    assert.equal((await search(word)).hits, [], word)
    assert.is((await search(word, { claims: { team: 'b' } })).count, 0, word)
    assert.is((await search(word, { claims: { team: 'a' } })).count, 1, word)
  }

  const names = JSON.stringify(await search('open text below child'))

  assert.not.match(names, /Quokka/)
})

test('neither the order nor the words that are searched depend on what hidden pages say', async () => {
  const forTeam = "---\nif: visitor.claims.team == 'a'\n---\n"
  const open = {
    'README.md': '# Home\n\nA quokka beside a numbat.\n',
    'SUMMARY.md':
      '* [Home](README.md)\n* [Top](top.md)\n  * [Below](below.md)\n* [Part](part.md)\n* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n',
    'a.md': '# A\n\nA quokka beside other words, and a potoroo.\n',
    'b.md': '# B\n\nA numbat beside other words, and a potoroo.\n',
    'c.md': '# C\n\nKubernetes.\n',
    'top.md': `${forTeam}# Top\n`,
  }
  const hidden = (text: string) => ({
    'top.md': `${forTeam}# Top\n\n${text}\n`,
    'below.md': `# Below\n\n${text}\n`,
    'part.md': `# Part\n\n{% if visitor.claims.team == 'a' %}\n${text}\n{% endif %}\n`,
  })
  const seen: unknown[] = []

  for (const text of ['A kube, a quokka.', 'A numbat.', 'Nothing.']) {
    const { search } = await searchableSite(app, [{ ...open, ...hidden(text) }])
    const found = []
    for (const query of ['quokka numbat zeppelin', 'kube zeppelin quokka'])
      found.push(pathsOf(await search(query)))
    seen.push(found)
  }

  assert.equal(seen[0], seen[1])
  assert.equal(seen[1], seen[2])
  assert.match(JSON.stringify(seen[0]), '"c"')
})

test('a search in a change request finds what it shows, and only that', async () => {
  const { search, spaces } = await searchableSite(app, [{ 'README.md': '# Home\n\nAn ocelot.\n' }])
  const { api, repo, space } = spaces[0]!
  const { body } = await app.admin.post(`${api}/change-requests`, { subject: 'Lynx' })
  await commitFiles(
    repo,
    { 'README.md': '# Home\n\nA lynx.\n', 'new.md': '# Serval\n\nNew.\n' },
    { ref: `refs/heads/change-requests/${body.number}` },
  )
  const request = findChangeRequest(app.ctx.store, space.id, body.id)!
  const user = findUser(app.ctx.store, app.admin.id)!
  const scope = { kind: 'change-request', request } as const
  const opened = await openContent(
    app.ctx,
    { space, user, role: 'admin', scope },
    { computed: true },
  )

  assert.equal(pathsOf(await search('lynx', { opened })), ['readme'])
  assert.equal(pathsOf(await search('ocelot', { opened })), [])
  assert.is((await search('sreval', { opened })).suggestion, 'serval')
  assert.equal(pathsOf(await search('lynx')), [])
  assert.equal(pathsOf(await search('ocelot')), ['readme'])
  assert.is((await search('sreval')).suggestion, undefined)
})

test('a search in a former revision finds what it has', async () => {
  const { search, spaces } = await searchableSite(app, [{ 'README.md': '# Home\n\nAn ocelot.\n' }])
  const { repo, space } = spaces[0]!
  const user = findUser(app.ctx.store, app.admin.id)!
  const open = (oid: Oid) =>
    openContent(
      app.ctx,
      { space, user, role: 'admin', scope: { kind: 'revision', oid } },
      { computed: true },
    )
  const primary = { space, user, role: 'admin', scope: { kind: 'space' } } as const
  const { view } = await openContent(app.ctx, primary)

  await commitFiles(repo, { 'README.md': '# Home\n\nA lynx.\n' })
  await index(app, space.id)
  const opened = await open(view.oid)

  assert.equal(pathsOf(await search('ocelot', { opened })), ['readme'])
  assert.equal(pathsOf(await search('lynx', { opened })), [])
  assert.equal(pathsOf(await search('lynx')), ['readme'])
})

test.run()

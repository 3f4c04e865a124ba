import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { suggest } from '../../../src/actions/audience/finding/suggest.ts'
import { readVocabulary } from '../../../src/actions/audience/finding/vocabulary.ts'
import { searchTerms } from '../../../src/content/search/words.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { index, pathsOf, searchableSite } from './searchable.ts'

const app = await startApp()
holdSearch(app.ctx)
test.after(() => app.stop())

const pages = {
  'README.md': '# Home\n\nText about everything.\n',
  'systemd.md': '# Systemd units\n\nStart at boot.\n',
  'install.md':
    '# Installation\n\n## Kubernetes cluster\n\nRun it.\n\n## Übersicht\n\nAll of it.\n',
  'git.md': '# Git\n\nVersions.\n',
  'zh.md': '# 安装系统\n\n数据库。\n',
}

test('a query that finds nothing is searched with similar words of titles and headings', async () => {
  const { search } = await searchableSite(app, [pages])
  const table: [query: string, suggestion: string, path: string][] = [
    ['sytemd', 'systemd', 'systemd'],
    ['SYTEMD', 'systemd', 'systemd'],
    ['sysetmd', 'systemd', 'systemd'],
    ['kubernees', 'kubernetes', 'install#kubernetes-cluster'],
    ['kuebrentes', 'kubernetes', 'install#kubernetes-cluster'],
    ['gti', 'git', 'git'],
    ['instalation kuberntes', 'installation kubernetes', 'install#kubernetes-cluster'],
    ['sytemd boot', 'systemd boot', 'systemd'],
    ['  sytemd-untis!', 'systemd-units!', 'systemd'],
    ['Uebersicht', 'ubersicht', 'install#uebersicht'],
  ]

  for (const [query, suggestion, path] of table) {
    const found = await search(query)
    assert.is(found.suggestion, suggestion, query)
    assert.equal(pathsOf(found), [path], query)
  }
})

test('there is no suggestion without words that are near enough and find something together', async () => {
  const { search } = await searchableSite(app, [pages])
  const queries = [
    // Three edits; two in a short word; a word too short.
    'sytmed9',
    'gutt',
    'gt',
    // Found alone, but not together.
    'systemd versions',
    // Scripts without spaces, and no words at all.
    '安裝系銃',
    'ติดตั้ง',
    '12345',
    '…',
    // Too many words that find nothing.
    'sytemd untis kuberntes cluser',
    'a b c d e f g h sytemd',
  ]

  for (const query of queries) {
    const found = await search(query)
    assert.is(found.suggestion, undefined, query)
  }
})

test('a word is corrected although no page has all words of the query', async () => {
  const { search } = await searchableSite(app, [pages])
  const found = await search('sytemd zeppelins')
  assert.equal([found.suggestion, found.without], ['systemd zeppelins', ['zeppelins']])
  assert.equal(pathsOf(found), ['systemd'])
})

test('a word is found in other forms, and in compounds', async () => {
  const { search } = await searchableSite(app, [
    {
      'README.md': '# Home\n',
      'ha.md': '# High availability\n\nRun the setup twice.\n',
      'changes.md': `# Changes\n\n${'High load. More.\n\n## Part\n\nAvailability. '.repeat(20)}\n`,
      'running.md': '# Configuring runs\n\nText.\n',
    },
  ])
  const table: [query: string, path: string, without: string[]][] = [
    ['high availability setup', 'ha', []],
    ['high availability cluster', 'ha', ['cluster']],
    ['set up high availability', 'ha', []],
    ['how do i configure a run', 'running', []],
  ]

  for (const [query, path, without] of table) {
    const found = await search(query)
    assert.is(pathsOf(found)[0], path, query)
    assert.equal([found.suggestion, found.without], [undefined, without], query)
  }

  const split = await search('highavailability')
  assert.equal([split.suggestion, pathsOf(split)[0]], ['high availability', 'ha'])
})

test('a word that is found in another form, or as the beginning of one, is not corrected', async () => {
  const { search } = await searchableSite(app, [
    {
      'README.md': '# Home\n',
      'kubernetes.md': '# Kubernetes\n\nRun it on a cluster.\n',
      'cube.md': '# Cube\n\nA cube has six sides.\n',
      'schedule.md': '# Schedules\n\nRun at night.\n',
      'scheduled.md': '# Rescheduler\n\nOther text.\n',
    },
  ])
  const table: [query: string, path: string, without: string[]][] = [
    ['kube zeppelins', 'kubernetes', ['zeppelins']],
    ['scheduler zeppelins', 'schedule', ['zeppelins']],
  ]

  for (const [query, path, without] of table) {
    const found = await search(query)
    assert.equal([found.suggestion, found.without], [undefined, without], query)
    assert.is(pathsOf(found)[0], path, query)
  }
})

test('a word that only other spaces have is not suggested', async () => {
  await searchableSite(app, [{ 'README.md': '# Armadillo\n' }])
  const { search } = await searchableSite(app, [{ 'README.md': '# Home\n' }])
  assert.is((await search('armadilo')).suggestion, undefined)
})

const forTeam = "---\nif: visitor.claims.team == 'a'\n---\n"

test('a word that only pages hidden from the reader have is never suggested', async () => {
  const { search } = await searchableSite(app, [
    {
      'README.md': '# Home\n\nOpen quokkalike text, and zebras.\n',
      'secret.md': `${forTeam}# Quokkas\n\n## Numbats\n\nText.\n`,
      'part.md':
        "# Part\n\n{% if visitor.claims.team == 'a' %}\n## Potoroo\n\n{% endif %}\n\nText.\n",
      'zebra.md': '# Zebras\n\nOpen.\n',
      'hidden-zebra.md': `${forTeam}# Zebra\n`,
    },
  ])

  for (const [wrong, right] of [
    ['quokas', 'quokkas'],
    ['numbast', 'numbats'],
    ['pottoroo', 'potoroo'],
    ['text numbast', 'text numbats'],
  ] as const) {
    assert.is((await search(wrong, { claims: { team: 'a' } })).suggestion, right, wrong)
    for (const claims of [{}, { team: 'b' }]) {
      const found = await search(wrong, { claims })
      assert.is(found.suggestion, undefined, wrong)
      const hidden = found.hits.filter(({ pagePath }) => /secret|hidden/.test(pagePath))
      assert.equal(
        hidden.map(({ pagePath }) => pagePath),
        [],
        wrong,
      )
    }
  }

  // "zebra" is hidden, and the beginning of a word that is not.
  assert.is((await search('zbera')).suggestion, undefined)
  assert.is((await search('zbera', { claims: { team: 'a' } })).suggestion, 'zebra')
  assert.is((await search('zberas')).suggestion, 'zebras')
})

test('a page that the index just got has its words in suggestions, one that is gone has them no longer', async () => {
  const { search, spaces } = await searchableSite(app, [{ 'README.md': '# Home\n' }])
  const { repo, space } = spaces[0]!
  assert.is((await search('platypsu')).suggestion, undefined)
  await commitFiles(repo, { 'new.md': '# Platypus\n' })
  await index(app, space.id)
  assert.is((await search('platypsu')).suggestion, 'platypus')
  await commitFiles(repo, { 'new.md': '# Kangaroo\n' })
  await index(app, space.id)
  assert.is((await search('platypsu')).suggestion, undefined)
})

test('the words of the index are read once until it changes', async () => {
  const { spaces } = await searchableSite(app, [{ 'README.md': '# Home\n' }])
  const [one, other] = await Promise.all([readVocabulary(app.ctx), readVocabulary(app.ctx)])
  assert.is(one, other)
  assert.is(await readVocabulary(app.ctx), one)
  await commitFiles(spaces[0]!.repo, { 'new.md': '# Wallaby\n' })
  await index(app, spaces[0]!.space.id)
  assert.is.not(await readVocabulary(app.ctx), one)
})

test('a suggestion takes a bounded number of searches, whatever the query', async () => {
  const words = Array.from(
    { length: 400 },
    (_, n) => `# Xylophon${String.fromCharCode(97 + (n % 26))}${n}\n`,
  )
  const files = Object.fromEntries(words.map((text, n) => [`p${n}.md`, text]))
  await searchableSite(app, [{ 'README.md': '# Home\n', ...files }])
  let searches = 0

  async function finds(): Promise<boolean> {
    searches++
    return false
  }

  for (const query of ['xylophone', 'xylophone xylophonb xylophonc', 'xylophone '.repeat(50)]) {
    searches = 0
    assert.is(await suggest(app.ctx, { query, termsOf: searchTerms, finds }), undefined)
    assert.ok(searches <= 24, `${query.slice(0, 40)}: ${searches} searches`)
  }
})

test.run()

import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../../src/jobs/all.ts'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { runs } from '../../support/long-run.ts'

let app: App
test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

/** Similar words, so that some are found and others are not. */
const vocabulary = [
  ...[
    'alpha',
    'alphabet',
    'Alpine',
    'naïve',
    'naive',
    'Zürich',
    'zur',
    'v2',
    '3.14',
    'snake_case',
    'kebab-case',
  ],
  ...[
    'don’t',
    'C++',
    'ÀÉ',
    'ßtraße',
    'ﬁne',
    '中文',
    '文字',
    '中',
    '한국어',
    '国語文',
    'データ',
    'x',
    'пример',
    'при',
  ],
]
const words = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 })

/**
 * Returns a text as the search sees it: runs of letters and digits in order, without case and
 * accents.
 */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .normalize('NFC')
const isUnspaced = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}]/u
const runsOf = (text: string): string[] => plain(text).match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * Returns whether a text contains a term: its words in sequence, the last one possibly a prefix.
 */
function has(text: string, term: string, isLast: boolean): boolean {
  const wanted = runsOf(term)
  const runs = runsOf(text)
  if (wanted.length === 1 && isUnspaced.test(wanted[0]!))
    return runs.some(run => run.includes(wanted[0]!))

  return runs.some((_, at) =>
    wanted.every((word, n) => {
      const run = runs[at + n] ?? ''
      return n === wanted.length - 1 && isLast ? run.startsWith(word) : run === word
    }),
  )
}

test('a search finds the pages with all words', async () => {
  const texts = fc.sample(words, { numRuns: 60, seed: 7 }).map(each => each.join(' '))
  const files = Object.fromEntries(texts.map((text, n) => [`p${n}.md`, `# Page ${n}\n\n${text}\n`]))
  const { space, api } = await makeSpace(app, { 'README.md': '# Home\n', ...files })
  await jobs['index-search']!(
    app.ctx,
    { spaceId: space.id },
    { signal: new AbortController().signal, attempt: 1 },
  )

  const queries = fc.sample(
    fc.array(fc.constantFrom(...vocabulary, 'alp', 'pag', 'nai'), { minLength: 1, maxLength: 3 }),
    {
      numRuns: runs(80),
      seed: 11,
    },
  )
  let total = 0

  for (const terms of queries) {
    const query = terms.join(' ')
    const { body } = await app.admin.get(
      `${api}/search?limit=1000&query=${encodeURIComponent(query)}`,
    )
    const found = body.items.map((item: { title: string }) => item.title).sort()
    const expected = texts
      .map((text, n) => ({ text: `Page ${n} ${text}`, title: `Page ${n}` }))
      .filter(({ text }) => terms.every((term, at) => has(text, term, at === terms.length - 1)))
      .map(({ title }) => title)
      .sort()

    // Questions, and words that no page has together, also find pages with some of the words.
    if (expected.length > 0 && terms.length < 3) assert.equal(found, expected, query)
    const left = expected.filter(title => !found.includes(title))
    assert.equal(left, [], query)
    total += expected.length
  }

  assert.ok(total > 2 * queries.length, String(total))
})

test.run()

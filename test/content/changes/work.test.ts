import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { markChanges } from '../../../src/content/changes/mark-changes.ts'
import { pageTree } from '../../../src/content/markup/parse.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { assertLinear } from '../../support/cpu-time.ts'
import { assertMarked } from '../../support/marked-page.ts'

const many = (count: number, make: (at: number) => string, separator = '\n\n') =>
  Array.from({ length: count }, (_, at) => make(at)).join(separator)

/** Returns the numbers below `count` in an order without a pattern. */
function mixed(count: number): number[] {
  const keyed = Array.from(
    { length: count },
    (_, at) => [Math.imul(at + 1, 0x9e3779b1) >>> 0, at] as const,
  )
  return keyed.sort(([a], [b]) => a - b).map(([, at]) => at)
}

const coin = (at: number) => (Math.imul(at + 7, 0x85ebca6b) >>> 30) % 2 === 0
const table = (count: number, row: (at: number) => string) =>
  `| a | b |\n| - | - |\n${many(count, row, '\n')}`

/** Pairs of pages of a size whose comparison could take long. */
const pages: Record<string, (size: number) => [string, string]> = {
  'every block is edited': size => [
    many(size, at => `block ${at} with some words`),
    many(size, at => `block ${at} with other words`),
  ],
  'no block is equal': size => [
    many(size, at => `a${at} b${at}`),
    many(size, at => `c${at} d${at}`),
  ],
  'all blocks in another order': size => [
    many(size, at => `block ${at} of words`),
    mixed(size)
      .map(at => `block ${at} of words`)
      .join('\n\n'),
  ],
  'the same two blocks in other orders': size => [
    many(size, at => (coin(at) ? 'a b' : 'c d')),
    many(size, at => (coin(at * 3 + 1) ? 'a b' : 'c d')),
  ],
  'a table with another column': size => [
    table(size, at => `| r${at} | v${at} |`),
    table(size, at => `| r${at} | w${at} x |`),
  ],
  'a table with other rows': size => [
    table(size, at => `| r${at} | v${at} |`),
    table(size, at => `| s${at} | w${at} |`),
  ],
  'two lines of code in other orders': size => [
    `\`\`\`\n${many(size * 5, at => (coin(at) ? 'a' : 'b'), '\n')}\n\`\`\``,
    `\`\`\`\n${many(size * 5, at => (coin(at * 3 + 1) ? 'a' : 'b'), '\n')}\n\`\`\``,
  ],
  'one line of many elements': size => [
    `<i>${many(size, at => `<b>${coin(at) ? 'a x' : 'b x'}</b>`, ' ')}</i>`,
    `<i>${many(size, at => `<b>${coin(at * 3 + 1) ? 'a x' : 'b y'}</b>`, ' ')}</i>`,
  ],
}

const versionsOf = (texts: [string, string]) =>
  [atOnce(pageTree(texts[0])), atOnce(pageTree(texts[1]))] as const

for (const [name, make] of Object.entries(pages))
  test(`four times the page takes about four times the time: ${name}`, () =>
    assertLinear(
      2000,
      size => versionsOf(make(size)),
      versions => atOnce(markChanges(...versions)),
    ))

for (const [name, make] of Object.entries(pages))
  test(`a page too different to compare in full has sound marks: ${name}`, () => {
    const [before, after] = versionsOf(make(800))
    assertMarked(atOnce(markChanges(before, after)), before, after)
  })

test('a paragraph of 100 KB is compared', () => {
  const words = many(17_000, at => `w${(at * 7919) % 5000}`, ' ')
  const [before, after] = versionsOf([words, `new ${words}`])
  const page = atOnce(markChanges(before, after))
  assertMarked(page, before, after)
  assert.equal(
    page.changes.map(({ kind }) => kind),
    ['edited'],
  )
})

test('a long page is compared in many steps', () => {
  const steps = markChanges(...versionsOf(pages['every block is edited']!(2000)))
  let count = 0
  while (!steps.next().done) count++
  assert.ok(count > 2000, String(count))
})

test.run()

import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { bytesOfKind, pageKinds } from '../../bench/site/kinds.ts'
import { assertLinear, leastCpuTime } from '../../support/cpu-time.ts'
import { hostilePages } from '../../support/html/hostile-pages.ts'
import { htmlFaults, pageHtml } from '../../support/html/write.ts'
import { runs } from '../../support/long-run.ts'

for (const [name, markdown] of Object.entries(hostilePages))
  test(`a page with ${name} is sound`, () => {
    assert.equal(htmlFaults(pageHtml(markdown).html), [])
  })

test('any text is sound HTML', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      ...Object.values(hostilePages).flatMap(page => page.split(/(?<=[>}\n])/).slice(0, 40)),
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
      assert.equal(htmlFaults(pageHtml(pieces.join('')).html), [])
    }),
    { numRuns: runs(800) },
  )
})

const large: Record<string, (size: number) => string> = {
  'equal headings': size => '## Same\n\n'.repeat(size / 10),
  'cells of a table': size =>
    `|${'a|'.repeat(10)}\n|${'-|'.repeat(10)}\n${`|${'b|'.repeat(10)}\n`.repeat(size / 22)}`,
  asterisks: size => '*'.repeat(size),
  'quotes within quotes': size => '> '.repeat(size / 2),
  'elements that are not closed': size => '<div><b><details><table><td>'.repeat(size / 28),
  'tabs that are not closed': size => '{% tabs %}\n{% tab title="a" %}\n'.repeat(size / 31),
  'links to anchors': size => '[a](#b-c)\n\n'.repeat(size / 11),
  footnotes: size =>
    Array.from({ length: size / 40 }, (_, at) => `a[^${at}]\n\n[^${at}]: b\n\n`).join(''),
  'ampersands in HTML': size => `<p>${'&amp;&lt;'.repeat(size / 9)}</p>`,
}

for (const [name, make] of Object.entries(large))
  test(`the time for many ${name} is in proportion to their number`, () =>
    assertLinear(400_000, make, pageHtml))

test('code that makes a grammar slow is coloured within bounds', () => {
  const page = [...'$a_0-('].flatMap(piece =>
    ['java', 'ini', 'ts', 'c'].map(name => `\`\`\`${name}\n${piece.repeat(16_000)}\n\`\`\`\n`),
  )
  const text = page.join('\n')
  assert.ok(leastCpuTime(() => pageHtml(text), 3000) < 3000)
})

test('words without signs in C# take no longer than in Java', () => {
  const page = (language: string) =>
    `\`\`\`${language}\n${'a b c d e f\n'.repeat(1300)}\`\`\`\n`.repeat(4)
  const [one, other] = [page('java'), page('cs')].map(text => leastCpuTime(() => pageHtml(text)))
  assert.ok(other! < 3 * one! + 20, `${one} ms, then ${other} ms`)
})

const markdownIt = new MarkdownIt({ html: true, linkify: true })

test('a page of any kind of part takes less than twice as long as a long table in markdown-it', () => {
  const table = pageKinds['table rows']!(bytesOfKind)
  const most = 2 * leastCpuTime(() => markdownIt.render(table))
  for (const [name, make] of Object.entries(pageKinds)) {
    const page = make(bytesOfKind)
    const taken = leastCpuTime(() => pageHtml(page), most)
    assert.ok(taken < most, `${name}: ${taken} ms of ${most}`)
  }
})

test('a page with too much output ends with a sentence, within 2 MB', () => {
  for (const markdown of [
    '&'.repeat(1_000_000),
    `- ${'"<a'.repeat(40)}\n`.repeat(8_000),
    '汉&'.repeat(500_000),
  ]) {
    const { html, cut } = pageHtml(markdown)
    assert.ok(cut)
    assert.ok(Buffer.byteLength(html) < 2 * 1024 * 1024)
    assert.match(html.slice(-60), '<p class="cut">The rest is left out.</p>')
    assert.equal(htmlFaults(html), [])
  }
})

test.run()

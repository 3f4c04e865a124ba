import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageScope } from '../../../src/content/evaluate/evaluator.ts'
import { linkFactSteps } from '../../../src/content/links/facts.ts'
import { findLinks } from '../../../src/content/links/find.ts'
import { firstShown, scanBlocks } from '../../../src/content/markdown/blocks.ts'
import { contentsSize, isOverLimit, pageSize } from '../../../src/content/markdown/limits.ts'
import { readPageFacts } from '../../../src/content/page/facts.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import { encode } from '../../../src/content/text/bytes.ts'
import { Fault } from '../../../src/errors.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { evaluateMarkdown } from '../../support/evaluate-markdown.ts'

const refused = (work: () => unknown, message: RegExp) => {
  try {
    work()
  } catch (error) {
    assert.ok(
      error instanceof Fault && error.kind === 'too_large' && isOverLimit(error),
      String(error),
    )
    assert.match(error.message, message)
    return
  }
  assert.unreachable('It was not refused.')
}

test('a page with more blocks than the limit is refused', () => {
  const items = '*\n'.repeat(pageSize.blocks)
  assert.is(scanBlocks(items).length, pageSize.blocks)
  refused(
    () => scanBlocks(`${items}*\n`),
    /^The page has more than 100,000 blocks \(.*\). Split it into smaller ones\.$/,
  )
  refused(() => scanBlocks(`${'* '.repeat(pageSize.blocks + 1)}a`), /blocks/)
  refused(() => scanBlocks('a\n\n'.repeat(pageSize.blocks + 1)), /blocks/)
})

test('a page with more links, tags and other marks than the limit is refused', () => {
  const links = '[a](b) '.repeat(pageSize.marks)
  assert.is(findLinks(links).length, pageSize.marks)

  for (const part of ['[a](b) ', '<b> ', '`a` ` ', '|a', '{% a '])
    refused(
      () => findLinks(part.repeat(pageSize.marks + 1)),
      /^The page has more than 300,000 links, tags, /,
    )

  assert.is(
    findLinks(`\`\`\`\n${'[a](b)\n'.repeat(pageSize.marks + 1)}\`\`\`\n`).length,
    0,
    'code is no mark',
  )
  assert.is(findLinks('`'.repeat(pageSize.marks * 2)).length, 0, 'a run of backticks is one mark')
})

test('a table of contents has its own limits', () => {
  const entries = '* a\n'.repeat(contentsSize.blocks / 2)
  assert.is(parseSummary(entries).groups[0]?.entries.length, contentsSize.blocks / 2)
  refused(
    () => parseSummary(`${entries}* a\n`),
    /^The table of contents has more than 400,000 blocks/,
  )
})

test('a page from Git that is too large has no links, and an issue with the reason', () => {
  const page = '*\n'.repeat(pageSize.blocks + 1)
  assert.equal(atOnce(linkFactSteps(encode(`${page}[a](b.md)\n`))).links, [])
  const { issues, empty } = readPageFacts(encode(page))
  assert.not(empty)
  assert.is(issues.length, 1)
  assert.match(issues[0]!.message, /more than 100,000 blocks.* shown as source\.$/)
  assert.equal(readPageFacts(encode('*\n'.repeat(1000))).issues, [])
})

test('the first block of a page is found without reading the rest', () => {
  for (const part of ['*\n', '* a\n', '> a\n\n', 'a\n\n', '```\na\n```\n']) {
    const text = part.repeat(100_000)
    const ms = leastCpuTime(() => assert.is(firstShown(text, 0)?.start, 0), 400)
    assert.ok(ms < 400, `${part}: ${ms} ms`)
  }
  for (const part of ['<!-- a -->\n', '<script>a</script>\n\n', '<!-- a --> ']) {
    const text = part.repeat(20_000)
    const ms = leastCpuTime(
      () => assert.is(firstShown(`${text}\n\n# a\n`, 0)?.kind, 'heading'),
      400,
    )
    assert.ok(ms < 400, `${part}: ${ms} ms`)
  }
  assert.is(firstShown('Title\n===\ntext\n', 0)?.kind, 'heading')
  assert.is(firstShown('\n\n# a\n\nb\n', 0)?.end, 6)
  assert.is(firstShown('\n\n', 0), undefined)
})

test('tags below a long line, and marks on one, are evaluated in linear time', () => {
  const scope = pageScope({}, undefined)
  for (const [name, text] of Object.entries({
    values: '<code class="expression">""</code> '.repeat(20_000),
    conditions: '{% if a %}x{% endif %} '.repeat(20_000),
    'kept conditions': '{% if true %}x{% endif %} '.repeat(20_000),
    'below a quote': `${'> '.repeat(200_000)}\n${'{% if true %}\n{% endif %}\n'.repeat(20_000)}`,
    'below blanks': `a\n${' '.repeat(300_000)}\n${'{% if 0 %}\n{% endif %}\n'.repeat(20_000)}`,
  })) {
    const ms = leastCpuTime(() => evaluateMarkdown(text, scope, 'all'), 5_000)
    assert.ok(ms < 5_000, `${name}: ${ms} ms`)
  }
})

test.run()

import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageScope } from '../../../src/content/evaluate/evaluator.ts'
import { anchorSteps, hasAnchor } from '../../../src/content/links/anchors.ts'
import { linkFactSteps } from '../../../src/content/links/facts.ts'
import { findLinks } from '../../../src/content/links/find.ts'
import { scanBlocks } from '../../../src/content/markdown/blocks.ts'
import { pageTree } from '../../../src/content/markup/parse.ts'
import type { MarkupElement } from '../../../src/content/markup/tree.ts'
import { readPageFacts } from '../../../src/content/page/facts.ts'
import { encode } from '../../../src/content/text/bytes.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { assertLinear, cpuTime } from '../../support/cpu-time.ts'
import { evaluateMarkdown } from '../../support/evaluate-markdown.ts'
import { runs } from '../../support/long-run.ts'

/** What a page shows: its links, its headings and its code, in order. */
type Shown = { links: string[]; headings: string[]; code: number }

function collect(node: MarkupElement, into: Shown): Shown {
  const { href } = node.attributes
  if (node.name === 'a' && href !== undefined) into.links.push(href)
  if (/^h[1-6]$/.test(node.name)) into.headings.push(node.name)
  if (node.name === 'pre') into.code++
  for (const inner of node.nodes) if (typeof inner !== 'string') collect(inner, into)
  return into
}

const rendered = (markdown: string): Shown =>
  collect(atOnce(pageTree(markdown)).root, { links: [], headings: [], code: 0 })

function scanned(markdown: string): Shown {
  const blocks = scanBlocks(markdown)
  return {
    links: findLinks(markdown).map(({ target }) => target),
    headings: blocks.flatMap(block => (block.kind === 'heading' ? [`h${block.level}`] : [])),
    code: blocks.filter(({ kind }) => kind === 'code' || kind === 'fence').length,
  }
}

for (const [name, markdown] of Object.entries({
  'a hint':
    '!!! note "See [a](a.md)"\n    [b](b.md)\n\n    ## H\n\n    > [c](c.md)\n\n        code\n',
  'a hint with a kind of its own': '!!! custom\n\n    [a](a.md)\n\n!!! custom\n[b](b.md)\n',
  'details in a list': '- a\n\n    ??? tip "[a](a.md)"\n\n        [b](b.md)\n\n            code\n',
  tabs: 'text\n=== "A"\n    ```\n    [a](a.md)\n    ```\n=== "B"\n    # H\n    [b](b.md)\n',
  'a line after a hint': '!!! note\n    [a](a.md)\n    - x\n[b](b.md)\n',
  'a quote around a hint': '> !!! note\n>     [a](a.md)\n>\n>         code\n[b](b.md)\n',
  'a line of colons before an underlined heading': ':::note[[a](b.md)]\nH\n---\n:::\n',
  'a line of colons before indented code': 'text\n:::tip\n    code\n:::\n\n    code\n',
  'definitions of links in a hint': '!!! note\n    [a]: b.md\n\n:::tip\n[c]: d.md\n:::\n',
  'terms and definitions':
    '[a](a.md)\n: [b](b.md)\n    [c](c.md)\n\n    code\n\nd\n\n: [d](d.md)\n- e\n\nf\n: g\n---\n',
  'a link in the title of a tab': '=== "[a](a.md)"\n    [b](b.md)\n',
  'a component with an indented content':
    'text\n<Note>\n  [a](a.md)\n\n  ## H\n\n      code\n</Note>\n[b](b.md)\n',
  'components in components':
    '<Tabs>\n  <Tab title="A">\n    ```sh\n    [a](a.md)\n    ```\n  </Tab>\n  <Tab title="B">\n    ## H\n    [b](b.md)\n  </Tab>\n</Tabs>\n',
  'a tag of a component on several lines':
    '- <Card\n    title="A"\n    href="a.md"\n  >\n    [b](b.md)\n\n  </Card>\n> <Card\n>   href="c.md" />\n',
  'cards on lines of their own':
    '<CardGroup cols={2}>\n  <Card title="A" href="a.md">[b](b.md)</Card>\n  <Card href="c.md"/>\n</CardGroup>\n',
  'a tag of a component that does not end': 'a\n<Card\n  title="A"\n\n    code\n',
  'a place for a table of contents': '[TOC]\nTitle\n---\n',
}))
  test(`${name} is the same blocks for links, headings and the page`, () => {
    const { links, ...found } = scanned(markdown)
    const { links: shown, ...page } = rendered(markdown)
    assert.equal(found, page)
    if (!name.startsWith('definitions')) assert.equal(links, shown)
    else assert.equal(links, ['b.md', 'd.md'])
  })

test('a heading in a hint is no title of the page, and has an anchor like tabs and details', () => {
  const page =
    '!!! note\n    # In it\n\n=== "First *tab*"\n    a\n\n??? tip "More of it"\n    b\n\n<Tabs>\n<TabItem value="x" label="Its item">\n'
  assert.is(readPageFacts(encode(page)).h1, undefined)
  assert.is(readPageFacts(encode(':::note\n# In it\n:::\n')).h1, undefined)
  assert.is(readPageFacts(encode('[TOC]\n\n# Title\n')).h1, 'Title')
  const anchors = atOnce(anchorSteps(atOnce(linkFactSteps(encode(page)))))
  for (const anchor of ['in-it', 'first-tab', 'more-of-it', 'its-item'])
    assert.ok(hasAnchor(anchors, anchor), anchor)
})

test('conditions in a hint are evaluated', () => {
  const page = '!!! note\n    {% if false %}\n    hidden\n    {% endif %}\n    shown\n'
  const text = evaluateMarkdown(page, pageScope({}, undefined), 'all')
  assert.not.match(text, /hidden/)
  assert.match(text, /shown/)
})

/** A document: lines, or blocks within a container. */
type Doc = string[]

const indentBy = (prefix: string, lines: Doc, first = prefix): Doc =>
  lines.map((line, at) => (line === '' ? '' : `${at === 0 ? first : prefix}${line}`))

const name = fc.constantFrom('a', 'b', 'c', 'd')
const link = name.map(each => `[${each}](${each}.md)`)
const leaf: fc.Arbitrary<Doc> = fc.oneof(
  link.map(each => [each]),
  link.map(each => [`text ${each}`, 'more']),
  link.map(each => ['```sh', each, '', each, '```']),
  link.map(each => [`## ${each}`]),
  link.map(each => [`    ${each}`]),
  link.map(each => [`<p>${each.replace(/\[.\]\((.*)\)/, '<a href="$1">x</a>')}</p>`]),
)
const opening = fc.oneof(
  name.map(each => `!!! note "${each}"`),
  fc.constantFrom('!!! tip', '!!! custom', '??? bug', '???+ note "x"', '=== "T"'),
  link.map(each => `!!! note "${each}"`),
  link.map(each => `=== "${each}"`),
)
const component = fc.constantFrom<[Doc, string]>(
  [['<Note>'], '</Note>'],
  [['<Tab title="T">'], '</Tab>'],
  [['<Card', '  title="T"', '  href="a.md"', '>'], '</Card>'],
)
const { doc } = fc.letrec<{ doc: Doc; block: Doc }>(tie => ({
  doc: fc
    .array(tie('block'), { minLength: 1, maxLength: 4 })
    .map(blocks => blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block]))),
  block: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaf,
    fc
      .tuple(opening, tie('doc'), fc.boolean())
      .map(([line, body, isApart]) => [line, ...(isApart ? [''] : []), ...indentBy('    ', body)]),
    tie('doc').map(body => indentBy('  ', body, '- ')),
    tie('doc').map(body => body.map(line => `> ${line}`)),
    tie('doc').map(body => [':::tip', '', ...body, '', ':::']),
    fc
      .tuple(component, tie('doc'), fc.constantFrom('', '  ', '    '), fc.boolean())
      .map(([[tag, close], body, indent, isApart]) => [
        ...tag,
        ...(isApart ? [''] : []),
        ...indentBy(indent, body),
        close,
      ]),
  ),
}))

test('for any nested bodies, the links that are found are the links that are shown', () => {
  fc.assert(
    fc.property(doc, lines => {
      const markdown = `${lines.join('\n')}\n`
      assert.equal(scanned(markdown), rendered(markdown))
    }),
    { numRuns: runs(1500) },
  )
})

test('an indented body of a megabyte is read in short steps', () => {
  for (const line of ['!!! note', '=== "A"', '!!! note\n    ??? tip'])
    for (const piece of ['text [a](a.md)\n\n', '- a\n']) {
      const indent = ' '.repeat(4 * line.split('\n').length)
      const body = `${indent}${piece}`.repeat(20_000)
      const steps = pageTree(`${line}\n${body}`)
      const started = cpuTime()
      let count = 0
      while (!steps.next().done) count++
      assert.ok(count > 100, `${line}: ${count} steps in ${cpuTime() - started} ms`)
    }
})

test('containers are scanned in time linear in their number', async () => {
  for (const piece of [
    '!!! note\n    a\n',
    '!!! x\n\n\n',
    ':::note\n',
    '=== "a"\n    a\n',
    '- !!! x\n',
    '<Note>\n',
    '<Note>\n  a\n',
    '<Note>\n\n\n',
    '<Card\n',
    '- <Card a="\n',
  ])
    await assertLinear(
      200_000,
      size => piece.repeat(size / piece.length),
      text => scanBlocks(text),
      piece,
    )
})

test.run()

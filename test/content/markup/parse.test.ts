import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageTree, wordsTree } from '../../../src/content/markup/parse.ts'
import type { MarkupElement, MarkupNode } from '../../../src/content/markup/tree.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { runs } from '../../support/long-run.ts'

type Short = string | Short[]

const short = (node: MarkupElement | string): Short =>
  typeof node === 'string' ? node : [node.name, ...node.nodes.map(short)]
const tree = (markdown: string) => atOnce(pageTree(markdown)).root.nodes.map(short)

test('Markdown becomes elements, without front matter', () => {
  assert.equal(tree('---\ntitle: T\n---\n# A *b*\n\nc `d`\n\n***\n'), [
    ['h1', 'A ', ['em', 'b']],
    ['p', 'c ', ['code', 'd']],
    ['hr'],
  ])
})

test('tags of pages and HTML become elements, with Markdown inside', () => {
  assert.equal(tree('{% hint style="info" %}\n**a**\n{% endhint %}\n'), [
    ['%hint', ['p', ['strong', 'a']]],
  ])
  assert.equal(tree('<details>\n<summary>S</summary>\n\n* a\n\n</details>\n'), [
    ['details', '\n', ['summary', 'S'], '\n', ['ul', ['li', 'a']]],
    '\n',
  ])
})

test('text in angle brackets is shown in all kinds of blocks, and ends with itself', () => {
  const text = 'a <account-id>.org'
  for (const source of [text, `# ${text}`, `* ${text}`, `> ${text}`, `| ${text} |\n| --- |\n`])
    assert.match(JSON.stringify(tree(source)), /a ","<account-id>","\.org/, source)
  assert.equal(wordsTree('**a** <b-c> d').nodes.map(short), [['strong', 'a'], ' ', '<b-c>', ' d'])
  assert.equal(tree('<div>\nGET /<id>/x\n</div>\n')[0], ['div', '\nGET /<id>/x\n'])
})

test('a tag in a line of words, in code or unknown is text', () => {
  for (const source of ['Use {% hint %} so.', '`{% hint %}`', '{% nothing %}'])
    assert.match(JSON.stringify(tree(source)), /\{% (?:hint|nothing) %\}/)
})

test('an end tag closes its block although a list before it contains its line', () => {
  for (const [around, inner] of [
    ['tabs', 'tab'],
    ['stepper', 'step'],
    ['columns', 'column'],
    ['updates', 'update'],
  ])
    for (const by of ['', ' ', '   ', '    ', '      ', '         ']) {
      const block = (list: string, text: string) =>
        `{% ${inner} %}\n${list}\n\n${by}{% end${inner} %}\n\n${by}{% ${inner} %}\n${by.slice(0, 4)}${text}\n${by}{% end${inner} %}\n${by}{% end${around} %}\n\nd\n`
      const source = `{% ${around} %}\n${block('1. a\n\n   b', 'c')}`
      const found = JSON.stringify(tree(source))
      assert.match(
        found,
        /^\[\["%\w+",\["%\w+",\["ol",\["li",\["p","a"\],\["p","b"\]\]\]\],/,
        source,
      )
      assert.not.match(found, /\{%/, source)
      assert.is(tree(source).at(-1)?.[1], 'd', source)
      assert.is(tree(source).length, 2, source)
    }
})

test('an end tag in nested lists ends them, and a list goes on behind it', () => {
  assert.equal(tree('{% hint style="info" %}\n* a\n  * b\n    {% endhint %}\n  * c\n* d\n\ne\n'), [
    ['%hint', ['ul', ['li', 'a', ['ul', ['li', 'b']]]]],
    ['ul', ['li', 'c']],
    ['ul', ['li', 'd']],
    ['p', 'e'],
  ])
  assert.equal(tree('{% hint style="info" %}\n* {% endhint %}\n'), [
    ['group', ['p', '{% hint style="info" %}'], ['ul', ['li', ['p', '{% endhint %}']]]],
  ])
})

test('an end tag without a start tag is shown as text', () => {
  assert.equal(tree('{% endhint %}\n\nb\n'), [
    ['p', '{% endhint %}'],
    ['p', 'b'],
  ])
})

test('inline Markdown is read without blocks', () => {
  assert.equal(wordsTree('# a *b*').nodes.map(short), ['# a ', ['em', 'b']])
})

test('a list item with a box is checked or not', () => {
  const list = atOnce(pageTree('* [x] a\n* [ ] b\n* c\n')).root.nodes[0] as MarkupElement
  const items = list.nodes as MarkupElement[]
  assert.equal(
    items.map(({ attributes }) => attributes.checked),
    ['yes', 'no', undefined],
  )
})

test('a page of too many elements ends with a sentence', () => {
  const count = (nodes: readonly MarkupNode[]): number =>
    nodes.reduce<number>(
      (sum, node) => sum + (typeof node === 'string' ? 0 : 1 + count(node.nodes)),
      0,
    )
  for (const text of [
    `|a|\n|-|\n${'x\n'.repeat(200_000)}`,
    `<table>${'<tr><td>x'.repeat(90_000)}`,
    '* x\n'.repeat(120_000),
    '**a** <b>b</b> `c`\n\n'.repeat(40_000),
  ]) {
    const { nodes } = atOnce(pageTree(text)).root
    const last = nodes.at(-1) as MarkupElement
    assert.match(
      String(last.nodes[0]),
      /^The rest of this page is left out: it has more than 100,000 cells/,
    )
    assert.ok(count(nodes) <= 100_002, String(count(nodes)))
  }
})

test('any text becomes a tree', () => {
  const parts = fc.constantFrom(
    ...[
      '# ',
      '* ',
      '> ',
      '\n',
      '\n\n',
      '`',
      '```',
      '{% hint %}',
      '{% endhint %}',
      '{% tab %}',
      '<div>',
      '</div>',
    ],
    ...[
      '<!--',
      '[a](b)',
      '[^1]',
      '[^1]: n',
      '$$',
      '|',
      '| - |',
      '    ',
      '\t',
      '\0',
      '\ud800',
      '---',
      'a',
    ],
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 40 }), list => {
      assert.ok(Array.isArray(tree(list.join(''))))
    }),
    { numRuns: runs(200) },
  )
})

test.run()

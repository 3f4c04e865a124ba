import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type DocumentNode,
  documentToPageMarkdown,
  documentToText,
} from '../../../src/content/document/to-page.ts'
import { plainText } from '../../../src/content/markdown/plain-text.ts'
import { Fault } from '../../../src/errors.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

const text = (words: string, ...marks: string[]): DocumentNode => ({
  object: 'text',
  leaves: [{ text: words, marks: marks.map(type => ({ type })) }],
})
const block = (
  type: string,
  nodes: DocumentNode[] = [],
  data: Record<string, unknown> = {},
): DocumentNode => ({
  object: 'block',
  type,
  nodes,
  data,
})
const p = (...nodes: (DocumentNode | string)[]) =>
  block(
    'paragraph',
    nodes.map(node => (typeof node === 'string' ? text(node) : node)),
  )
const inline = (
  type: string,
  data: Record<string, unknown>,
  nodes: DocumentNode[] = [],
): DocumentNode => ({
  object: 'inline',
  type,
  data,
  nodes,
})
const write = (...nodes: DocumentNode[]) =>
  documentToPageMarkdown({ object: 'document', data: {}, nodes }, ref =>
    ref.kind === 'page' ? `${String(ref.page)}.md` : null,
  )
const page = { kind: 'page', page: 'a b' }

test('text, marks and inlines are written', () => {
  const marked = p(
    'a ',
    text('b ', 'bold'),
    text('c', 'bold', 'italic'),
    text(' d`e', 'code'),
    text('k', 'keyboard'),
    ' *x*',
  )

  assert.is(write(marked), 'a **b** **_c_** ``d`e``<kbd>k</kbd> \\*x\\*\n')
  const links = p(
    inline('link', { ref: page }, [text('t')]),
    inline('link', { ref: { kind: 'file', file: 'f' } }, [text('gone')]),
  )

  assert.is(write(links), '[t](<a b.md>)gone\n')
  assert.is(
    write(p(inline('emoji', { code: '1f44b' }), inline('inline-math', { formula: 'a^2' }))),
    '👋$$a^2$$\n',
  )
  assert.is(write(p('# no\n- no')), '\\# no\\\n\\- no\n')
  assert.is(write(p('{% hint %}')), '\\{% hint %}\n')
  const note = { ...inline('annotation', {}, [text('w')]), fragments: [{ nodes: [p('body')] }] }

  assert.is(write(p(note)), 'w[^1]\n\n[^1]: body\n')
})

test('blocks are written', () => {
  const item = (...nodes: DocumentNode[]) => block('list-item', nodes)
  const nested = block('list-unordered', [
    item(p('a'), block('list-ordered', [item(p('b')), item(p('c'), p('d'))])),
    item(p('e')),
  ])

  assert.is(write(nested), '* a\n  1. b\n  2. c\n\n     d\n* e\n')
  const tasks = block('list-tasks', [{ ...item(p('a')), data: { checked: true } }, item(p('b'))])

  assert.is(write(tasks), '* [x] a\n* [ ] b\n')
  assert.is(write(block('heading-2', [text('H')], { id: 'h' })), '### H <a href="#h" id="h"></a>\n')
  assert.is(write(block('blockquote', [p('a'), p('b')])), '> a\n>\n> b\n')
  assert.is(
    write(block('hint', [p('a')], { style: 'danger' })),
    '{% hint style="danger" %}\na\n{% endhint %}\n',
  )
  assert.is(write(block('divider'), block('math', [], { formula: 'x' })), '***\n\n$$\nx\n$$\n')
  const line = (words: string) => block('code-line', [text(words)])

  assert.is(
    write(block('code', [line('```'), line('b')], { syntax: 'ts' })),
    '````ts\n```\nb\n````\n',
  )
  const titled = block('code', [line('a')], { title: 'x "y"' })

  assert.is(write(titled), '{% code title="x \'y\'" %}\n```\na\n```\n{% endcode %}\n')
  const tabs = block('tabs', [block('tabs-item', [p('a')], { title: 'One' })])

  assert.is(write(tabs), '{% tabs %}\n{% tab title="One" %}\na\n{% endtab %}\n{% endtabs %}\n')
  assert.is(
    write(block('content-ref', [], { ref: page })),
    '{% content-ref url="a b.md" %}\n[a b.md](<a b.md>)\n{% endcontent-ref %}\n',
  )

  const expandable = {
    ...block('expandable'),
    fragments: [
      { fragment: 'expandable-title', nodes: [p('T')] },
      { fragment: 'expandable-body', nodes: [p('B')] },
    ],
  }

  assert.is(write(expandable), '<details>\n\n<summary>T</summary>\n\nB\n\n</details>\n')
  const columns = block('columns', [block('column', [p('a')], { width: { value: 50, unit: '%' } })])

  assert.ok(write(columns).includes('{% column width="50%" %}\na\n{% endcolumn %}'))
  const image = block('image', [], { ref: { kind: 'url', url: 'https://x/y.png' }, alt: 'A&"' })
  const figure =
    '<figure><img src="https://x/y.png" alt="A&#x26;&#x22;"><figcaption></figcaption></figure>\n'

  assert.is(write(block('images', [image])), figure)
})

test('tables are written with their visible columns', () => {
  const table: DocumentNode = {
    object: 'block',
    type: 'table',
    data: {
      view: { type: 'grid', columns: ['n', 't'], hideHeader: false },
      definition: {
        t: { id: 't', title: 'Text', type: 'text', textAlignment: 'center' },
        n: { id: 'n', title: 'N|o', type: 'number' },
      },
      records: {
        b: { orderIndex: 'b', values: { n: 2 } },
        a: { orderIndex: 'a', values: { n: 1, t: 'f1' } },
      },
    },
    fragments: [{ fragment: 'f1', nodes: [p('x|y'), p('z')] }],
  }
  assert.is(write(table), '| N\\|o | Text |\n| --- | :---: |\n| 1 | x\\|y<br>z |\n| 2 |  |\n')
})

test('a table with fields of any type is written or left out', () => {
  const odd = { toString: 1, valueOf: 1 }
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(odd, [odd], 'A', ['a'], { a: odd }, { value: 'x', label: odd }),
  )
  const type = fc.oneof(fc.constantFrom('text', 'select', 'files', 'checkbox', 'number'), anything)
  const definition = fc.record({
    type,
    title: anything,
    textAlignment: anything,
    options: anything,
  })
  const row = fc.record({ orderIndex: anything, values: fc.record({ a: anything, b: anything }) })
  const or = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 3, arbitrary }, anything)
  const data = fc.record(
    {
      definition: or(fc.record({ a: or(definition), b: or(definition) })),
      records: or(fc.record({ r: or(row), s: or(row) })),
      view: or(fc.record({ columns: anything })),
    },
    { requiredKeys: [] },
  )

  fc.assert(
    fc.property(data, data => {
      const written = write(block('table', [], data))
      assert.ok(written === '' || /^\|.*\|\n\| (?:-|:)/.test(written), written)
    }),
  )
})

test('a table of many empty rows and columns is refused', () => {
  const many = Object.fromEntries(Array.from({ length: 7_000 }, (_, at) => [`x${at}`, {}]))
  const refused = (error: unknown) => error instanceof Fault && error.kind === 'invalid'
  assert.throws(() => write(block('table', [], { definition: many, records: many })), refused)
  const columns = Array.from({ length: 9_000 }, () => 'x1')
  const narrow = write(block('table', [], { definition: many, records: many, view: { columns } }))
  assert.is(narrow.split('\n').length, 7_003)
})

test('a fragment is written in one cell, even if several name it', () => {
  let inner = p('deep')
  for (let level = 0; level < 12; level++)
    inner = {
      ...block('table', [], {
        definition: { a: { type: 'text', title: 'A' } },
        records: Object.fromEntries(
          Array.from({ length: 10 }, (_, at) => [`r${at}`, { values: { a: 'f' } }]),
        ),
      }),
      fragments: [{ object: 'fragment', fragment: 'f', nodes: [inner] }],
    }

  assert.is(write(inner).match(/deep/g)?.length, 1)
})

test('long runs of spaces and of "#" are written in linear time', () => {
  for (const run of [' ', '#', '\t']) {
    const nodes = [text(`a${run.repeat(100_000)}b`), text(run.repeat(100_000)), text('b')]
    const spent = leastCpuTime(() => write(block('heading-1', nodes)), 1_000)
    assert.ok(spent < 1_000, `${spent} ms`)
  }
  assert.is(write(block('heading-1', [text(' a \n \r\n b# c## ')])), '## a b# c\\#\\#\n')
})

test('values of a wrong type are left out', () => {
  const odd = { toString: 1, valueOf: 1 }
  assert.is(write(block('hint', [p('a')], { style: odd })), '{% hint %}\na\n{% endhint %}\n')
  assert.is(write(block('math', [], { formula: odd })), '$$\n\n$$\n')
  assert.is(
    write(p(inline('emoji', { code: odd }), inline('icon', { icon: odd, color: odd }))),
    '<i class="fa-">::</i>\n',
  )

  assert.is(
    write(block('openapi-schemas', [], { schemas: [odd, 'A'] })),
    '{% openapi-schemas schemas=",A" %}\n{% endopenapi-schemas %}\n',
  )
  assert.is(write(block('list-ordered', [block('list-item', [p('a')])], { start: -1.5 })), '1. a\n')
})

test('unknown blocks, inlines and marks are refused by name', () => {
  const fails = (node: DocumentNode, word: string) =>
    assert.throws(
      () => write(node),
      (error: unknown) =>
        error instanceof Fault && error.kind === 'invalid' && error.message.includes(word),
    )

  fails(block('marquee'), '"marquee"')
  fails(p(inline('blink', {})), '"blink"')
  fails(p(text('x', 'wavy')), '"wavy"')
  let deep = p('x')

  for (let level = 0; level < 5000; level++) deep = block('blockquote', [deep])
  fails(deep, 'nested')
})

test('any text is read back unchanged', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[\][*_`<>()&#;~!$|{}% a-]{1,16}$/)),
      words => {
        const expected = words.replace(/[ \t\r\n]+/g, ' ').trim()
        fc.pre(expected === words && !words.includes('\0'))
        assert.is(plainText(write(p(words)).slice(0, -1) || ''), expected)
      },
    ),
    { numRuns: runs(1000) },
  )
})

test('a document has a plain text', () => {
  const nodes = [
    p('a ', text('b', 'bold')),
    block('list-unordered', [block('list-item', [p('c')])]),
  ]
  assert.is(documentToText({ nodes }), 'a b\nc')
})

test.run()

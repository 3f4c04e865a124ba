import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Description } from '../../../src/api/content/change-requests/description-schema.ts'
import { documentFromMarkdown } from '../../../src/content/document/from-markdown.ts'
import { documentToMarkdown } from '../../../src/content/document/to-markdown.ts'
import type { DocumentNode, JSONDocument } from '../../../src/content/document/to-page.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

const require = createRequire(import.meta.url)
const { components } = JSON.parse(
  readFileSync(require.resolve('@gitbook/api/spec/openapi.json'), 'utf8'),
)
const accepts = new Ajv({ strict: false, validateSchema: false, validateFormats: false })
  .addSchema({ $id: 'doc', components: { schemas: components.schemas } })
  .compile({ $ref: 'doc#/components/schemas/JSONDocument' })

/**
 * Reads Markdown, sees that the official client takes the tree and may send it, and that it comes
 * back the same.
 */
const roundTrip = (markdown: string): JSONDocument => {
  const document = documentFromMarkdown(markdown)
  assert.ok(
    accepts(document),
    `${JSON.stringify(markdown)}: ${JSON.stringify(accepts.errors?.[0])}`,
  )
  const refused = Description.safeParse(document).error
  assert.not(refused, `${JSON.stringify(markdown)} could not be sent back: ${refused?.message}`)
  const written = documentToMarkdown(document)
  const again = documentFromMarkdown(written)
  if (JSON.stringify(again) !== JSON.stringify(document))
    assert.equal(again, document, `${JSON.stringify(markdown)} became ${JSON.stringify(written)}`)

  return document
}

/** A tree as nested lists, for reading in a test: `['paragraph', 'words', ['bold', 'words']]`. */
const short = (node: DocumentNode): unknown => {
  if (node.leaves)
    return node.leaves.map(({ text, marks }) =>
      marks!.length === 0 ? text : [marks!.map(({ type }) => type).join(' '), text],
    )

  const data = Object.values(node.data ?? {}).map(value =>
    value instanceof Object && 'url' in value ? value.url : value,
  )
  const inside = (node.nodes ?? []).flatMap(child =>
    child.leaves ? (short(child) as unknown[]) : [short(child)],
  )

  return [[node.type, ...data].join(' '), ...inside]
}
const read = (markdown: string): unknown[] => roundTrip(markdown).nodes!.map(short)

test('text, marks, links and images are read and written', () => {
  assert.equal(read('a **b _c_** ~~d~~ `e*`'), [
    [
      'paragraph',
      'a ',
      ['bold', 'b '],
      ['bold italic', 'c'],
      ' ',
      ['strikethrough', 'd'],
      ' ',
      ['code', 'e*'],
    ],
  ])

  assert.equal(read('[a **b**](../c.md "gone") <https://x.y/z>'), [
    [
      'paragraph',
      ['link ../c.md', 'a ', ['bold', 'b']],
      ' ',
      ['link https://x.y/z', 'https://x.y/z'],
    ],
  ])

  assert.equal(read('![a *b*](c.png "d") [![](e)](f)\n\n[g]\n\n[g]: <h i>'), [
    ['paragraph', ['inline-image c.png a b d'], ' ', ['link f', ['inline-image e']]],
    ['paragraph', ['link h i', 'g']],
  ])
  assert.equal(read('one\ntwo\\\nthree  \nfour'), [['paragraph', 'one\ntwo\nthree\nfour']])
})

test('HTML, tables and other markup stay text', () => {
  const asWritten = (text: string) => assert.equal(read(text), [['paragraph', text]])
  asWritten('<b onclick="x">hi</b> <!-- c --> @ada :tada: https://x.y a@b.c')
  asWritten('[a](javascript:alert) {% hint %} $$x$$ 5 * 3 < 4 & AT&T [ ] !')
  asWritten('| a | b |\n| - | - |\n| 1 | 2 |')
})

test('blocks are read and written', () => {
  assert.equal(read('# a #\n\nb *c*\nd\n---\n\n###### e\n\n***'), [
    ['heading-1', 'a'],
    ['heading-2', 'b ', ['italic', 'c'], ' d'],
    ['heading-3', 'e'],
    ['divider'],
  ])
  const item = (...inside: unknown[]) => ['list-item', ...inside]
  assert.equal(read('7. a\n8. b\n   - c\n\n     d\n\n* e\n* f'), [
    [
      'list-ordered 7',
      item(['paragraph', 'a']),
      item(['paragraph', 'b'], ['list-unordered', item(['paragraph', 'c'], ['paragraph', 'd'])]),
    ],
    ['list-unordered', item(['paragraph', 'e']), item(['paragraph', 'f'])],
  ])

  assert.equal(read('- [ ] a\n- [X] b\n  - [x] c\n  - d'), [
    [
      'list-tasks',
      ['list-item false', ['paragraph', 'a']],
      [
        'list-item true',
        ['paragraph', 'b'],
        ['list-unordered', item(['paragraph', '[x] c']), item(['paragraph', 'd'])],
      ],
    ],
  ])

  assert.equal(read('> a\n>\n> > b\n>\n> ```c\n> d\n>\n>  e\n> ```'), [
    [
      'blockquote',
      ['paragraph', 'a'],
      ['blockquote', ['paragraph', 'b']],
      ['paragraph', ['code', 'd'], '\n\n', ['code', ' e']],
    ],
  ])

  assert.equal(read('~~~ c++ x\n```\n\n\td\n~~~\n\n```\n```'), [
    ['code c++', ['code-line', '```'], ['code-line', ''], ['code-line', '\td']],
    ['code'],
  ])
  assert.equal(read(''), [])
})

test('a tree is written in one canonical form', () => {
  const becomes = (from: string, to: string) => assert.is(documentToMarkdown(roundTrip(from)), to)
  becomes('__a__ _b_', '**a** _b_')
  becomes('_b_ c*d*e', '*b* c*d*e')
  becomes('* a\n* b\n    1. c\n    2. d', '- a\n- b\n  1. c\n  2. d')
  becomes('* [x] a\n\n\n* [ ] b', '- [x] a\n- [ ] b')
  becomes('a\nb\n***\n> c', 'a\\\nb\n\n___\n\n> c')
  becomes(
    'Hello! 1 < 2, snake_case, #tag and C&A. -1',
    'Hello! 1 < 2, snake_case, #tag and C&A. -1',
  )
  becomes('\\- a\n\\# b\n1\\. c', '\\- a\\\n\\# b\\\n1\\. c')
})

const words = anyText({ maxLength: 12 })
/**
 * Characters that have no number in Markdown: where a mark depends on theirs, its sign is seen
 * instead.
 */
const unnumbered = /[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]|\p{Noncharacter_Code_Point}/gu
const numbered = words.map(text => text.replace(unnumbered, ''))
const marked = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...' \n\t*_~`[]()!<>&;\\#+-=|.:x1"'.split(''),
        '**',
        '__',
        '~~',
        '![',
        '](',
        '](u)',
        '`` ',
      ),
      fc.constantFrom(
        'a',
        'é',
        '😀',
        '\u00a0',
        '&#32;',
        '&#10;',
        '&amp;',
        '<u:v>',
        '\n\n',
        '[x]',
        '[x]: y\n',
      ),
      numbered,
    ),
    { maxLength: 40 },
  )
  .map(parts => parts.join(''))
const inlines = fc.letrec<{ run: string; one: string }>(tie => ({
  run: fc.array(tie('one'), { minLength: 1, maxLength: 4 }).map(parts => parts.join('')),
  one: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.oneof(fc.constantFrom('a', ' ', 'b c', '"d"', '\n', '.', '\\*', '&#32;', 'ß'), marked),
    fc
      .tuple(fc.constantFrom('*', '**', '_', '__', '~~', '***'), tie('run'))
      .map(([sign, inner]) => `${sign}${inner}${sign}`),
    tie('run').map(inner => `[${inner}](a b)`.replace('(a b)', '(<a b>)')),
    tie('run').map(inner => `![${inner}](c.png "${inner.replaceAll('"', "'")}")`),
    tie('run').map(inner => `\`${inner}\``),
  ),
})).run
const indented = (mark: string, text: string) =>
  mark + text.replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`)
const blocks = fc.letrec<{ all: string; one: string }>(tie => ({
  all: fc
    .array(fc.tuple(tie('one'), fc.constantFrom('\n\n', '\n', '\n\n\n')), { maxLength: 5 })
    .map(parts => parts.flat().join('')),
  one: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    inlines,
    fc.constantFrom(
      '---',
      '***',
      '===',
      '-',
      '+',
      '1.',
      '>',
      '#',
      '```',
      '    code',
      '- [ ]',
      '- [x] a',
      '',
      '- - -',
    ),
    fc
      .tuple(fc.integer({ min: 1, max: 7 }), inlines)
      .map(([level, text]) => `${'#'.repeat(level)} ${text}`),
    fc
      .tuple(
        fc.constantFrom('- ', '* ', '+ ', '1. ', '3) ', '- [ ] ', '999999999. '),
        fc.array(tie('all'), { maxLength: 4 }),
      )
      .map(([mark, items]) => items.map(item => indented(mark, item)).join('\n')),
    tie('all').map(text => text.replace(/^/gm, '> ')),
    fc
      .tuple(fc.constantFrom('```', '~~~', '````js', '~~~a`b&amp;\\_ c'), tie('all'))
      .map(([fence, text]) => `${fence}\n${text}\n${/^(.)\1*/.exec(fence)![0]}`),
  ),
})).all

const tries = runs(150)
const always = <T>(values: fc.Arbitrary<T>, holds: (value: T) => void, numRuns = tries) =>
  fc.assert(
    fc.property(values, value => void holds(value)),
    { numRuns },
  )

test('any text results in a tree that the official client accepts, and is read back as the same tree', () => {
  always(numbered, roundTrip)
  always(marked, roundTrip, tries * 2)
  always(inlines, roundTrip, tries * 2)
  always(blocks, roundTrip, tries * 2)
})

test('a lone surrogate is replaced', () => {
  assert.equal(read('a\ud800b'), [['paragraph', 'a\ufffdb']])
  assert.is(documentToMarkdown({ nodes: [paragraph(leaf('a\ud800b'))] }), 'a\ufffdb')
})

const leaf = (text: string, ...marks: string[]) => ({
  object: 'leaf',
  text,
  marks: marks.map(type => ({ object: 'mark', type })),
})
const paragraph = (...leaves: object[]) => ({
  object: 'block',
  type: 'paragraph',
  nodes: [{ object: 'text', leaves }],
})

/** The words of a tree, byte for byte, a block a line. */
const wordsOf = (node: DocumentNode | JSONDocument): string[] => {
  const own = (node.nodes ?? []).filter(child => child.leaves)
  const inside = (node.nodes ?? []).filter(child => !child.leaves).flatMap(wordsOf)
  const line = own.flatMap(child => child.leaves!.map(({ text }) => text)).join('')
  return line === '' ? inside : [line, ...inside]
}

test('text with any marks survives Markdown byte for byte', () => {
  const text = fc.oneof(numbered, marked)
  const marks = fc.subarray(['bold', 'italic', 'strikethrough', 'keyboard'])
  const made = fc
    .array(fc.tuple(text, marks), { minLength: 1, maxLength: 5 })
    .map(leaves => paragraph(...leaves.map(([value, own]) => leaf(value, ...own))))
  const tree = fc.letrec<{ all: DocumentNode[]; one: DocumentNode }>(tie => ({
    all: fc.array(tie('one'), { maxLength: 3 }),
    one: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      made,
      made.map(({ nodes }) => ({ object: 'block', type: 'heading-2', data: {}, nodes })),
      tie('all').map(nodes => ({ object: 'block', type: 'blockquote', nodes })),
      fc
        .tuple(
          fc.constantFrom('list-ordered', 'list-unordered', 'list-tasks'),
          fc.array(tie('all')),
        )
        .map(([type, items]) => ({
          object: 'block',
          type,
          data: {},
          nodes: items.map(nodes => ({ object: 'block', type: 'list-item', nodes })),
        })),
    ),
  })).all

  always(
    tree,
    nodes => {
      const written = documentToMarkdown({ object: 'document', data: {}, nodes })
      assert.equal(wordsOf(documentFromMarkdown(written)), wordsOf({ nodes }))
    },
    tries * 2,
  )
})

test('nodes without a Markdown form are written as text', () => {
  const writes = (node: object, expected: string) =>
    assert.is(documentToMarkdown({ object: 'document', data: {}, nodes: [node] }), expected)
  const block = (type: string, nodes: object[], data: object = {}) => ({
    object: 'block',
    type,
    data,
    nodes,
  })

  const inline = (type: string, data: object, nodes?: object[]) => ({
    object: 'inline',
    type,
    data,
    nodes,
  })
  const with_ = (...nodes: object[]) => ({ object: 'block', type: 'paragraph', nodes })
  const url = { kind: 'url', url: 'https://x.y' }

  writes(block('hint', [paragraph(leaf('a')), paragraph(leaf('b'))], { style: 'info' }), 'a\n\nb')
  writes(block('tabs', [block('tabs-item', [paragraph(leaf('a'))], { title: 'T' })]), 'T\n\na')
  writes(
    {
      ...block('expandable', []),
      fragments: [
        { fragment: 'expandable-title', nodes: [paragraph(leaf('t'))] },
        { fragment: 'expandable-body', nodes: [paragraph(leaf('b'))] },
      ],
    },
    't\n\nb',
  )
  writes(block('math', [], { formula: 'a*b' }), 'a\\*b')
  writes(block('embed', [], { url: 'https://x.y' }), '<https://x.y>')
  writes(block('images', [block('image', [], { ref: url, alt: 'A' })]), '![A](https://x.y)')
  writes(block('marquee', [paragraph(leaf('x'))]), 'x')
  writes(paragraph(leaf('a', 'keyboard'), leaf('b', 'color', 'bold')), 'a**b**')
  writes(with_(inline('mention', { ref: { kind: 'user', user: 'u1' } })), '@u1')
  writes(with_(inline('emoji', { code: '1f44b-1f3fd' })), '👋🏽')
  writes(with_(inline('button', { ref: url, label: 'Go' })), '[Go](https://x.y)')
  writes(
    with_(inline('inline-math', { formula: 'x_1' }), inline('icon', { icon: 'star' })),
    'x_1star',
  )
  const link = (target: string) =>
    inline('link', { ref: { kind: 'url', url: target } }, paragraph(leaf('a')).nodes)

  writes(with_(link('javascript:alert(1)')), 'a')
  writes(
    with_(inline('link', { ref: { kind: 'page', page: 'p' } }, paragraph(leaf('a')).nodes)),
    'a',
  )
  writes(with_(paragraph(leaf('Hi!')).nodes[0]!, link('../b c.md')), 'Hi\\![a](<../b c.md>)')
})

test('any value can be written as a document', () => {
  const keys = [
    'object',
    'type',
    'data',
    'nodes',
    'leaves',
    'text',
    'marks',
    'fragments',
    'ref',
    'url',
    'code',
  ]

  const kinds = [
    'block',
    'paragraph',
    'code',
    'link',
    'list-tasks',
    'emoji',
    'inline-image',
    'mention',
    'x',
  ]

  const json = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 6 },
      fc.oneof(fc.constantFrom(...kinds), fc.jsonValue({ maxDepth: 1 })),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys), tie('value')),
    ),
  })).value

  always(
    json,
    value => {
      assert.type(documentToMarkdown(value), 'string')
      assert.type(documentToMarkdown({ nodes: [value, { nodes: [value] }] }), 'string')
    },
    tries * 3,
  )
})

test('hostile text is read and written in linear time, and its words stay', () => {
  const long = (piece: string) => piece.repeat(Math.ceil(20_000 / piece.length)).slice(0, 20_000)
  const pieces = [
    '>',
    '> ',
    '*',
    '[',
    '![',
    '[a](',
    '- ',
    '1. ',
    '> - ',
    '*a **b_ ',
    '~~a',
    '`a``b',
    '<a:',
    '|',
  ]
  const both = (open: string, close: string) => open.repeat(3300) + close.repeat(3300)
  const texts = [
    ...pieces.map(long),
    both('![', '](a)'),
    both('*a', 'b*'),
    both('**_', '_**'),
    `${long('> ')}a`,
  ]

  for (const text of texts) {
    const took = [1, 2, 3].map(() => {
      // What else runs on the machine does not count.
      const before = process.cpuUsage()
      documentToMarkdown(documentFromMarkdown(text))
      return process.cpuUsage(before).user / 1000
    })
    assert.ok(Math.min(...took) < 1_000, `${text.slice(0, 20)} took ${Math.min(...took)} ms`)
    roundTrip(text)
  }

  assert.ok(JSON.stringify(documentFromMarkdown(`${'> '.repeat(10_000)}deep`)).includes('deep'))
})

test('a hostile tree is written in linear time, and its words stay', () => {
  for (const type of ['blockquote', 'list-unordered', 'hint', 'paragraph', 'none']) {
    let node: object = paragraph(leaf('deep'))
    for (let depth = 0; depth < 20_000; depth++) node = { object: 'block', type, nodes: [node] }
    assert.ok(documentToMarkdown({ nodes: [node] }).endsWith('deep'), type)
  }

  const lines = Array.from({ length: 200_000 }, () => paragraph(leaf('```x')))
  const code = { object: 'block', type: 'code', data: {}, nodes: lines }
  assert.ok(documentToMarkdown({ nodes: [code] }).endsWith('\n````'))
  assert.is(documentToMarkdown({ nodes: lines }).split('\n\n').length, lines.length)
})

test.run()

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { DocumentNode, JSONDocument } from '../../src/content/document.ts'
import { documentFromMarkdown } from '../../src/content/document-from-markdown.ts'
import { documentToMarkdown } from '../../src/content/document-to-markdown.ts'

const require = createRequire(import.meta.url)
const { components } = JSON.parse(readFileSync(require.resolve('@gitbook/api/spec/openapi.json'), 'utf8'))
const accepts = new Ajv({ strict: false, validateSchema: false, validateFormats: false })
  .addSchema({ $id: 'doc', components: { schemas: components.schemas } })
  .compile({ $ref: 'doc#/components/schemas/JSONDocument' })

/** Reads Markdown, sees that the official client takes the tree, and that it comes back as the same tree. */
const roundTrip = (markdown: string): JSONDocument => {
  const document = documentFromMarkdown(markdown)
  assert.ok(accepts(document), `${JSON.stringify(markdown)}: ${JSON.stringify(accepts.errors?.[0])}`)
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

test('words, marks, links and images', () => {
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
    ['paragraph', ['link ../c.md', 'a ', ['bold', 'b']], ' ', ['link https://x.y/z', 'https://x.y/z']],
  ])
  assert.equal(read('![a *b*](c.png "d") [![](e)](f)\n\n[g]\n\n[g]: <h i>'), [
    ['paragraph', ['inline-image c.png a b d'], ' ', ['link f', ['inline-image e']]],
    ['paragraph', ['link h i', 'g']],
  ])
  assert.equal(read('one\ntwo\\\nthree  \nfour'), [['paragraph', 'one\ntwo\nthree\nfour']])
})

test('what is no markup here stays text', () => {
  const asWritten = (text: string) => assert.equal(read(text), [['paragraph', text]])
  asWritten('<b onclick="x">hi</b> <!-- c --> @ada :tada: https://x.y a@b.c')
  asWritten('[a](javascript:alert) {% hint %} $$x$$ 5 * 3 < 4 & AT&T [ ] !')
  asWritten('| a | b |\n| - | - |\n| 1 | 2 |')
})

test('blocks', () => {
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

test('how it is written', () => {
  const becomes = (from: string, to: string) => assert.is(documentToMarkdown(roundTrip(from)), to)
  becomes('__a__ _b_', '**a** _b_')
  becomes('_b_ c*d*e', '*b* c*d*e')
  becomes('* a\n* b\n    1. c\n    2. d', '- a\n- b\n  1. c\n  2. d')
  becomes('* [x] a\n\n\n* [ ] b', '- [x] a\n- [ ] b')
  becomes('a\nb\n***\n> c', 'a\\\nb\n\n___\n\n> c')
  becomes('Hello! 1 < 2, snake_case, #tag and C&A. -1', 'Hello! 1 < 2, snake_case, #tag and C&A. -1')
  becomes('\\- a\n\\# b\n1\\. c', '\\- a\\\n\\# b\\\n1\\. c')
})

const words = fc.string({ unit: 'binary', maxLength: 12 })
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
      words,
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
    fc.tuple(fc.integer({ min: 1, max: 7 }), inlines).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
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

test('any text gives a tree that the official client accepts, and comes back as the same tree', () => {
  const runs = Number(process.env.RUNS ?? 300)
  fc.assert(
    fc.property(words, text => void roundTrip(text)),
    { numRuns: runs },
  )
  fc.assert(
    fc.property(marked, text => void roundTrip(text)),
    { numRuns: runs * 2 },
  )
  fc.assert(
    fc.property(inlines, text => void roundTrip(text)),
    { numRuns: runs * 2 },
  )
  fc.assert(
    fc.property(blocks, text => void roundTrip(text)),
    { numRuns: runs * 2 },
  )
})

test.run()

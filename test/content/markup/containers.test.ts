import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageTree } from '../../../src/content/markup/parse.ts'
import { isElement, type MarkupNode } from '../../../src/content/markup/tree.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { assertLinear } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

/** Returns nodes as short text: `name(attribute)[content]`. */
const short = (nodes: readonly MarkupNode[]): string =>
  nodes
    .map(node => {
      if (!isElement(node)) return node.trim()
      const { style, title } = node.attributes
      const said = [style, title].filter(each => each).join()
      return `${node.name}${said && `(${said})`}[${short(node.nodes)}]`
    })
    .join('')

const shown = (markdown: string): string => short(atOnce(pageTree(markdown)).root.nodes)

for (const [name, [markdown, tree]] of Object.entries({
  'a note of Docusaurus with a title': [
    ':::note[Mind *this*]\n\nText\n\n:::\nAfter',
    '%hint(info)[p[strong[Mindem[this]]]p[Text]]p[After]',
  ],
  'a note without blank lines': [':::tip\nText\n:::', '%hint(success)[p[Text]]'],
  'a container of VitePress, which ends a paragraph': [
    'Before\n::: danger STOP\nText\n:::',
    'p[Before]%hint(danger)[p[strong[STOP]]p[Text]]',
  ],
  'nested containers': [
    '::::info\n:::warning\nA\n:::\nB\n::::\nC',
    '%hint(info)[%hint(warning)[p[A]]p[B]]p[C]',
  ],
  'a container in a list': ['- a\n\n  :::note\n  b\n  :::', 'ul[li[p[a]%hint(info)[p[b]]]]'],
  details: ['::: details Click {open}\nA\n:::', 'details[summary[Click]p[A]]'],
  'a group of code': [
    '::: code-group\n```sh [npm]\na\n```\n\n```sh\nb\n```\n:::',
    '%tabs[%tab(npm)[pre[a]]%tab(sh)[pre[b]]]',
  ],
  'a container without an end': [':::note\n\nText', 'group(info)[p[:::note]p[Text]]'],
  'an end without a start': ['Text\n:::\nMore', 'p[Text#wrap[]:::#wrap[]More]'],
  'a container with an unknown name': ['::: raw\nText\n:::', 'p[::: raw#wrap[]Text#wrap[]:::]'],
  'a container in code': ['```\n:::note\n```', 'pre[:::note]'],
  'an admonition of MkDocs': [
    '!!! warning "Take care"\n    Text\n\n    - a\n\nAfter',
    '%hint(warning)[p[strong[Take care]]p[Text]ul[li[a]]]p[After]',
  ],
  'an admonition with code, and one whose name is its title': [
    '!!! bug\n\n    ```\n    a\n    ```\n',
    '%hint(danger)[p[strong[Bug]]pre[a]]',
  ],
  'collapsible admonitions': [
    '??? note "More"\n    A\n\n???+ tip\n    B',
    'details[summary[More]p[A]]details[summary[Tip]p[B]]',
  ],
  'tabs of Material for MkDocs': [
    '=== "C"\n\n    A\n\n=== "D"\n\n    B\n\nAfter',
    '%tabs[%tab(C)[p[A]]%tab(D)[p[B]]]p[After]',
  ],
  'tabs in an admonition': [
    '!!! note\n    === "C"\n        A\n    === "D"\n        B\n',
    '%hint(info)[%tabs[%tab(C)[p[A]]%tab(D)[p[B]]]]',
  ],
  'a place for a table of contents': ['[[toc]]\n\nText\n\n[TOC]', 'p[Text]'],
  'a tab outside the item with the tabs before it, and a group begun anew': [
    '- === "C"\n      A\n=== "D"\n    B\n===! "E"\n    F\n',
    'ul[li[%tabs[%tab(C)[A]]]]%tabs[%tab(D)[p[B]]]%tabs[%tab(E)[p[F]]]',
  ],
  'a tab after a paragraph': [
    '=== "C"\n    A\n\nText\n\n=== "D"\n    B\n',
    '%tabs[%tab(C)[p[A]]]p[Text]%tabs[%tab(D)[p[B]]]',
  ],
  'exclamation marks and a heading': [
    '!!!\n\nWow!!! note\n\nTitle\n===',
    'p[!!!]p[Wow!!! note]h1[Title]',
  ],
} satisfies Record<string, [string, string]>))
  test(name, () => {
    assert.is(shown(`${markdown}\n`), tree)
  })

test('imports and comments of MDX show nothing in MDX, and are text in Markdown', () => {
  const source =
    "import Tabs from '@theme/Tabs';\nimport { A, B } from './x.js'\n\n{/* no */}\n\nText\n"
  assert.is(short(atOnce(pageTree(source, 'a.mdx')).root.nodes), 'p[Text]')
  assert.match(shown(source), /import Tabs.*no.*Text/s)
})

test('any lines are read without an exception', () => {
  const line = fc.constantFrom(
    ':::note',
    ':::',
    '::::',
    '!!! note',
    '??? a "b"',
    '=== "a"',
    '[[toc]]',
    '- a',
    '> ',
  )
  const indent = fc.nat(12).map(count => ' '.repeat(count))
  const lines = fc.array(fc.tuple(indent, fc.oneof(line, anyText({ maxLength: 20 }))), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(lines, list => {
      shown(list.map(each => each.join('')).join('\n'))
    }),
    { numRuns: runs(800) },
  )
})

test('containers are read in time linear in their number', async () => {
  for (const piece of [
    ':::note\n',
    ':::note\n:::\n',
    '!!! note\n    a\n',
    '=== "a"\n    a\n',
    '- :::note\n',
  ])
    await assertLinear(100_000, size => piece.repeat(size / piece.length), shown, piece)

  // Lines that match nearly all of a pattern.
  for (const [start, piece, end] of [
    ['!!!', ' ', 'x!'],
    ['!!! ', 'a ', '!'],
    [':::', 'a', '\u2028'],
    ['::: note ', '{', ''],
    ['::: note [', '[', ''],
    ['import', ' ', ''],
    ['import a', ' ', 'from'],
    ['=== ', '"', 'x'],
  ] as const)
    await assertLinear(
      100_000,
      size => `${start}${piece.repeat(size / piece.length)}${end}\n`,
      shown,
      start + piece,
    )
})

test.run()

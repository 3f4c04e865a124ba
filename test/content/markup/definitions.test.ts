import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageTree } from '../../../src/content/markup/parse.ts'
import { isElement, type MarkupNode } from '../../../src/content/markup/tree.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { assertLinear } from '../../support/cpu-time.ts'

/** Returns nodes as short text: `name[content]`. */
const short = (nodes: readonly MarkupNode[]): string =>
  nodes.map(node => (isElement(node) ? `${node.name}[${short(node.nodes)}]` : node.trim())).join('')

const shown = (markdown: string): string => short(atOnce(pageTree(markdown)).root.nodes)

const lists: Record<string, [markdown: string, tree: string]> = {
  'a term and its definitions': ['A\n: b\n:   c', 'dl[dt[A]dd[b]dd[c]]'],
  'terms apart from their definitions': [
    '*A*\n\n:   b\n\n:   c\n\nD\n\n:   e',
    'dl[dt[em[A]]dd[b]dd[c]dt[D]dd[e]]',
  ],
  'a definition on two lines': ['A\n: b\n  c\n\nd', 'dl[dt[A]dd[b#wrap[]c]]p[d]'],
  'a list that other blocks end': [
    'A\n: b\n- c\n\nD\n: e\n# F',
    'dl[dt[A]dd[b]]ul[li[c]]dl[dt[D]dd[e]]h1[F]',
  ],
  'a list in a quote and in a list': [
    '> A\n> : b\n\n- C\n  : d',
    'blockquote[dl[dt[A]dd[b]]]ul[li[dl[dt[C]dd[d]]]]',
  ],
  'a colon that defines nothing': ['A\n:b\n\nC\n\n\n: d\n\n: e', 'p[A#wrap[]:b]p[C]p[: d]p[: e]'],
  'a colon in a longer paragraph': ['A\nB\n: c', 'p[A#wrap[]B#wrap[]: c]'],
  'an underlined heading': ['A\n: b\n===', 'h1[A#wrap[]: b]'],
  'an underline below two colons': ['A\n: b\n: c\n===', 'h1[A#wrap[]: b#wrap[]: c]'],
  'an underline behind an empty line': ['A\n: b\n\n: c\n===', 'dl[dt[A]dd[b]]h1[: c]'],
}

for (const [name, [markdown, tree]] of Object.entries(lists))
  test(name, () => {
    assert.is(shown(markdown), tree)
  })

test('definitions are read in time linear in their number', async () => {
  for (const piece of ['A\n: b\n\n', ': b\n', 'A\n: b\n', 'A\n: b\n---\n', 'A\n\n: '])
    await assertLinear(
      200_000,
      size => piece.repeat(size / piece.length),
      text => atOnce(pageTree(text)),
      piece,
    )
})

test.run()

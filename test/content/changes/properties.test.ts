import fc from 'fast-check'
import { test } from 'uvu'
import { markChanges } from '../../../src/content/changes/mark-changes.ts'
import type { MarkupElement, MarkupNode } from '../../../src/content/markup/tree.ts'
import { isBlockName } from '../../../src/content/markup/tree.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { runs } from '../../support/long-run.ts'
import { assertMarked, markPages } from '../../support/marked-page.ts'

const word = fc.constantFrom(
  'a',
  'bc',
  'the',
  'words',
  '一二三',
  'x_y',
  '(z)',
  '&amp;',
  '👩‍👧',
  '\\*',
  'é',
)
const words = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: word },
      fc.tuple(word, word).map(([a, b]) => `**${a} ${b}**`),
      word.map(text => `\`${text}\``),
      fc.tuple(word, word).map(([a, b]) => `[${a}](${b}.md)`),
      fc.constantFrom(
        '[^1]',
        '[^n]',
        '![i](i.png)',
        '![j](i.png "t")',
        '<br>',
        '\n',
        '<ins>q</ins>',
        '~~s~~',
      ),
    ),
    { minLength: 1, maxLength: 9 },
  )
  .map(list => list.join(' '))

const indented = (text: string) => text.replace(/\n/g, '\n  ')

/** Blocks of Markdown; containers hold other ones. */
const { block } = fc.letrec<{ block: string; blocks: string }>(tie => ({
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    words,
    fc
      .tuple(fc.constantFrom('#', '##', '###'), words)
      .map(([mark, text]) => `${mark} ${text.replace(/\n/g, ' ')}`),
    fc
      .array(words, { minLength: 1, maxLength: 5 })
      .map(lines => `\`\`\`js\n${lines.join('\n')}\n\`\`\``),
    fc
      .array(fc.tuple(word, word), { maxLength: 4 })
      .map(rows => `| a | b |\n|-|-|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join('\n')}`),
    fc.constantFrom(
      '***',
      '$$\na\n$$',
      '[^1]: note one',
      '[^n]: another',
      '<pre>\na\n\nb\n</pre>',
      '{% include "x.md" %}',
    ),
    fc
      .array(tie('blocks'), { minLength: 1, maxLength: 4 })
      .map(items => items.map(item => `* ${indented(item)}`).join('\n')),
    tie('blocks').map(text => `> ${text.replace(/\n/g, '\n> ')}`),
    fc
      .tuple(fc.constantFrom('info', 'danger'), tie('blocks'))
      .map(([style, text]) => `{% hint style="${style}" %}\n${text}\n{% endhint %}`),
    fc
      .array(tie('blocks'), { minLength: 1, maxLength: 3 })
      .map(
        tabs =>
          `{% tabs %}\n${tabs.map((text, at) => `{% tab title="T${at}" %}\n${text}\n{% endtab %}`).join('\n')}\n{% endtabs %}`,
      ),
    fc
      .tuple(words, tie('blocks'))
      .map(([title, text]) => `<details>\n<summary>${title}</summary>\n\n${text}\n\n</details>`),
    tie('blocks').map(text => `<div>\n${text}\n</div>`),
  ),
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map(list => list.join('\n\n')),
}))

type Change = { kind: 'drop' | 'add' | 'swap' | 'words'; at: number; text: string }

const change = fc.record<Change>({
  kind: fc.constantFrom('drop', 'add', 'swap', 'words'),
  at: fc.nat(30),
  text: fc.oneof(block, words),
})

/** Applies a change to a list of blocks of Markdown. */
function changed(blocks: readonly string[], { kind, at, text }: Change): string[] {
  const index = at % Math.max(1, blocks.length)
  const one = blocks[index] ?? ''
  if (kind === 'add') return blocks.toSpliced(index, 0, text)
  if (kind === 'drop') return blocks.toSpliced(index, 1)
  if (kind === 'swap') return [...blocks.toSpliced(index, 1), one]

  const cut = one.indexOf(' ', at)

  return blocks.toSpliced(
    index,
    1,
    cut === -1 ? `${one} ${text}` : `${one.slice(0, cut)} ${text}${one.slice(cut)}`,
  )
}

test('an edited page contains exactly its two versions', () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 8 }),
      fc.array(change, { maxLength: 5 }),
      (blocks, changes) => {
        const edited = changes.reduce<readonly string[]>(changed, blocks)
        const { page, before, after } = markPages(blocks.join('\n\n'), edited.join('\n\n'))
        assertMarked(page, before, after)
      },
    ),
    { numRuns: runs(1200) },
  )
})

test('two pages that have nothing to do with each other are one page as well', () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 5 }),
      fc.array(block, { maxLength: 5 }),
      (one, other) => {
        const { page, before, after } = markPages(one.join('\n\n'), other.join('\n\n'))
        assertMarked(page, before, after)
      },
    ),
    { numRuns: runs(600) },
  )
})

const names = fc.constantFrom(
  ...'p p p h2 ul ol li li div table tbody tr td th pre details summary figure blockquote %hint %tabs %tab'.split(
    ' ',
  ),
  ...'strong em code a span img wrap br note formula del ins group math hr'.split(' '),
)
const attributes = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.dictionary(
    fc.constantFrom('src', 'href', 'title', 'name', 'change', 'words'),
    fc.constantFrom('a', 'b', '1'),
  ),
)
const text = fc.constantFrom(
  'a',
  ' ',
  '\n',
  'some words',
  'some other words',
  'one two three',
  'x',
  '二三',
)

/** Trees as parsing HTML may make them: any element in any other. */
const { element } = fc.letrec<{ element: MarkupElement; node: MarkupNode }>(tie => ({
  node: fc.oneof({ depthSize: 'small' }, text, tie('element')),
  element: fc
    .record({ name: names, attributes, nodes: fc.array(tie('node'), { maxLength: 4 }) })
    .map(made => ({
      ...made,
      nodes: /^(?:img|wrap|br|note|hr)$/.test(made.name) ? [] : made.nodes,
    }))
    .map(made => ({ ...made, blocks: made.nodes.some(isBlock) })),
}))

const isBlock = (node: MarkupNode): boolean =>
  typeof node !== 'string' && (isBlockName(node.name) || node.blocks)

const version = fc.array(element, { maxLength: 6 }).map(nodes => ({
  root: { name: 'group', attributes: {}, nodes, blocks: true },
  notes: new Map([['a', 'b']]),
}))

test('any two trees become one', () => {
  fc.assert(
    fc.property(version, version, (before, after) => {
      assertMarked(atOnce(markChanges(before, after)), before, after)
    }),
    { numRuns: runs(2400) },
  )
})

test.run()

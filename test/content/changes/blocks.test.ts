import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { markChanges } from '../../../src/content/changes/mark-changes.ts'
import type { MarkupElement, MarkupNode } from '../../../src/content/markup/tree.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { assertMarked, markPages, shortly } from '../../support/marked-page.ts'

/** Marks what changed between two pages, checks the marks, and returns the blocks as short text. */
function marks(before: string, after: string): string[] {
  const { page, ...versions } = markPages(before, after)
  assertMarked(page, versions.before, versions.after)
  return page.root.nodes.map(node => shortly(node).trim()).filter(text => text !== '')
}

const kinds = (before: string, after: string) =>
  markPages(before, after).page.changes.map(({ id, kind, name }) => `${id} ${kind} ${name}`)

test('equal pages have no marks', () => {
  const text = '# T\n\nSome *words*.\n\n* a\n* b\n\n```js\nx\n```\n'
  assert.equal(marks(text, text), ['h1(T)', 'p(Some em(words).)', 'ul(li(a)li(b))', 'pre(x\n)'])
})

test('a new block is added, and a missing one is removed in its place', () => {
  assert.equal(marks('First.\n\nThird thing.\n', 'First.\n\nSecond words.\n\nThird thing.\n'), [
    'p(First.)',
    '+p(Second words.)',
    'p(Third thing.)',
  ])
  assert.equal(marks('First.\n\nSecond words.\n\nThird thing.\n', 'First.\n\nThird thing.\n'), [
    'p(First.)',
    '-p(Second words.)',
    'p(Third thing.)',
  ])
})

test('a page of nothing is added or removed block by block', () => {
  assert.equal(marks('', '# T\n\na\n'), ['+h1(T)', '+p(a)'])
  assert.equal(marks('# T\n\na\n', ''), ['-h1(T)', '-p(a)'])
  assert.equal(marks('', ''), [])
})

test('blocks with words in common are one edited block, others are two', () => {
  assert.equal(marks('Run npm install and start it.', 'Run npm ci and start it.'), [
    '~p(Run npm {-install-}{+ci+} and start it.)',
  ])
  assert.equal(marks('Run npm install and start it.', 'Nothing of that sort.'), [
    '-p(Run npm install and start it.)',
    '+p(Nothing of that sort.)',
  ])
})

test('a heading needs more words in common than a paragraph', () => {
  assert.equal(marks('a b c d e', 'a b x y z'), ['~p(a b {-c d e-}{+x y z+})'])
  assert.equal(marks('# a b c d e', '# a b x y z'), ['-h1(a b c d e)', '+h1(a b x y z)'])
})

test('a heading of another level is edited', () => {
  const { page } = markPages('## Install the thing', '### Install the thing')
  assert.equal(page.root.nodes.map(shortly), ['~h3(Install the thing)'])
  const [heading] = page.root.nodes
  assert.is(page.former.get(heading as never)?.name, 'h2')
})

test('a block that stands elsewhere has moved', () => {
  const blocks = ['A first paragraph.', 'A second one of words.', 'The third thing.']
  assert.equal(marks(blocks.join('\n\n'), [blocks[1], blocks[2], blocks[0]].join('\n\n')), [
    'p(A second one of words.)',
    'p(The third thing.)',
    '>p(A first paragraph.)',
  ])
})

test('a block that stands in another container has moved', () => {
  const hint = (text: string) =>
    `{% hint style="info" %}\nThe words of the hint.\n${text}{% endhint %}\n`
  assert.equal(marks(`One line of words.\n\n${hint('')}`, hint('\nOne line of words.\n')), [
    '%hint(p(The words of the hint.)>p(One line of words.))',
  ])
})

test('a pair of equal blocks stays a pair', () => {
  assert.equal(marks('same words here\n\nmiddle\n\nsame words here', 'same words here\n\nmiddle'), [
    'p(same words here)',
    'p(middle)',
    '-p(same words here)',
  ])
})

test('lists are gone into', () => {
  assert.equal(
    marks(
      '* one two\n* three four\n  * five\n* six',
      '* one two\n* new item\n* three four now\n  * five x',
    ),
    ['ul(li(one two)+li(new item)li(~p(three four{+ now+})ul(~li(five{+ x+})))-li(six))'],
  )
})

test('a list with a blank line between its items is the same list', () => {
  assert.equal(kinds('* a\n* b', '* a\n\n* b'), [])
})

test('a box that was checked and a list that was numbered are edited', () => {
  assert.equal(kinds('* [ ] do it', '* [x] do it'), ['1 edited li'])
  assert.equal(kinds('* do it\n* now', '1. do it\n2. now'), ['1 edited ol'])
})

const table = (...rows: string[]) => `| a | b |\n| - | - |\n${rows.join('\n')}\n`

test('tables are compared by rows, and rows by cells', () => {
  assert.equal(
    marks(table('| 1 | x |', '| 2 | y |'), table('| 1 | z |', '| 3 | q |', '| 2 | y |')),
    ['table(thead(tr(th(a)th(b)))tbody(tr(td(1)~td({-x-}{+z+}))+tr(td(3)td(q))tr(td(2)td(y))))'],
  )
})

test('a column is added cell by cell', () => {
  const before = '| a | c |\n| - | - |\n| 1 | 3 |\n'
  assert.equal(marks(before, '| a | b | c |\n| - | - | - |\n| 1 | 2 | 3 |\n'), [
    'table(thead(tr(th(a)+th(b)th(c)))tbody(tr(td(1)+td(2)td(3))))',
  ])
})

test('hints, tabs, columns, steps and quotes are gone into', () => {
  for (const [open, close] of [
    ['{% hint style="info" %}', '{% endhint %}'],
    ['{% tabs %}\n{% tab title="A" %}', '{% endtab %}\n{% endtabs %}'],
    ['{% columns %}\n{% column %}', '{% endcolumn %}\n{% endcolumns %}'],
    ['{% stepper %}\n{% step %}', '{% endstep %}\n{% endstepper %}'],
    ['<details>\n<summary>S</summary>\n', '\n</details>'],
  ]) {
    const page = (text: string) => `${open}\n${text}\n${close}\n`
    assert.equal(
      kinds(page('Some words.\n\nLast.'), page('Some other words.\n\nLast.')),
      ['1 edited p'],
      open,
    )
  }
  assert.equal(kinds('> Some words.\n>\n> Last.', '> Some other words.\n>\n> Last.'), [
    '1 edited p',
  ])
})

test('a tab is known by its title', () => {
  const tabs = (text: string) =>
    `{% tabs %}\n{% tab title="A" %}\n${text}\n{% endtab %}\n{% endtabs %}\n`
  assert.equal(marks(tabs('one'), tabs('two')), ['%tabs(%tab(-p(one)+p(two)))'])
})

test('a step is known by its heading, and a row by its first cell', () => {
  const step = (text: string) =>
    `{% stepper %}\n{% step %}\n### Go\n\n${text}\n{% endstep %}\n{% endstepper %}\n`
  assert.equal(marks(step('one'), step('two')), ['%stepper(%step(h3(Go)-p(one)+p(two)))'])
  assert.equal(kinds(table('| name | some of it |'), table('| name | another value |')), [
    '1 edited td',
  ])
})

test('a hint of another style is edited', () => {
  const hint = (style: string) => `{% hint style="${style}" %}\nSome words.\n{% endhint %}`
  assert.equal(kinds(hint('info'), hint('danger')), ['1 edited %hint'])
})

test('code is compared by lines', () => {
  assert.equal(marks('```js\na\nb\nc\n```', '```js\na\nx\nc\n```'), ['~pre(a\n{-b\n-}{+x\n+}c\n)'])
  assert.equal(kinds('```js\na b\n```', '```ts\na b\n```'), ['1 edited pre'])
})

test('diagrams and formulas are replaced as a whole', () => {
  assert.equal(marks('```mermaid\na --> b\n```', '```mermaid\na --> c\n```'), [
    '-pre(a --> b\n)',
    '+pre(a --> c\n)',
  ])
  assert.equal(marks('$$\na + b\n$$', '$$\na + c\n$$'), ['-math(a + b)', '+math(a + c)'])
})

test('an image is known by its source', () => {
  assert.equal(kinds('![a](x.png)\n', '![b](x.png)\n'), ['1 edited p'])
  assert.equal(kinds('![a](x.png)\n', '![a](y.png)\n'), ['1 removed p', '2 added p'])
  const figure = (alt: string) =>
    `<figure><img src="x.png" alt="${alt}"><figcaption>C</figcaption></figure>\n`
  const { page } = markPages(figure('a'), figure('b'))

  assert.equal(
    [...page.former.values()]
      .filter(({ name }) => name === 'img')
      .map(({ attributes }) => attributes.alt),
    ['a'],
  )
})

test('words outside of elements become a paragraph where they changed', () => {
  assert.equal(marks('<i>one two</i>\n\n# T', '<i>one three</i>\n\n# T'), [
    '~p(i(one {-two-}{+three+}))',
    'h1(T)',
  ])
})

test('ids count in reading order', () => {
  assert.equal(kinds('# A\n\n* one two\n\nend of it', '# B\n\n* one two\n* x\n\nend of it all'), [
    '1 removed h1',
    '2 added h1',
    '3 added li',
    '4 edited p',
  ])
})

test('a cell that no mark can stand in is replaced as a whole', () => {
  const part = (name: string, nodes: MarkupNode[], blocks = true): MarkupElement => ({
    name,
    attributes: {},
    nodes,
    blocks,
  })

  const row = (...cells: MarkupNode[]) => ({
    root: part('group', [part('table', [part('tr', cells)])]),
    notes: new Map<string, string>(),
  })
  const before = row(part('p', [part('p', [], false)]), 'a')
  const after = row('a', part('p', [], false))
  const page = atOnce(markChanges(before, after))

  assertMarked(page, before, after)
  assert.is(shortly(page.root), 'group(table(tr(-p(p())+p(a)~p({-a-}))))')
  const nested = row(part('tbody', [part('p', [], false)]), 'a')
  const second = atOnce(markChanges(after, nested))

  assertMarked(second, after, nested)
  assert.is(shortly(second.root), 'group(table(tr(-p(a)+tbody(p())~p({+a+}))))')
})

test('authors cannot set the attributes of marks', () => {
  const { page } = markPages(
    '<p change="removed" change-id="9">one two</p>\n\nx',
    '<p change="removed">one two three</p>\n\n<ins words="added">y</ins>',
  )
  assert.equal(
    page.root.nodes.map(node => shortly(node).trim()).filter(text => text !== ''),
    ['~p(one two{+ three+})', '-p(x)', '+p(ins(y))'],
  )
})

test.run()

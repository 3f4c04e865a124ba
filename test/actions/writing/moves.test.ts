import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Direction, directions, moveBy } from '../../../src/actions/writing/moves.ts'
import type { PageNode } from '../../../src/content/tree/build.ts'
import { type Content, edit, from } from '../../support/content.ts'

const files = {
  'README.md': '# Home\n',
  'SUMMARY.md': `# Table of contents

* [Home](README.md)
* [A](a.md)
  * [B](b.md)
    * [C](c.md)
* [Link](https://example.org)

## First

* [D](d.md)
* [E](e.md)

## Second

* [F](f.md)
`,
  ...Object.fromEntries([...'abcdef'].map(name => [`${name}.md`, `# ${name.toUpperCase()}\n`])),
}

/** Returns the titles of a tree as an indented list on one line. */
const shape = (pages: readonly PageNode[]): string =>
  pages.map(page => page.title + (page.pages.length > 0 ? `(${shape(page.pages)})` : '')).join(' ')

const titled = (content: Content, title: string): PageNode =>
  [...content.tree.pageById.values()].find(page => page.title === title)!

function after(title: string, direction: Direction): string {
  const content = from(files)
  const change = moveBy(content.tree, titled(content, title), direction)
  return change ? shape(edit(content, change).after.tree.pages) : 'stays'
}

test('pages step up and down among their siblings, in below the one before, and out', () => {
  assert.is(after('A', 'up'), 'A(B(C)) Home Link First(D E) Second(F)')
  assert.is(after('A', 'down'), 'Home Link A(B(C)) First(D E) Second(F)')
  assert.is(after('A', 'in'), 'Home(A(B(C))) Link First(D E) Second(F)')
  assert.is(after('B', 'out'), 'Home A B(C) Link First(D E) Second(F)')
  assert.is(after('C', 'out'), 'Home A(B C) Link First(D E) Second(F)')
  assert.is(after('E', 'in'), 'Home A(B(C)) Link First(D(E)) Second(F)')
  assert.is(after('E', 'up'), 'Home A(B(C)) Link First(E D) Second(F)')
  assert.is(after('D', 'out'), 'Home A(B(C)) Link D First(E) Second(F)')
})

test('groups change places, and there is no step past an end', () => {
  assert.is(after('Second', 'up'), 'Home A(B(C)) Link Second(F) First(D E)')
  assert.is(after('First', 'down'), 'Home A(B(C)) Link Second(F) First(D E)')
  const none = [
    ['Home', 'up'],
    ['Link', 'down'],
    ['Home', 'out'],
    ['Home', 'in'],
    ['D', 'up'],
    ['F', 'down'],
    ['First', 'up'],
    ['Second', 'down'],
    ['First', 'in'],
  ] as const
  for (const [title, direction] of none) assert.is(after(title, direction), 'stays', title)
})

test('a step never loses or repeats a page, whatever the table of contents is like', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(5), fc.constantFrom(...directions)), { maxLength: 12 }),
      steps => {
        let content = from(files)
        const titles = [...content.tree.pageById.values()].map(({ title }) => title).sort()
        for (const [at, direction] of steps) {
          const page = titled(content, 'ABCDEF'[at]!)
          const change = moveBy(content.tree, page, direction)
          if (change) content = edit(content, change).after
        }
        assert.equal([...content.tree.pageById.values()].map(({ title }) => title).sort(), titles)
      },
    ),
  )
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { choosePages, type PrintWish } from '../../../src/actions/print/print-pages.ts'
import type { ContentTree, PageNode } from '../../../src/content/tree/build.ts'

const node = (
  id: string,
  type: PageNode['type'],
  pages: PageNode[] = [],
  hidden = false,
): PageNode => ({
  id,
  key: id,
  type,
  title: id.toUpperCase(),
  slug: id,
  path: id,
  group: 0,
  pages,
  ...(hidden && { facts: { frontMatter: { hidden }, empty: false, issues: [] } }),
})

const tree = (pages: PageNode[]): ContentTree => {
  const pageById = new Map<string, PageNode>()
  for (const waiting = [...pages]; waiting.length > 0; ) {
    const next = waiting.shift() as PageNode
    pageById.set(next.id, next)
    waiting.push(...next.pages)
  }
  return { pages, pageById } as unknown as ContentTree
}

const content = tree([
  node('home', 'document'),
  node('group', 'group', [
    node('link', 'link'),
    node('a', 'document', [
      node('a1', 'document', [node('a11', 'document')]),
      node('a2', 'document'),
    ]),
    node('secret', 'document', [node('below', 'document')], true),
  ]),
  node('empty', 'group', [node('elsewhere', 'link')]),
  node('last', 'group', [node('b', 'document')]),
])

const chosen = (wish: PrintWish = {}, isShown?: (node: PageNode) => boolean) =>
  choosePages(content, wish, isShown)
    .map(({ node, depth, group }) => `${group ? `${group}/` : ''}${'.'.repeat(depth)}${node.id}`)
    .join(' ')

test('pages are in reading order, and a group starts with its first page', () => {
  assert.is(chosen(), 'home GROUP/a .a1 ..a11 .a2 LAST/b')
  assert.is(chosen({ page: 'a' }), 'a .a1 ..a11 .a2')
  assert.is(chosen({ page: 'a', only: true }), 'a')
  assert.is(chosen({ page: 'group' }), 'GROUP/a .a1 ..a11 .a2')
  assert.is(chosen({ page: 'secret' }), 'secret .below')
})

test('pages that are not shown are left out', () => {
  const isShown = ({ id }: PageNode) => id !== 'a1'
  assert.is(chosen({}, isShown), 'home GROUP/a .a2 LAST/b')
  assert.throws(() => chosen({ page: 'a1' }, isShown), /page "A1" is not shown to you/)
})

test('a page with nothing to print is refused', () => {
  assert.throws(() => chosen({ page: 'link' }), /is a link/)
  assert.throws(() => chosen({ page: 'group', only: true }), /Leave out "only"/)
  assert.throws(() => chosen({ page: 'nobody' }), /no page "nobody"/)
})

test('a tree of any depth is printed', () => {
  let deep = node('x0', 'document')
  for (let i = 1; i < 499; i++) deep = node(`x${i}`, 'document', [deep])
  assert.is(choosePages(tree([deep]), {}).length, 499)
  const wide = Array.from({ length: 501 }, (_, i) => node(`p${i}`, 'document'))
  assert.throws(() => choosePages(tree(wide), {}), /has 501 pages, and a PDF can have at most 500/)
})

test.run()

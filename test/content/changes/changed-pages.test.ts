import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { changedPages } from '../../../src/content/changes/changed-pages.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { from } from '../../support/content.ts'

const summary = (...lines: string[]) => `# Table of contents\n\n${lines.join('\n')}\n`
const page = (name: string, depth = 0) => `${'  '.repeat(depth)}* [${name}](${name}.md)`

function changes(
  before: Record<string, string>,
  after: Record<string, string>,
  { renames = {}, touched = [] }: { renames?: Record<string, string>; touched?: string[] } = {},
) {
  const [one, other] = [from(before).tree, from(after).tree]
  const now = (path: string) => other.pageByFile.get(path)!.id
  const renamed = new Map(
    Object.entries(renames).map(([to, path]) => [now(to), one.pageByFile.get(path)!.id]),
  )
  const known = { renamed, touched: new Set(touched.map(now)) }
  const title = (id: string | undefined) =>
    id === undefined ? undefined : (other.pageById.get(id) ?? one.pageById.get(id))?.title
  const { marks, removed } = atOnce(changedPages(one, other, known))

  return {
    marks: [...marks].map(([id, mark]) => `${title(id)} ${mark}`),
    removed: removed.map(({ page, parentId, afterId }) => [
      page.title,
      title(parentId),
      title(afterId),
    ]),
  }
}

const files = {
  'SUMMARY.md': summary(page('a'), page('b', 1), page('c', 1), page('d'), page('e')),
  'a.md': '# a',
  'b.md': '# b',
  'c.md': '# c',
  'd.md': '# d',
  'e.md': '# e',
}

test('pages of equal revisions are not marked', () => {
  assert.equal(changes(files, files), { marks: [], removed: [] })
})

test('a page whose bytes differ is changed, and a page that was not there is new', () => {
  const after = {
    ...files,
    'SUMMARY.md': summary(
      page('a'),
      page('b', 1),
      page('f', 1),
      page('c', 1),
      page('d'),
      page('e'),
    ),
    'b.md': '# b\n\nmore',
    'f.md': '# f',
  }
  assert.equal(changes(files, after).marks, ['b changed', 'f new'])
})

test('a removed page has its parent and the page before it', () => {
  const after = { ...files, 'SUMMARY.md': summary(page('a'), page('b', 1), page('e')) }
  assert.equal(changes(files, after), {
    marks: [],
    removed: [
      ['c', 'a', 'b'],
      ['d', undefined, 'a'],
    ],
  })
})

test('removed pages follow each other and stay below a removed parent', () => {
  assert.equal(changes(files, { ...files, 'SUMMARY.md': summary(page('e')) }).removed, [
    ['a', undefined, undefined],
    ['b', 'a', undefined],
    ['c', 'a', 'b'],
    ['d', undefined, 'a'],
  ])
})

test('a page that is below another parent now has nothing after it', () => {
  const after = {
    ...files,
    'SUMMARY.md': summary(page('a'), page('c', 1), page('e'), page('b', 1)),
  }
  const { removed } = changes(files, after)
  assert.equal(removed, [['d', undefined, 'a']])
  const other = { ...files, 'SUMMARY.md': summary(page('a'), page('e'), page('b', 1)) }

  assert.equal(changes(files, other).removed, [
    ['c', 'a', undefined],
    ['d', undefined, 'a'],
  ])
})

test('groups are new and removed as pages are', () => {
  const after = { ...files, 'SUMMARY.md': `${files['SUMMARY.md']}\n## More\n\n` }
  assert.equal(changes(files, after).marks, ['More new'])
  assert.equal(changes(after, files).removed, [['More', undefined, 'e']])
})

test('many pages are compared in steps', () => {
  const names = Array.from({ length: 3000 }, (_, at) => `p${at}`)
  const { tree } = from({ 'SUMMARY.md': summary(...names.map(name => page(name))) })
  const steps = changedPages(tree, tree)
  let count = 0
  while (!steps.next().done) count++
  assert.ok(count >= 10, String(count))
})

test('a renamed page is one changed page, wherever it was moved to', () => {
  const { 'b.md': b, ...others } = files
  const after = {
    ...others,
    'g.md': b,
    'SUMMARY.md': summary(page('a'), page('c', 1), page('d'), page('g', 1), page('e')),
  }

  assert.equal(changes(files, after, { renames: { 'g.md': 'b.md' } }), {
    marks: ['g changed'],
    removed: [],
  })
  assert.equal(changes(files, after).marks, ['g new'])
})

test('a page at the former path of a renamed one is new', () => {
  const after = {
    ...files,
    'b.md': '# Other words',
    'g.md': files['b.md'],
    'SUMMARY.md': summary(
      page('a'),
      page('g', 1),
      page('b', 1),
      page('c', 1),
      page('d'),
      page('e'),
    ),
  }
  const { marks, removed } = changes(files, after, { renames: { 'g.md': 'b.md' } })
  assert.equal([marks, removed], [['g changed', 'b new'], []])
})

test('a page removed beside or below a renamed one stands where that one is now', () => {
  const { 'a.md': a, 'c.md': _, ...others } = files
  const after = {
    ...others,
    'g.md': a,
    'SUMMARY.md': summary(page('g'), page('b', 1), page('d'), page('e')),
  }

  assert.equal(changes(files, after, { renames: { 'g.md': 'a.md' } }), {
    marks: ['g changed'],
    removed: [['c', 'g', 'b']],
  })
})

test('a page with another title, icon or place is changed', () => {
  const after = {
    ...files,
    'c.md': '---\nicon: star\n---\n\n# c',
    'SUMMARY.md': summary('* [Another](a.md)', page('b', 1), page('d'), page('c', 1), page('e')),
  }
  assert.equal(changes(files, after).marks, ['Another changed', 'c changed'])
})

test('a page that shows changed content of another file is changed', () => {
  assert.equal(changes(files, files, { touched: ['b.md'] }).marks, ['b changed'])
})

test('a group with another name is one changed group', () => {
  const grouped = (name: string) => ({
    ...files,
    'SUMMARY.md': `${summary(page('a'))}\n## ${name}\n\n${[page('b'), page('c')].join('\n')}\n`,
  })
  assert.equal(changes(grouped('Old'), grouped('New')), { marks: ['New changed'], removed: [] })
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { changedPages } from '../../../src/content/changes/changed-pages.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { from } from '../../support/content.ts'

const summary = (...lines: string[]) => `# Table of contents\n\n${lines.join('\n')}\n`
const page = (name: string, depth = 0) => `${'  '.repeat(depth)}* [${name}](${name}.md)`

function changes(before: Record<string, string>, after: Record<string, string>) {
  const [one, other] = [from(before).tree, from(after).tree]
  const title = (id: string | undefined) =>
    id === undefined ? undefined : (one.pageById.get(id) ?? other.pageById.get(id))?.title
  const { marks, removed } = atOnce(changedPages(one, other))
  return {
    marks: [...marks].map(([id, mark]) => `${title(id)} ${mark}`),
    removed: removed.map(({ page, parentId, afterId }) => [page.title, title(parentId), title(afterId)]),
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
    'SUMMARY.md': summary(page('a'), page('b', 1), page('f', 1), page('c', 1), page('d'), page('e')),
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
  const after = { ...files, 'SUMMARY.md': summary(page('a'), page('c', 1), page('e'), page('b', 1)) }
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

test.run()

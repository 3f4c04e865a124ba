import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageScope } from '../../../src/content/evaluate/evaluator.ts'
import { areShownToAll, shownTreeSteps } from '../../../src/content/evaluate/shown-tree.ts'
import { readPageFacts } from '../../../src/content/page/facts.ts'
import { buildTree } from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { evaluateMarkdown } from '../../support/evaluate-markdown.ts'

/** Returns the tree that a visitor with these claims is shown, inferred from the files. */
function shown(files: Record<string, string>, claims: Record<string, unknown> = {}) {
  const tree = buildTree({
    spaceId: 'space',
    files: Object.keys(files).map(path => ({ path, oid: path as Oid, mode: '100644' })),
    identity: new Map(),
    config: readConfig(undefined).config,
    summary: null,
    facts: oid => (oid === 'lost.md' ? undefined : readPageFacts(Buffer.from(files[oid] ?? ''))),
    variables: {},
  })
  return { tree, content: atOnce(shownTreeSteps(tree, { unsigned: {}, ...claims })) }
}

const titles = ({ content }: ReturnType<typeof shown>) =>
  [...content.pageById.values()].map(page => page.title)

test('a page whose condition is false, fails or cannot be read is not shown', () => {
  const files = {
    'README.md': '# Home\n',
    'a.md': '---\nif: visitor.claims.a\n---\n# A\n',
    'fails.md': '---\nif: x +\n---\n# Fails\n',
    'list.md': '---\nif: [a]\n---\n# List\n',
    'broken.md': '---\nif: "a\nb: [\n---\n# Broken\n',
    'lost.md': '# Lost\n',
    'empty.md': '---\nif:\n---\n# Empty\n',
  }

  assert.equal(titles(shown(files)).sort(), ['Empty', 'Home'])
  assert.equal(titles(shown(files, { a: true })).sort(), ['A', 'Empty', 'Home'])
})

test('a draft is not shown, nor a page whose draft cannot be read', () => {
  const files = {
    'README.md': '# Home\n',
    'a.md': '---\ndraft: true\n---\n# A\n',
    'soon.md': '---\ndraft: soon\n---\n# Soon\n',
    'broken.md': '---\ndraft: "a\nb: [\n---\n# Broken\n',
    'open.md': '---\ndraft: false\n---\n# Open\n',
  }
  const { tree, content } = shown(files)
  assert.equal(titles({ tree, content }).sort(), ['Home', 'Open'])
  assert.not.ok(areShownToAll(tree.pageById.values()))
  const drafts = atOnce(shownTreeSteps(tree, { unsigned: {} }, { drafts: true }))
  assert.equal(titles({ tree, content: drafts }).sort(), ['A', 'Home', 'Open'])
})

test('the first page shown is the landing page if the landing page is not shown', () => {
  const { tree, content } = shown({ 'README.md': '---\nif: false\n---\n# Home\n', 'b.md': '# B\n' })
  assert.is(tree.pageByPath.get('')?.title, 'Home')
  assert.equal(
    [content.pageByPath.get('')?.title, content.pageByPath.get('readme')?.title],
    ['B', 'B'],
  )
})

test('a title from a heading with conditions or expressions is replaced', () => {
  const names = titles(
    shown({
      'README.md': '# Home\n',
      'value.md': '# For <code class="expression">visitor.claims.a ? "SECRET" : ""</code>\n',
      'block.md': '# For {% if visitor.claims.a %}SECRET{% endif %}\n',
      'plain.md': '# Plain\n\n<code class="expression">1</code>\n',
    }),
  )

  assert.not.match(names.join(), /SECRET|visitor/)
  assert.ok(names.includes('Plain'))
})

test('unchanged pages are shared with the tree', () => {
  const { tree, content } = shown({ 'README.md': '# Home\n', 'b.md': '# B\n' })
  assert.is(content.pages, tree.pages)
})

test('a reader is shown neither comments nor expressions that fail', () => {
  const scope = pageScope({}, undefined)
  const text =
    'A <!-- no --> b <code class="expression">x +</code>.\n\n<!-- no\n\nno -->\n\n`<!-- code -->`\n'
  const reader = evaluateMarkdown(text, scope, 'reader')
  assert.not.match(reader, /no|x|\{\{/)
  assert.match(reader, /`<!-- code -->`/)
  assert.match(evaluateMarkdown(text, scope, 'all'), /<!-- no -->.*x \\?\+/)
})

test.run()

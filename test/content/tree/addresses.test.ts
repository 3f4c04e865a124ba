import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isFolderPage } from '../../../src/content/files.ts'
import type { ContentTree } from '../../../src/content/tree/build.ts'
import { encodePath } from '../../../src/content/tree/page-address.ts'
import { parentOf } from '../../../src/content/tree/page-node.ts'
import { from } from '../../support/content.ts'
import { runs } from '../../support/long-run.ts'

/** An entry of a table of contents: a page, or a section without one. */
type Entry = { file: string } | { title: string }
type Node = { entry: Entry; children: Node[] }
/** A space: with `list`, it has a table of contents. */
type Space = { files: string[]; list: Node[] | undefined }

function write({ files, list }: Space): ContentTree {
  const texts = Object.fromEntries(files.map(path => [path, 'Text.\n']))
  const lines = (nodes: readonly Node[], depth: number): string[] =>
    nodes.flatMap(({ entry, children }) => [
      `${'  '.repeat(depth)}* ${'file' in entry ? `[T](<${entry.file}>)` : entry.title}`,
      ...lines(children, depth + 1),
    ])

  return from({ ...texts, ...(list && { 'SUMMARY.md': `${lines(list, 0).join('\n')}\n` }) }).tree
}

const pathsOf = (tree: ContentTree): string[] =>
  [...tree.pageById.values()].flatMap(({ path }) => (path === '' ? [] : [path]))

const pathOfFile = (tree: ContentTree, file: string) => tree.pageByFile.get(file)?.path

/** Returns the addresses of the pages of a table of contents, by file. */
function listed(...entries: string[]): Record<string, string | undefined> {
  const files = entries.map(entry => entry.trim())
  const lines = entries.map(entry => entry.replace(/\S.*/, file => `* [T](${file})`))
  const texts = Object.fromEntries(files.map(file => [file, '']))
  const { tree } = from({ ...texts, 'SUMMARY.md': `${lines.join('\n')}\n` })
  return Object.fromEntries(files.map(file => [file, pathOfFile(tree, file)]))
}

test('pages of equal names have the names of their folders, their paths, or a digest in their addresses', () => {
  const pages = {
    'README.md': 'readme',
    'api/setup.md': 'api-setup',
    'cli/setup.md': 'cli-setup',
    'a/x/use.md': 'a-x-use',
    'b/x/use.md': 'b-x-use',
    'b/y/use.md': 'y-use',
    'one.md': 'one-9d9d76c0',
    'One.md': 'One-00000000',
    'k/index.md': 'k',
    'l/index.md': 'l',
    'alone/page.md': 'page',
  }
  const found = listed(...Object.keys(pages))
  for (const [file, path] of Object.entries(pages))
    assert.is(
      found[file]?.replace(/-[0-9a-f]{8}$/, '-#'),
      path.replace(/-[0-9a-f]{8}$/, '-#'),
      file,
    )
  assert.equal(listed(...Object.keys(pages).reverse()), found)
})

test('folders, sections, groups and front matter give safe addresses, too', () => {
  const folders = from({
    'README.md': '# Home\n',
    'robots.txt/a.md': '# A\n',
    'guide.md/b.md': '# B\n',
    'c%41/d.md': '# D\n',
    'f.md': '---\nslug: /g.md\n---\n',
    'h.md': '---\nslug: /llms.txt/i\n---\n',
  }).tree
  assert.equal(
    pathsOf(folders).sort(),
    ['c-41', 'c-41/d', 'g-md', 'guide-md', 'guide-md/b', 'llms-txt/i', 'readme']
      .concat(['robots-txt', 'robots-txt/a'])
      .sort(),
  )
  const groups = ['a%41b', '..', 'robots.txt', 'x.md'].map(
    (id, at) => `## Group ${at} <a href="#${id}" id="${id}"></a>\n\n* [P](${at}.md)\n`,
  )
  const list = `* [Home](README.md)\n* Config.md\n  * [Z](z.md)\n\n${groups.join('\n')}`
  const files = Object.fromEntries(['0', '1', '2', '3', 'z'].map(name => [`${name}.md`, '']))
  assert.equal(
    pathsOf(from({ 'README.md': '', ...files, 'SUMMARY.md': list }).tree),
    ['readme', 'config-md', 'config-md/z', 'a-41b', 'a-41b/0', '--', '--/1', 'robots-txt'].concat([
      'robots-txt/2',
      'x-md',
      'x-md/3',
    ]),
  )
})

test('the page of a folder has the name of the folder whatever the case of its name', () => {
  for (const name of ['README.md', 'readme.md', 'Readme.md', 'ReadMe.md'])
    assert.equal(listed('README.md', `api/${name}`, `  api/install.md`, `a/b/${name}`), {
      'README.md': 'readme',
      [`api/${name}`]: 'api',
      'api/install.md': 'api/install',
      [`a/b/${name}`]: 'b',
    })

  for (const name of ['readme.md', 'README.MD', 'Index.md', 'INDEX.md', 'index.MD']) {
    const inferred = from({ [name]: '# Home\n', [`x/${name}`]: '# X\n', 'x/y.md': '', 'a.md': '' })
    assert.equal(pathsOf(inferred.tree).slice(1), ['a', 'x', 'x/y'], name)
    assert.is(inferred.tree.pageByPath.get('')?.file?.path, name)
  }

  const both = from({ 'x/README.md': '# Exact\n', 'x/index.md': '', 'x/Index.md': '', 'a.md': '' })
  assert.is(both.tree.pageByPath.get('x')?.file?.path, 'x/README.md')
})

test('a table of contents is one in any case if there is no SUMMARY.md', () => {
  for (const name of ['summary.md', 'Summary.md', 'SUMMARY.MD']) {
    const files = { 'readme.md': '', 'b.md': '', 'a.md': '' }
    const lower = from({ ...files, [name]: '* [Home](readme.md)\n* [B](b.md)\n* [A](a.md)\n' }).tree
    assert.equal(pathsOf(lower), ['readme', 'b', 'a'])
    assert.is(lower.summaryPath, name)
    assert.not(lower.fileByPath.has(name))
  }
  const both = from({ 'a.md': '', 'summary.md': '# A page\n', 'SUMMARY.md': '* [A](a.md)\n' }).tree
  assert.equal(pathsOf(both), ['a'])
})

test('a section makes room for a page, and sections of equal names have those of their folders', () => {
  const { tree } = from({
    'guide.md': '',
    'guide/a.md': '',
    'api/x.md': '',
    'cli/x.md': '',
    'SUMMARY.md': `* [G](guide.md)
* Guide
  * [A](guide/a.md)
* Start
  * [X](api/x.md)
* Start
  * [X](cli/x.md)
`,
  })
  assert.equal(pathsOf(tree), [
    ...['guide', 'guide-section', 'guide-section/a'],
    ...['api-start', 'api-start/x', 'cli-start', 'cli-start/x'],
  ])
  assert.equal(pathsOf(from({ 'guide.md': '', 'guide/a.md': '' }).tree), [
    ...['guide', 'guide-section', 'guide-section/a'],
  ])
})

test('the address of a section does not show the folder of a page that not every reader sees', () => {
  for (const guard of ['draft: true', 'if: visitor.claims.staff', 'draft: [', 'draft: maybe']) {
    const { tree } = from({
      'x/a.md': '',
      'aaa-merger/plan.md': `---\n${guard}\n---\n\nText.\n`,
      'aaa-merger/open.md': '',
      'y/b.md': '',
      'SUMMARY.md': `* Start
  * [P](aaa-merger/plan.md)
    * [O](aaa-merger/open.md)
  * [A](x/a.md)
* Start
  * [B](y/b.md)
* Start
  * [P](aaa-merger/plan.md)
`,
    })
    const sections = pathsOf(tree).filter(path => !path.includes('/'))
    assert.equal(sections.slice(0, 2), ['x-start', 'y-start'], guard)
    assert.not.match(sections.join(' '), 'merger')
  }
})

test('addresses with a number of before are known', () => {
  const { tree } = from({
    'api/setup.md': '',
    'cli/setup.md': '',
    'x/readme.md': '',
    'SUMMARY.md': '* [A](api/setup.md)\n* [C](cli/setup.md)\n  * [X](x/readme.md)\n',
  })
  assert.equal(
    [...tree.otherPaths].map(([path, { key }]) => [path, key]),
    [
      ['setup', 'api/setup.md'],
      ['setup-1', 'cli/setup.md'],
      ['setup-1/readme', 'x/readme.md'],
    ],
  )
  assert.is(from({ 'a.md': '', 'SUMMARY.md': '* [A](a.md)\n' }).tree.otherPaths.size, 0)
})

test('the id of a page is one of its paths, as in Docusaurus', () => {
  const page = (...lines: string[]) => `---\n${lines.join('\n')}\n---\n`
  const files = {
    'guide/02-installation.md': page('id: install'),
    'guide/other.md': page('id: 17'),
    'guide/index.md': page('id: start'),
    'guide/asked.md': page('id: named', 'slug: asked-for'),
    'guide/same.md': page('id: Same'),
    'a.md': page('id: twice'),
    'b.md': page('id: Twice'),
    'c.md': page('id: d'),
    'd.md': page('id: ../x'),
    'e.md': page('id: [1]'),
    'f.md': page('id: "%41"'),
  }
  const list = Object.keys(files).map(path => `* [T](${path})\n`)
  const summary = { 'SUMMARY.md': list.join('') }
  const pathsIn = (tree: ContentTree) => [...tree.otherPaths].map(([path, { key }]) => [path, key])
  assert.equal(pathsIn(from(files).tree), [
    ['d', 'c.md'],
    ['guide/install', 'guide/02-installation.md'],
    ['guide/17', 'guide/other.md'],
  ])
  assert.equal(pathsIn(from({ ...files, ...summary }).tree), [
    ['install', 'guide/02-installation.md'],
    ['17', 'guide/other.md'],
    ['d', 'c.md'],
  ])
})

const folder = fc.constantFrom('', '', 'x/', 'X/', 'y/', 'x/y/', 'a/')
const ending = fc.constantFrom('.md', '.md', '.md', '.mdx', '.markdown')
const plainName = fc.constantFrom(
  ...['a', 'A', 'b', 'setup', 'x', 'README', 'readme', 'index', '_index', 'é', 'e\u0301', '%41'],
  ...['a b', '..', '.', 'a.md', '?', '#', '~x', '"'],
)
const fileOf = (name: fc.Arbitrary<string>) =>
  fc
    .tuple(folder, name, ending)
    .map(parts => parts.join(''))
    .filter(path => path !== 'README.md')
/** Also names that are equal to what the addresses of pages with equal names are made of. */
const anyFile = fileOf(fc.oneof(plainName, fc.constantFrom('x-a', 'x-setup', 'a-section')))
const title = fc.constantFrom('Setup', 'A', 'Other', 'X')

const lists = (file: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(fc.nat(2), fc.oneof({ weight: 4, arbitrary: file }, title)), { maxLength: 9 })
    .map(rows => {
      const list: Node[] = []
      const seen = new Set<string>()
      const open: Node[] = []
      for (const [depth, text] of rows) {
        if (seen.has(text)) continue
        seen.add(text)
        const entry = text.includes('.') ? { file: text } : { title: text }
        const node = { entry, children: [] }
        const above = open[Math.min(depth, open.length) - 1]
        ;(above?.children ?? list).push(node)
        open.length = Math.min(depth, open.length)
        open.push(node)
      }
      return list
    })

const everyNode = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap(node => [node, ...everyNode(node.children)])

function spaceOf(list: Node[], isListed: boolean): Space {
  const files = everyNode(list).flatMap(({ entry }) => ('file' in entry ? [entry.file] : []))
  const home: Node = { entry: { file: 'README.md' }, children: [] }
  return {
    files: ['README.md', ...files],
    list: isListed ? [home, ...list] : undefined,
  }
}

type Edit = { kind: 'add' | 'move' | 'rename' | 'delete' | 'reorder'; file: string; at: number[] }

/** Returns a space after an edit. The first page stays the first, and children are lifted. */
function edited(
  { files, list }: Space,
  { kind, file, at: [which = 0, where = 0] }: Edit,
): Space & { changed?: readonly string[] } {
  const nodes = structuredClone(list)
  const pages = everyNode(nodes ?? []).slice(1)
  const chosen = pages[which % Math.max(1, pages.length)]
  const victim = nodes
    ? chosen && 'file' in chosen.entry
      ? chosen.entry.file
      : undefined
    : files.slice(1)[which % Math.max(1, files.length - 1)]

  // The pages below a page come to another place with it.
  const changed = chosen
    ? everyNode([chosen]).flatMap(({ entry }) => ('file' in entry ? [entry.file] : []))
    : [victim ?? '']

  const put = (node: Node, target: Node[] = []) => {
    const inside = new Set(everyNode([node]))
    const places = [
      target,
      ...everyNode(target.slice(1)).flatMap(each => (inside.has(each) ? [] : [each.children])),
    ]
    const into = places[where % places.length]!
    into.splice(into === target ? Math.max(1, where % (into.length + 1)) : 0, 0, node)
  }

  const takeOut = (node: Node, lists: Node[][]): void => {
    for (const each of lists) {
      const index = each.indexOf(node)
      if (index >= 0) each.splice(index, 1, ...(kind === 'delete' ? node.children : []))
    }
  }

  const all = () => [nodes ?? [], ...everyNode(nodes ?? []).map(({ children }) => children)]

  if (kind === 'add' && !files.includes(file)) {
    if (nodes) put({ entry: { file }, children: [] }, nodes)
    return { files: [...files, file], list: nodes }
  }
  if (kind === 'reorder' && nodes) {
    const rest = nodes.slice(1).reverse()
    return { files, list: [nodes[0]!, ...rest] }
  }
  if (kind === 'move' && nodes && chosen) {
    takeOut(chosen, all())
    put(chosen, nodes)
    return { files, list: nodes, changed }
  }
  if (kind === 'rename' && victim && !files.includes(file)) {
    if (chosen && nodes) chosen.entry = { file }
    return { files: [...files.filter(path => path !== victim), file], list: nodes, changed }
  }
  if (kind === 'delete' && victim) {
    if (chosen && nodes) takeOut(chosen, all())
    return { files: files.filter(path => path !== victim), list: nodes, changed }
  }
  return { files, list: nodes }
}

/** Returns whether a page is that of the other file, or below it. */
function isWithin(tree: ContentTree, file: string, other: string): boolean {
  for (let page = tree.pageByFile.get(file); page; page = parentOf(tree, page))
    if (page.file?.path === other) return true
  return false
}

/** Adding and deleting may use any names; other edits are two of these at once. */
const changes = fc.oneof(
  fc.record({
    list: lists(anyFile),
    edit: fc.record({
      kind: fc.constantFrom<Edit['kind']>('add', 'reorder'),
      file: anyFile,
      at: fc.tuple(fc.nat(50), fc.nat(50)),
    }),
    isListed: fc.boolean(),
  }),
  fc.record({
    list: lists(fileOf(plainName)),
    edit: fc.record({
      kind: fc.constantFrom<Edit['kind']>('move', 'rename', 'delete'),
      file: fileOf(plainName),
      at: fc.tuple(fc.nat(50), fc.nat(50)),
    }),
    isListed: fc.boolean(),
  }),
)

test('an edit of a page gives no address of another page to a third one', () => {
  fc.assert(
    fc.property(changes, ({ list, edit, isListed }) => {
      const space = spaceOf(list, isListed)
      const { changed, ...rest } = edited(space, edit)
      const [before, after] = [write(space), write(rest)]

      for (const [file, { path }] of before.pageByFile) {
        if (!after.pageByFile.has(file)) continue
        if (before.pageByPath.get('')?.path === path) continue
        // Without a list, a folder has one page, and a README has that place before an index.
        if (!isListed && isFolderPage(file)) continue
        if (changed?.some(other => isWithin(before, file, other))) continue
        const there = after.pageByPath.get(path)
        // A section without a file shows no text of its own.
        assert.ok(
          there === undefined || there.file?.path === file || there === after.pageByPath.get(''),
          `${path} of ${file} shows ${there?.key}`,
        )
      }

      for (const tree of [before, after]) {
        const paths = pathsOf(tree).map(path => path.normalize('NFC').toLowerCase())
        assert.is(new Set(paths).size, paths.length)
        for (const path of pathsOf(tree)) {
          const { pathname } = new URL(`https://example.org/base/${encodePath(path)}`)
          assert.is(decodeURIComponent(pathname), `/base/${path}`)
          assert.is(pathname.split('/').length, path.split('/').length + 2)
        }
      }
    }),
    { numRuns: runs(4_000) },
  )
})

test.run()

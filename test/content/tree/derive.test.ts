import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ContentFile } from '../../../src/content/files.ts'
import { type PageFacts, readPageFacts } from '../../../src/content/page/facts.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import {
  buildTree,
  type ContentTree,
  type PageNode,
  parentOf,
} from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import { changedBlobs, deriveTree } from '../../../src/content/tree/derive.ts'
import { readVariables } from '../../../src/content/tree/variables.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { runs } from '../../support/long-run.ts'

const texts = [
  '# One\n',
  '# 😀 Two\n\ntext\n',
  '---\ntitle: Titled\nicon: book\nemoji: 1f600\n---\n\ntext\n',
  '---\ndescription: d\nhidden: true\n---\n# Three\n',
  '---\ntitle: [\n---\n# Broken\n',
  '',
  'Untitled\n========\n',
]
const paths = [
  'README.md',
  'a.md',
  'b/README.md',
  'b/c.md',
  'b/d d.md',
  '.gitbook/includes/i.md',
  '.gitbook/assets/x.png',
  'loose.txt',
  '.gitbook/tags.yaml',
  '.gitbook/vars.yaml',
  '.gitbook.yaml',
]
const lists = [
  null,
  '# S\n\n* [Home](README.md)\n* [](a.md)\n  * [C](b/c.md)\n  * [gone](gone.md)\n\n## Group\n\n* [😀 D](<b/d d.md>)\n* [again](a.md)\n* [x](.gitbook/assets/x.png)\n* [u](https://example.org)\n* [I](.gitbook/includes/i.md)\n',
  '* [](README.md)\n  * [](b/README.md)\n    * [](b/c.md)\n',
]

const oidOf = (text: number) => asOid(String(text).padStart(40, '0'))
const facts = (oid: string): PageFacts => readPageFacts(Buffer.from(texts[Number(oid)]!))
const fileOf = (path: string, text: number): ContentFile => ({
  path,
  oid: oidOf(text),
  mode: '100644',
})

const build = (
  files: ContentFile[],
  list: number,
  identity: Map<string, string>,
  near?: ContentTree,
) => {
  const { config } = readConfig(undefined)
  const source = lists[list]
  return buildTree({
    spaceId: 'space',
    files,
    identity,
    config,
    summary: source == null ? null : parseSummary(source),
    facts,
    variables: readVariables(undefined).variables,
    near: near && { content: near, identity },
  })
}

const parentsOf = (tree: ContentTree): unknown[] => {
  const seen: unknown[] = []
  const walk = (nodes: readonly PageNode[], parent: PageNode | undefined) => {
    for (const node of nodes) {
      seen.push(parentOf(tree, node) === parent && tree.pageById.get(node.id) === node)
      if (node.file) seen.push(tree.pageByFile.get(node.file.path) === node)
      walk(node.pages, node)
    }
  }

  walk(tree.pages, undefined)

  return seen
}

const content = fc.dictionary(fc.constantFrom(...paths), fc.nat(texts.length - 1), { minKeys: 1 })
const exceptions = fc.dictionary(
  fc.constantFrom(...paths, '#group:group'),
  fc.constantFrom('x1', 'x2', 'x3'),
)

test('a derived tree equals the built one, also when built near another tree', () => {
  let derivedOnes = 0
  fc.assert(
    fc.property(
      content,
      content,
      fc.nat(2),
      exceptions,
      // Trees are derived only for the same paths: no seed may have too few of these.
      fc.nat(3).map(part => part > 0),
      (was, is, list, noted, same) => {
        const identity = new Map(Object.entries(noted))
        const after = same
          ? Object.fromEntries(Object.keys(was).map(path => [path, is[path] ?? was[path]!]))
          : is
        const listOf = (files: Record<string, number>) =>
          Object.entries(files)
            .map(([path, text]) => fileOf(path, text))
            .sort((a, b) => (a.path < b.path ? -1 : 1))
        const [oldFiles, newFiles] = [listOf(was), listOf(after)]
        const changes = [...new Set([...Object.keys(was), ...Object.keys(after)])]
          .filter(path => was[path] !== after[path])
          .map(path => ({
            path,
            before: oldFiles.find(file => file.path === path),
            after: newFiles.find(file => file.path === path),
          }))
        const old = build(oldFiles, list, identity)
        const before = structuredClone(old)
        const fresh = build(newFiles, list, identity)

        assert.equal(build(newFiles, list, identity, old), fresh)
        const asked = new Set<string>(changedBlobs(old, changes))
        const derived = deriveTree(old, changes, oid => (asked.has(oid) ? facts(oid) : undefined))
        if (!derived) return
        derivedOnes++
        assert.equal(derived, fresh)
        assert.equal([...derived.pageById.keys()], [...fresh.pageById.keys()])
        assert.equal([...derived.pageByFile.keys()], [...fresh.pageByFile.keys()])
        assert.ok(parentsOf(derived).every(Boolean))
        assert.equal(structuredClone(old), before)
      },
    ),
    { numRuns: runs(700) },
  )
  assert.ok(derivedOnes > runs(100), `${derivedOnes} were derived`)
})

test('a derived tree shares everything except the changed page, its ancestors and a part of each map', () => {
  const lines = Array.from({ length: 3_000 }, (_, i) => `  * [P${i}](p${i}.md)\n`)
  const files = [...lines.keys()].map(i => fileOf(`p${i}.md`, 0))
  const tree = buildTree({
    spaceId: 'space',
    files: [fileOf('README.md', 0), ...files],
    identity: new Map(),
    config: readConfig(undefined).config,
    summary: parseSummary(`* [Home](README.md)\n${lines.join('')}`),
    facts,
    variables: {},
  })
  const change = { path: 'p9.md', before: fileOf('p9.md', 0), after: fileOf('p9.md', 3) }
  const derived = deriveTree(tree, [change], facts)!
  const differing = [...tree.pageById].filter(([id, page]) => derived.pageById.get(id) !== page)

  assert.equal(
    differing.map(([, page]) => page.key),
    ['README.md', 'p9.md'],
  )

  for (const name of ['pageById', 'pageByPath', 'pageByFile'] as const) {
    const same = tree[name].pieces.filter((piece, i) => derived[name].pieces[i] === piece)
    assert.is(derived[name].slots, tree[name].slots)
    assert.ok(tree[name].pieces.length - same.length <= 2)
  }
})

test('a change that moves pages is not derived', () => {
  const files = ['README.md', 'a.md'].map(path => fileOf(path, 0))
  const tree = build(files, 0, new Map())
  const now = (path: string, text: number, mode = '100644') => ({ ...fileOf(path, text), mode })
  const refused = (path: string, before?: ContentFile, after?: ContentFile) =>
    assert.is(deriveTree(tree, [{ path, before, after }], facts), undefined)

  refused('b.md', undefined, now('b.md', 0))
  refused('a.md', files[1], undefined)
  refused('a.md', files[1], now('a.md', 1, '120000'))
  refused('a.md', files[1], now('a.md', 4))
  for (const path of ['SUMMARY.md', '.gitbook.yaml', '.gitbook/vars.yaml'])
    refused(path, now(path, 0), now(path, 1))
})

test.run()

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ContentFile } from '../../../src/content/files.ts'
import { type PageFacts, readPageFacts } from '../../../src/content/page/facts.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import {
  buildTree,
  type ContentTree,
  neededBlobs,
  type PageNode,
  pageFileSteps,
  parentOf,
} from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import { readVariables } from '../../../src/content/tree/variables.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { type CorpusRoot, readCorpora } from '../../support/corpus/corpora.ts'
import { readBlobs } from '../../support/git/read-blobs.ts'

function listFiles(repo: string, commit: string, root: string): ContentFile[] {
  const listed = execFileSync('git', ['-C', repo, 'ls-tree', '-r', '-z', commit], {
    maxBuffer: 2 ** 28,
  })
  const prefix = root === '.' ? '' : `${root}/`
  return listed
    .toString('utf8')
    .split('\0')
    .filter(line => line !== '')
    .map(line => ({ mode: line.slice(0, 6), oid: asOid(line.slice(12, 52)), path: line.slice(53) }))
    .filter(file => file.path.startsWith(prefix))
    .map(file => ({ ...file, path: file.path.slice(prefix.length) }))
}

function treeOf(repo: string, commit: string, root: string): ContentTree {
  const files = listFiles(repo, commit, root)
  const read = (oid: string | undefined) =>
    oid === undefined ? undefined : readBlobs(repo, [oid]).get(oid)
  const { config, issues } = readConfig(read(neededBlobs(files).config))
  const needed = neededBlobs(files, config)
  const summary = parseSummary(read(needed.summary)!.toString('utf8'))
  const { variables } = readVariables(read(needed.variables))
  const facts = new Map<string, PageFacts>()

  for (const [oid, bytes] of readBlobs(repo, atOnce(pageFileSteps(files, config, summary))))
    facts.set(oid, readPageFacts(bytes))
  const identity = new Map<string, string>()

  return buildTree({
    spaceId: 's',
    files,
    identity,
    config,
    summary,
    facts: oid => facts.get(oid),
    variables,
    issues,
  })
}

const every = (pages: readonly PageNode[]): PageNode[] =>
  pages.flatMap(page => [page, ...every(page.pages)])

function check(tree: ContentTree, expected: CorpusRoot) {
  const nodes = every(tree.pages)
  const documents = nodes.filter(node => node.file)
  assert.is(documents.length, expected.summary.file, 'pages with a file')
  const without = nodes.filter(node => node.type === 'document' && !node.file)

  assert.is(without.length, expected.summary.text, 'pages without a file')
  assert.is(nodes.filter(node => node.type === 'group').length, expected.summary.groups, 'groups')
  assert.is(nodes.filter(node => node.missing !== undefined).length, 0, 'missing files')

  const depths: Record<string, number> = {}

  for (const node of nodes) {
    if (node.type === 'group') continue
    let depth = 0
    for (let at: PageNode | undefined = node; at && at.type !== 'group'; at = parentOf(tree, at))
      depth++
    depths[depth] = (depths[depth] ?? 0) + 1
  }

  assert.equal(depths, expected.summary.depthHist)

  const filePath = (path: string) => path.replace(/\/README\.md$/, '').replace(/\.md$/, '')
  const differing = documents
    .filter(node => node.file!.path !== 'README.md' && node.path !== filePath(node.file!.path))
    .map(node => ({ file: node.file!.path, treePath: node.path }))

  assert.equal(differing, expected.summary.treePathDiffers)

  const unlisted = tree.files
    .map(file => file.path)
    .filter(path => /\.md$/i.test(path) && !path.startsWith('.gitbook/'))

  assert.equal(unlisted.sort(), [...expected.summary.unlisted].sort())
  const assets = tree.files.filter(file => file.path.startsWith('.gitbook/assets/'))

  assert.is(assets.length, expected.assets.count, 'assets')
  const titles = documents.filter(
    node => node.facts?.h1 !== undefined && node.facts.h1 !== node.entry?.title,
  )

  assert.is(
    titles.length,
    expected.summary.titleDiffersFromH1,
    'titles that differ from the heading',
  )

  assert.is(tree.pageById.size, nodes.length)
  assert.is(tree.pageByFile.size, documents.length)
  assert.is(tree.pageByPath.get(''), documents[0])
  assert.is(tree.fileById.size, tree.files.length)
}

const folder = mkdtempSync(join(tmpdir(), 'tree-corpora-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

for (const { name, source, commit, roots } of readCorpora()) {
  const repo = join(folder, name)
  test(`${name}: the tree is the one that was counted`, () => {
    execFileSync('git', ['clone', '-q', '--bare', source, repo])
    for (const root of roots) {
      const tree = treeOf(repo, commit, root.root)
      check(tree, root)
      if (name !== 'fluentd') continue
      assert.is(tree.config.redirects.length, 172)
      const paths = new Set([...tree.pageByFile.keys(), ...tree.fileByPath.keys()])
      const dead = tree.config.redirects.filter(({ to }) => !paths.has(to.split('#')[0]!))
      assert.is(dead.length, 136)
    }
  })
}

test.run()

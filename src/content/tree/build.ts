import { type SharedMap, sharedMapSteps } from '../../lib/shared-map.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'
import { baseName, type ContentFile } from '../files.ts'
import type { PageFacts } from '../page/facts.ts'
import type { Summary } from '../summary/parse.ts'
import { type IssueList, issueList, lineCounter, type TreeIssue } from '../text/issues.ts'
import { type ContentConfig, configPath } from './config.ts'
import { type Identity, idSteps } from './identity.ts'
import { includeFiles, titleOfInclude } from './includes.ts'
import { inferSteps, type Outline } from './infer.ts'
import type { PageNode } from './page-node.ts'
import { makePages, type Source } from './pages.ts'
import { type FileIndex, indexFiles, resolveEntry } from './resolve.ts'
import { type Variables, variablesPath } from './variables.ts'

export type { TreeIssue } from '../text/issues.ts'
export { type ComputedSource, type PageNode, parentOf } from './page-node.ts'

/** A file of the content that is neither a page nor one of the format's own files. */
export type FileNode = { id: string; path: string; name: string; oid: string; mode: string }

/** A reusable piece of content. */
export type IncludeNode = { id: string; title: string; path: string; oid: string }

/** A revision's content as documentation. Immutable once built. */
export type ContentTree = {
  config: ContentConfig
  /** Null: there is no table of contents, the tree is inferred from the files. */
  summary: Summary | null
  summaryPath: string
  /** Top-level pages in order; groups stand only here. */
  pages: PageNode[]
  pageById: SharedMap<PageNode>
  /** Documents and groups by path; '' and (unless another page has it) 'readme' are the landing page. */
  pageByPath: SharedMap<PageNode>
  pageByFile: SharedMap<PageNode>
  files: FileNode[]
  fileById: SharedMap<FileNode>
  fileByPath: SharedMap<FileNode>
  includes: IncludeNode[]
  variables: Variables
  issues: TreeIssue[]
  /** The keys whose birth id another one holds: theirs is neither that nor an exception. Nearly always none. */
  displaced: ReadonlySet<string>
}

/** What a tree is built from. */
export type TreeInput = {
  spaceId: string
  files: readonly ContentFile[]
  identity: Identity
  config: ContentConfig
  summary: Summary | null
  /** The facts of a blob; undefined when they are not known, and the page then has only its table-of-contents title. */
  facts: (oid: string) => PageFacts | undefined
  variables: Variables
  /** Issues found in `.gitbook.yaml` and `vars.yaml`, to be reported with the tree's own. */
  issues?: readonly TreeIssue[]
  /** A tree of the same space with its exceptions: an id that is known there need not be worked out again. */
  near?: { content: ContentTree; identity: Identity } | undefined
}

/** The blobs to read before a tree can be built: without the settings only theirs, with them the other two as well. */
export function neededBlobs(
  files: readonly ContentFile[],
  config?: ContentConfig,
): { config?: string; summary?: string; variables?: string } {
  const needed: ReturnType<typeof neededBlobs> = {}
  const variables = config && config.root + variablesPath
  for (const { path, oid, mode } of files) {
    if (path !== configPath && path !== config?.summary && path !== variables) continue
    if (!mode.startsWith('100')) continue
    if (path === configPath) needed.config = oid
    if (path === config?.summary) needed.summary = oid
    if (path === variables) needed.variables = oid
  }
  return needed
}

/** The blobs whose facts a tree needs, each once: those of its pages and of its reusable content. */
export function* pageFileSteps(
  files: readonly ContentFile[],
  config: ContentConfig,
  summary: Summary | null,
): Steps<string[]> {
  const index = yield* indexFiles(files, config)
  const oids = new Set(includeFiles(index.byPath.values(), config.root).map(file => file.oid))
  let seen = 0
  function* walk(entries: readonly Outline[]): Steps<void> {
    for (const entry of entries) {
      const resolved = resolveEntry(index, entry)
      if (resolved?.kind === 'page') oids.add(resolved.file.oid)
      if (++seen % 1024 === 0) yield
      if (entry.children.length > 0) yield* walk(entry.children)
    }
  }
  for (const { entries } of yield* groupsOf(index, config, summary)) yield* walk(entries)
  return [...oids]
}

/** The groups of a table of contents; the one of an inferred one when there is none. */
function* groupsOf(
  index: FileIndex,
  config: ContentConfig,
  summary: Summary | null,
): Steps<readonly Source[]> {
  if (summary) return summary.groups
  index.inferred ??= yield* inferSteps(index, config.readme)
  return [{ title: null, entries: index.inferred }]
}

/** Builds the tree of a revision, in time linear in its files and pages. What is wrong in the content comes as issues. */
export const buildTree = (input: TreeInput): ContentTree => atOnce(treeSteps(input))

/** The same in steps, so that building the tree of a very large space holds nobody up. */
export function* treeSteps(input: TreeInput): Steps<ContentTree> {
  const { config, summary, facts } = input
  const laid = yield* layOut(input)
  const { nodes, pages, claimed, others, includes, issues } = laid
  const born = input.near && bornIn(input.near)
  const keys = keysIn(laid)
  yield
  const { ids, late } = yield* idSteps(input.spaceId, input.identity, keys, born)
  setIds(nodes, ids)
  yield
  const files: FileNode[] = []
  for (const { path, oid, mode } of others) {
    files.push({ id: ids.get(path)!, path, name: baseName(path), oid, mode })
    if (files.length % 2048 === 0) yield
  }
  const pageById = yield* sharedMapSteps(keyed(nodes, node => node.id))
  const pageByPath = yield* sharedMapSteps(pathsOf(nodes))
  yield
  const pageByFile = yield* sharedMapSteps([...claimed].filter(([, node]) => node.file))
  const fileById = yield* sharedMapSteps(keyed(files, file => file.id))
  const fileByPath = yield* sharedMapSteps(keyed(files, file => file.path))
  return {
    config,
    summary,
    summaryPath: config.summary,
    pages,
    pageById,
    pageByPath,
    pageByFile,
    files,
    fileById,
    fileByPath,
    includes: includes.map(({ path, oid }) => {
      return { id: ids.get(path)!, title: titleOfInclude(path, facts(oid)), path, oid }
    }),
    variables: input.variables,
    issues: issues.all(),
    displaced: late,
  }
}

/** The keys that the tree has, without working out its ids. */
export function* keySteps(input: Omit<TreeInput, 'identity'>): Steps<Set<string>> {
  return keysIn(yield* layOut(input))
}

function keysIn({ nodes, others, includes }: LaidOut): Set<string> {
  const keys = new Set<string>()
  for (const { key } of nodes) keys.add(key)
  for (const { path } of others) keys.add(path)
  for (const { path } of includes) keys.add(path)
  return keys
}

type LaidOut = {
  nodes: PageNode[]
  pages: PageNode[]
  claimed: Map<string, PageNode>
  others: ContentFile[]
  includes: ContentFile[]
  issues: IssueList
}

/** The pages of a tree in their places, and the other files: everything but ids. */
function* layOut({
  config,
  summary,
  facts,
  files,
  issues: told,
}: Omit<TreeInput, 'identity'>): Steps<LaidOut> {
  const issues = issueList()
  for (const issue of told ?? []) issues.add(issue)
  for (const issue of summary?.issues ?? []) issues.add({ ...issue, path: config.summary })
  const index = yield* indexFiles(files, config)
  reportOddFiles(index, issues)
  const nodes: PageNode[] = []
  const claimed = new Map<string, PageNode>()
  const making = {
    index,
    facts,
    issues,
    lineAt: lineCounter(summary?.source ?? ''),
    claimed,
    scopes: new Map(),
    computed: new Map(),
    nodes,
  }
  const pages = yield* makePages(making, yield* groupsOf(index, config, summary))
  const includes = includeFiles(index.byPath.values(), config.root)
  yield
  const others = yield* otherFiles(index, claimed, new Set(includes.map(file => file.path)))
  return { nodes, pages, claimed, others, includes, issues }
}

/** What a key of the tree was born as, where that is known without a digest. */
function bornIn({ content, identity }: NonNullable<TreeInput['near']>): (key: string) => string | undefined {
  return key => {
    if (identity.has(key) || content.displaced.has(key)) return undefined
    return (content.pageByFile.get(key) ?? content.fileByPath.get(key))?.id
  }
}

/** Gives pages their ids, by key. */
export function setIds(nodes: readonly PageNode[], ids: ReadonlyMap<string, string>): void {
  for (const node of nodes) {
    node.id = ids.get(node.key)!
    for (const child of node.pages) child.parentId = node.id
  }
}

/** Values with their keys, as a map takes them. */
export function* keyed<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): Iterable<[string, Value]> {
  for (const value of values) yield [keyOf(value), value]
}

/** Every key of a tree that has an id: those of its pages, its files and its reusable content. */
export function keysOf(tree: ContentTree): Set<string> {
  const keys = new Set<string>()
  for (const page of tree.pageById.values()) keys.add(page.key)
  for (const { path } of [...tree.files, ...tree.includes]) keys.add(path)
  return keys
}

/** Documents and groups by path, the first document of the tree also by '' and 'readme'. */
function pathsOf(nodes: readonly PageNode[]): Map<string, PageNode> {
  const paths = new Map<string, PageNode>()
  for (const node of nodes) if (node.path !== '') paths.set(node.path, node)
  const landing = nodes.find(node => node.type === 'document')
  if (landing) paths.set('', landing)
  if (landing && !paths.has('readme')) paths.set('readme', landing)
  return paths
}

/** Every regular file under the root that is no page, no reusable content and none of the format's own files. */
function* otherFiles(
  index: FileIndex,
  claimed: ReadonlyMap<string, PageNode>,
  includes: ReadonlySet<string>,
): Steps<ContentFile[]> {
  const own = new Set([index.summaryPath, configPath])
  for (const name of [variablesPath, '.gitbook/tags.yaml']) own.add(index.root + name)
  const others: ContentFile[] = []
  let seen = 0
  for (const file of index.byPath.values()) {
    if (++seen % 2048 === 0) yield
    if (!own.has(file.path) && !includes.has(file.path) && !claimed.has(file.path)) others.push(file)
  }
  return others
}

function reportOddFiles(index: FileIndex, issues: IssueList): void {
  for (const { path, mode } of index.odd.values()) {
    const what =
      mode === '160000'
        ? 'A submodule'
        : mode === '120000'
          ? 'A symbolic link'
          : 'An entry of an unknown kind'
    issues.add({ message: `${what} is not part of the content.`, path })
  }
}

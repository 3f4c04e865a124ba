import { mustGet } from '../../lib/must-get.ts'
import type { Oid } from '../../lib/oid.ts'
import { type SharedMap, sharedMapSteps } from '../../lib/shared-map.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'
import { baseName, type ContentFile } from '../files.ts'
import { isCategory } from '../navigation/category.ts'
import type { Outline } from '../navigation/outline.ts'
import type { PageFacts } from '../page/facts.ts'
import type { Summary } from '../summary/parse.ts'
import { type IssueList, issueList, lineCounter, type TreeIssue } from '../text/issues.ts'
import { numberedPaths } from './addresses.ts'
import { type ContentConfig, configPath, followsFiles } from './config.ts'
import { idPaths } from './id-paths.ts'
import { type IdOverrides, idSteps } from './identity.ts'
import { includeFiles, titleOfInclude } from './includes.ts'
import { inferSteps, orderedSteps } from './infer.ts'
import { navigatedSteps } from './navigate.ts'
import type { PageNode } from './page-node.ts'
import { makePages, type Source } from './pages.ts'
import { type FileIndex, indexFiles, resolveEntry } from './resolve.ts'
import { type Variables, variablesPath } from './variables.ts'

export type { TreeIssue } from '../text/issues.ts'
export { type ComputedSource, type PageNode, parentOf } from './page-node.ts'

/** A content file that is neither a page nor one of the format's own files. */
export type FileNode = { id: string; path: string; name: string; oid: Oid; mode: string }

/** A reusable piece of content. */
export type IncludeNode = { id: string; title: string; path: string; oid: Oid }

/** The content of a revision as documentation. Immutable once built. */
export type ContentTree = {
  config: ContentConfig
  /** Null: there is no table of contents and the tree is inferred from the files. */
  summary: Summary | null
  summaryPath: string
  /** Top-level pages in order; groups occur only here. */
  pages: PageNode[]
  pageById: SharedMap<PageNode>
  /**
   * Documents and groups by path; '' and, unless another page has it, 'readme' name the landing
   * page.
   */
  pageByPath: SharedMap<PageNode>
  pageByFile: SharedMap<PageNode>
  /**
   * Pages by the paths, in the form that is compared, that lead to them without being their
   * addresses: those that they had while equal addresses got numbers, and those that the `id` of
   * their front matter gives them in Docusaurus. Nearly always empty.
   */
  otherPaths: ReadonlyMap<string, PageNode>
  files: FileNode[]
  fileById: SharedMap<FileNode>
  fileByPath: SharedMap<FileNode>
  includes: IncludeNode[]
  variables: Variables
  issues: TreeIssue[]
  /**
   * The keys whose default id another key holds: they have a further id without an override. Nearly
   * always empty.
   */
  displaced: ReadonlySet<string>
}

/** The input of `buildTree`. */
export type TreeInput = {
  spaceId: string
  files: readonly ContentFile[]
  identity: IdOverrides
  config: ContentConfig
  summary: Summary | null
  /**
   * Returns the facts of a blob; undefined if unknown: the page then has only its title from the
   * table of contents.
   */
  facts: (oid: string) => PageFacts | undefined
  variables: Variables
  /** The issues of `.gitbook.yaml` and `vars.yaml`, to be reported with the tree's own. */
  issues?: readonly TreeIssue[]
  /**
   * A tree of the same space with its overrides, whose default ids are reused instead of computed.
   */
  near?: { content: ContentTree; identity: IdOverrides } | undefined
}

/**
 * Returns the blobs to read before a tree can be built: the settings first; with `config`, the
 * other two as well.
 */
export function neededBlobs(
  files: readonly ContentFile[],
  config?: ContentConfig,
): { config?: Oid; summary?: Oid; variables?: Oid } {
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

/**
 * Returns the blobs whose facts a tree needs, each once: those of its pages and of its reusable
 * content.
 */
export function* pageFileSteps(
  files: readonly ContentFile[],
  config: ContentConfig,
  summary: Summary | null,
): Steps<Oid[]> {
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

/**
 * Returns the groups of the table of contents; without one, those of another tool's, or a single
 * inferred group.
 */
function* groupsOf(
  index: FileIndex,
  config: ContentConfig,
  summary: Summary | null,
): Steps<readonly Source[]> {
  if (summary) return summary.groups
  if (config.navigation?.groups) {
    index.navigated ??= yield* navigatedSteps(index, config.navigation)
    return index.navigated.groups
  }
  index.inferred ??= yield* inferSteps(index, config)
  return [{ title: null, entries: index.inferred }]
}

/**
 * Builds the tree of a revision, in time linear in its files and pages. Errors in the content
 * become issues.
 */
export const buildTree = (input: TreeInput): ContentTree => atOnce(treeSteps(input))

/**
 * Does the work of `buildTree` in steps, so that a very large space does not block the event loop.
 */
export function* treeSteps(input: TreeInput): Steps<ContentTree> {
  const { config, summary, facts } = input
  const laid = yield* layOut(input)
  const { nodes, pages, claimed, otherPaths, others, includes, issues } = laid
  const defaultIdOf = input.near && defaultIdsIn(input.near)
  const keys = keysIn(laid)

  yield
  const { ids, displaced } = yield* idSteps(input.spaceId, input.identity, keys, defaultIdOf)

  setIds(nodes, ids)
  yield
  const files: FileNode[] = []

  for (const { path, oid, mode } of others) {
    files.push({ id: mustGet(ids, path), path, name: baseName(path), oid, mode })
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
    otherPaths,
    files,
    fileById,
    fileByPath,
    includes: includes.map(({ path, oid }) => {
      return { id: mustGet(ids, path), title: titleOfInclude(path, facts(oid)), path, oid }
    }),
    variables: input.variables,
    issues: issues.all(),
    displaced,
  }
}

/** Returns the keys of the tree without computing its ids. */
export function* keySteps(input: Omit<TreeInput, 'identity'>): Steps<Set<string>> {
  return keysIn(yield* layOut(input))
}

/** The keys of the documents and groups of a tree. */
export type KeysByPath = {
  /** By path. */
  keys: ReadonlyMap<string, string>
  /** By the paths that `ContentTree.otherPaths` has. */
  others: ReadonlyMap<string, string>
  /** Of those without a file, whose keys follow from their addresses: by what they contain. */
  sections: ReadonlyMap<string, string>
}

/** Returns the keys of the documents and groups of a tree without computing its ids. */
export function* pathSteps(input: Omit<TreeInput, 'identity'>): Steps<KeysByPath> {
  const { nodes, otherPaths } = yield* layOut(input)
  const keys = new Map(
    nodes.flatMap(({ path, key }) => (path === '' ? [] : [[path, key] as const])),
  )
  const sections = yield* sectionsIn(nodes)
  return {
    keys,
    others: new Map([...otherPaths].map(([path, { key }]) => [path, key])),
    sections,
  }
}

/**
 * Returns the keys of pages without a file by what they contain: their kind, the slug that they
 * want, and the first of the files below them. `nodes` has parents before their children.
 */
function* sectionsIn(nodes: readonly PageNode[]): Steps<Map<string, string>> {
  const first = new Map<PageNode, string>()
  const sections = new Map<string, string>()
  const twice = new Set<string>()
  for (let at = nodes.length - 1; at >= 0; at--) {
    if (at % 2048 === 2047) yield
    const node = nodes[at]!
    const { file, folder, pages, path, type, key, slug, wanted = slug } = node
    const below = file ? [file.path] : pages.flatMap(page => first.get(page) ?? [])
    const found = below.reduce((a, b) => (a === '' || b < a ? b : a), folder ?? '')
    if (found !== '') first.set(node, found)
    if (file || path === '' || found === '') continue
    const name = JSON.stringify([type, wanted, found])
    if (sections.has(name)) twice.add(name)
    sections.set(name, key)
  }

  for (const name of twice) sections.delete(name)

  return sections
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
  otherPaths: ReadonlyMap<string, PageNode>
  others: ContentFile[]
  includes: ContentFile[]
  issues: IssueList
}

/** Returns the pages of a tree in their places, and the other files: everything except ids. */
function* layOut({
  config,
  summary,
  facts,
  files,
  issues: given,
}: Omit<TreeInput, 'identity'>): Steps<LaidOut> {
  const issues = issueList()
  for (const issue of given ?? []) issues.add(issue)
  for (const issue of summary?.issues ?? []) issues.add({ ...issue, path: config.summary })
  const index = yield* indexFiles(files, config)

  reportOddFiles(index, issues)
  const claimed = new Map<string, PageNode>()
  const making = {
    index,
    facts,
    issues,
    lineAt: lineCounter(summary?.source ?? ''),
    claimed,
    computed: new Map(),
  }
  const groups = yield* groupsOf(index, config, summary)
  const inferred = summary ? undefined : index.inferred
  const source = inferred
    ? [{ title: null, entries: yield* orderedSteps(index, inferred, facts) }]
    : groups
  const isOfTool = index.hasCategories || (config.settings ?? []).length > 0
  const { pages, places } = yield* makePages(
    { ...making, followsFiles: followsFiles(config), isOfTool },
    source,
  )
  const includes = includeFiles(index.byPath.values(), config.root)

  yield
  const others = yield* otherFiles(index, config, claimed, new Set(includes.map(file => file.path)))

  const nodes = places.map(({ node }) => node)
  const byId = yield* idPaths(nodes)
  const numbered = yield* numberedPaths(places)
  const otherPaths = byId.size === 0 ? numbered : new Map([...byId, ...numbered])
  return { nodes, pages, claimed, otherPaths, others, includes, issues }
}

/** Returns a lookup of default ids that a tree of the same space has already computed. */
function defaultIdsIn({
  content,
  identity,
}: NonNullable<TreeInput['near']>): (key: string) => string | undefined {
  return key => {
    if (identity.has(key) || content.displaced.has(key)) return undefined
    return (content.pageByFile.get(key) ?? content.fileByPath.get(key))?.id
  }
}

/** Sets the ids of pages, by key. */
export function setIds(nodes: readonly PageNode[], ids: ReadonlyMap<string, string>): void {
  for (const node of nodes) {
    node.id = mustGet(ids, node.key)
    for (const child of node.pages) child.parentId = node.id
  }
}

/** Yields values with their keys, in the form that a map takes. */
export function* keyed<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): Iterable<[string, Value]> {
  for (const value of values) yield [keyOf(value), value]
}

/**
 * Returns every key of a tree that has an id: those of its pages, its files and its reusable
 * content.
 */
export function keysOf(tree: ContentTree): Set<string> {
  const keys = new Set<string>()
  for (const page of tree.pageById.values()) keys.add(page.key)
  for (const { path } of [...tree.files, ...tree.includes]) keys.add(path)
  return keys
}

/** Returns documents and groups by path, and the first document also by '' and 'readme'. */
function pathsOf(nodes: readonly PageNode[]): Map<string, PageNode> {
  const paths = new Map<string, PageNode>()
  for (const node of nodes) if (node.path !== '') paths.set(node.path, node)
  const landing = nodes.find(node => node.type === 'document')
  if (landing) paths.set('', landing)
  if (landing && !paths.has('readme')) paths.set('readme', landing)
  return paths
}

/**
 * Returns every regular file under the root that is not a page, reusable content or one of the
 * format's own files.
 */
function* otherFiles(
  index: FileIndex,
  config: ContentConfig,
  claimed: ReadonlyMap<string, PageNode>,
  includes: ReadonlySet<string>,
): Steps<ContentFile[]> {
  const own = new Set([index.summaryPath, configPath, ...(config.settings ?? [])])
  for (const name of [variablesPath, '.gitbook/tags.yaml']) own.add(index.root + name)
  const others: ContentFile[] = []
  let seen = 0

  for (const file of index.byPath.values()) {
    if (++seen % 2048 === 0) yield
    if (own.has(file.path) || isCategory(file.path)) continue
    if (!includes.has(file.path) && !claimed.has(file.path)) others.push(file)
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

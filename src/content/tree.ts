import { type ContentConfig, configPath } from './config.ts'
import { baseName, type ContentFile } from './files.ts'
import { type Identity, idsOf } from './identity.ts'
import { includeFiles, titleOfInclude } from './includes.ts'
import type { PageFacts } from './page.ts'
import type { Summary } from './summary.ts'
import { inferEntries, type Outline } from './tree-infer.ts'
import { type IssueList, issueList, lineCounter, type TreeIssue } from './tree-issues.ts'
import type { PageNode } from './tree-node.ts'
import { makePages } from './tree-pages.ts'
import { type FileIndex, indexFiles, resolveEntry } from './tree-resolve.ts'
import { type Variables, variablesPath } from './variables.ts'

export type { TreeIssue } from './tree-issues.ts'
export type { ComputedSource, PageNode } from './tree-node.ts'

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
  pageById: Map<string, PageNode>
  /** Documents and groups by path; '' and (unless another page has it) 'readme' are the landing page. */
  pageByPath: Map<string, PageNode>
  pageByFile: Map<string, PageNode>
  files: FileNode[]
  fileById: Map<string, FileNode>
  fileByPath: Map<string, FileNode>
  includes: IncludeNode[]
  variables: Variables
  issues: TreeIssue[]
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
}

/** The blobs to read before a tree can be built: without the settings only theirs, with them the other two as well. */
export function neededBlobs(
  files: readonly ContentFile[],
  config?: ContentConfig,
): { config?: string; summary?: string; variables?: string } {
  const needed: ReturnType<typeof neededBlobs> = {}
  for (const { path, oid, mode } of files) {
    if (!mode.startsWith('100')) continue
    if (path === configPath) needed.config = oid
    if (config && path === config.summary) needed.summary = oid
    if (config && path === config.root + variablesPath) needed.variables = oid
  }
  return needed
}

/** The blobs whose facts a tree needs, each once: those of its pages and of its reusable content. */
export function pageFilesOf(
  files: readonly ContentFile[],
  config: ContentConfig,
  summary: Summary | null,
): string[] {
  const index = indexFiles(files, config)
  const oids = new Set(includeFiles(index.byPath.values(), config.root).map(file => file.oid))
  const walk = (entries: readonly Outline[]) => {
    for (const entry of entries) {
      const resolved = resolveEntry(index, entry)
      if (resolved?.kind === 'page') oids.add(resolved.file.oid)
      walk(entry.children)
    }
  }
  if (summary) for (const group of summary.groups) walk(group.entries)
  else walk(inferEntries(index, config.readme))
  return [...oids]
}

/** Builds the tree of a revision, in time linear in its files and pages. What is wrong in the content comes as issues. */
export function buildTree(input: TreeInput): ContentTree {
  const { config, summary, facts } = input
  const issues = issueList()
  for (const issue of [...(input.issues ?? [])]) issues.add(issue)
  for (const issue of summary?.issues ?? []) issues.add({ ...issue, path: config.summary })
  const index = indexFiles(input.files, config)
  reportOddFiles(index, issues)
  const nodes: PageNode[] = []
  const claimed = new Map<string, PageNode>()
  const lineAt = lineCounter(summary?.source ?? '')
  const groups = summary?.groups ?? [{ title: null, entries: inferEntries(index, config.readme) }]
  const pages = makePages({ index, facts, issues, lineAt, claimed, scopes: new Map(), nodes }, groups)

  const includes = includeFiles(index.byPath.values(), config.root)
  const others = otherFiles(index, claimed, new Set(includes.map(file => file.path)))
  const keyed = [nodes.map(node => node.key), others.map(file => file.path), includes.map(file => file.path)]
  const ids = idsOf(input.spaceId, input.identity, new Set(keyed.flat()))
  for (const node of nodes) node.id = ids.get(node.key)!
  const files = others.map(({ path, oid, mode }): FileNode => {
    return { id: ids.get(path)!, path, name: baseName(path), oid, mode }
  })
  return {
    config,
    summary,
    summaryPath: config.summary,
    pages,
    pageById: new Map(nodes.map(node => [node.id, node])),
    pageByPath: pathsOf(nodes),
    pageByFile: new Map([...claimed].filter(([, node]) => node.file)),
    files,
    fileById: new Map(files.map(file => [file.id, file])),
    fileByPath: new Map(files.map(file => [file.path, file])),
    includes: includes.map(({ path, oid }) => {
      return { id: ids.get(path)!, title: titleOfInclude(path, facts(oid)), path, oid }
    }),
    variables: input.variables,
    issues: issues.all(),
  }
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
  if (!landing) return paths
  paths.set('', landing)
  if (!paths.has('readme')) paths.set('readme', landing)
  return paths
}

/** Every regular file under the root that is no page, no reusable content and none of the format's own files. */
function otherFiles(
  index: FileIndex,
  claimed: ReadonlyMap<string, PageNode>,
  includes: ReadonlySet<string>,
): ContentFile[] {
  const own = new Set([index.summaryPath, configPath])
  for (const name of [variablesPath, '.gitbook/tags.yaml']) own.add(index.root + name)
  return [...index.byPath.values()].filter(
    ({ path }) => !own.has(path) && !includes.has(path) && !claimed.has(path),
  )
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

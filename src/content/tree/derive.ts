import { mustGet } from '../../lib/must-get.ts'
import type { Oid } from '../../lib/oid.ts'
import type { SharedMap } from '../../lib/shared-map.ts'
import { type ContentFile, isRegular } from '../files.ts'
import type { PageFacts } from '../page/facts.ts'
import {
  type ContentTree,
  type FileNode,
  type IncludeNode,
  type PageNode,
  parentOf,
} from './build.ts'
import { configPath, isToolSettings } from './config.ts'
import { titleOfInclude } from './includes.ts'
import { applyFacts, splitEmoji, titleOfDocument } from './page-node.ts'
import { variablesPath } from './variables.ts'

/**
 * A file that differs between two revisions; `before` or `after` is absent when it was added or
 * removed.
 */
type FileChange = {
  path: string
  before?: ContentFile | undefined
  after?: ContentFile | undefined
}

/** The replacements of nodes in a tree. */
type Replacements = {
  pages: Map<PageNode, ContentFile>
  files: Map<FileNode, FileNode>
  includes: Map<IncludeNode, IncludeNode>
}

/**
 * Returns the tree of a revision, derived from the tree of one that differs only in the bytes of
 * these files: equal to the result of building it. Undefined when more than bytes changes and the
 * tree has to be built. The cost is that of the changed pages and their ancestors; everything else
 * is shared. `facts` is called for changed blobs.
 */
export function deriveTree(
  tree: ContentTree,
  changes: readonly FileChange[],
  facts: (oid: string) => PageFacts | undefined,
): ContentTree | undefined {
  if (changes.some(change => !keepsShape(tree, change))) return undefined
  const fresh = replacementsOf(tree, changes, facts)
  for (const [page, { oid }] of fresh.pages) {
    const [before, after] = [page.facts, facts(oid)]
    if (!keepsIssues(before, after, page) || !keepsPlace(before, after)) return undefined
  }

  const withPages =
    fresh.pages.size > 0 ? { ...tree, ...replacedPages(tree, fresh.pages, facts) } : { ...tree }

  if (fresh.files.size > 0) {
    const { files } = fresh
    withPages.files = tree.files.map(file => files.get(file) ?? file)
    const after = [...files.values()]
    withPages.fileById = tree.fileById.with(after.map(file => [file.id, file]))
    withPages.fileByPath = tree.fileByPath.with(after.map(file => [file.path, file]))
  }

  if (fresh.includes.size > 0)
    withPages.includes = tree.includes.map(each => fresh.includes.get(each) ?? each)

  return withPages
}

/** Returns the blobs whose facts `deriveTree` asks for. */
export const changedBlobs = (tree: ContentTree, changes: readonly FileChange[]): Oid[] =>
  changes.flatMap(({ path, after }) =>
    after && (tree.pageByFile.has(path) || tree.includes.some(include => include.path === path))
      ? [after.oid]
      : [],
  )

/**
 * Returns whether a change affects only bytes, and of a file that does not determine the place of
 * pages.
 */
function keepsShape(
  { config, summaryPath }: ContentTree,
  { path, before, after }: FileChange,
): boolean {
  if (path === configPath || path === summaryPath || path === config.root + variablesPath)
    return false
  if (isToolSettings(path) || config.settings?.includes(path)) return false
  return before !== undefined && after !== undefined && isRegular(before) && isRegular(after)
}

/** Returns whether a page has no issues before and after. A page without a title has one. */
const keepsIssues = (
  before: PageFacts | undefined,
  after: PageFacts | undefined,
  page: PageNode,
): boolean => !before?.issues.length && !after?.issues.length && page.title !== 'Untitled'

/** Returns whether a page asks for the same place and name in the list of pages as before. */
const keepsPlace = (before: PageFacts | undefined, after: PageFacts | undefined): boolean =>
  before?.frontMatter.position === after?.frontMatter.position &&
  before?.frontMatter.slug === after?.frontMatter.slug &&
  before?.frontMatter.id === after?.frontMatter.id &&
  before?.frontMatter.label === after?.frontMatter.label

function replacementsOf(
  tree: ContentTree,
  changes: readonly FileChange[],
  facts: (oid: string) => PageFacts | undefined,
): Replacements {
  const fresh: Replacements = { pages: new Map(), files: new Map(), includes: new Map() }
  for (const { path, after } of changes) {
    if (!after) continue
    const page = tree.pageByFile.get(path)
    const file = tree.fileByPath.get(path)

    // Reusable content may be listed in the table of contents as well.
    const include = file ? undefined : tree.includes.find(each => each.path === path)
    const { oid, mode } = after
    if (page) fresh.pages.set(page, after)
    if (file) fresh.files.set(file, { ...file, oid, mode })
    if (include)
      fresh.includes.set(include, { ...include, title: titleOfInclude(path, facts(oid)), oid })
  }

  return fresh
}

/**
 * Returns the pages of a tree with new blobs for some of them: those pages and their ancestors are
 * copied.
 */
function replacedPages(
  tree: ContentTree,
  changed: ReadonlyMap<PageNode, ContentFile>,
  facts: (oid: string) => PageFacts | undefined,
): Pick<ContentTree, 'pages' | 'pageById' | 'pageByPath' | 'pageByFile' | 'otherPaths'> {
  const copies = new Map<PageNode, PageNode>()
  for (const [page, file] of changed) {
    for (
      let node: PageNode | undefined = page;
      node && !copies.has(node);
      node = parentOf(tree, node)
    )
      copies.set(node, { ...node })
    reread(mustGet(copies, page), file, tree.config.root, facts(file.oid))
  }

  // Parents of copies get a child list of their own.
  const listsOf = new Set([...copies.keys()].map(node => parentOf(tree, node)))
  const withCopies = (pages: PageNode[]) => pages.map(page => copies.get(page) ?? page)

  for (const node of listsOf) if (node) mustGet(copies, node).pages = withCopies(node.pages)

  return {
    pages: withCopies(tree.pages),
    pageById: tree.pageById.with([...copies.values()].map(node => [node.id, node])),
    pageByPath: swapped(tree.pageByPath, copies, node => [node.path, '', 'readme']),
    pageByFile: swapped(tree.pageByFile, copies, node => (node.file ? [node.file.path] : [])),
    otherPaths: new Map(
      [...tree.otherPaths].map(([path, node]) => [path, copies.get(node) ?? node]),
    ),
  }
}

function reread(
  node: PageNode,
  { path, oid }: ContentFile,
  root: string,
  facts: PageFacts | undefined,
): void {
  const { title, emoji } = splitEmoji(
    titleOfDocument(
      node.entry?.title ?? '',
      path.slice(root.length),
      facts,
      node.entry ? undefined : node.linkTitle,
    ),
  )
  node.title = title
  node.file = { path, oid }
  delete node.facts
  delete node.icon
  delete node.emoji
  if (emoji) node.emoji = emoji
  if (facts) applyFacts(node, facts)
}

/**
 * Returns a map with nodes replaced by their copies; `keysOf` returns the keys that a node may
 * have.
 */
function swapped(
  map: SharedMap<PageNode>,
  copies: ReadonlyMap<PageNode, PageNode>,
  keysOf: (node: PageNode) => string[],
): SharedMap<PageNode> {
  const swaps: [string, PageNode][] = []
  for (const [old, copy] of copies)
    for (const key of keysOf(old)) if (map.get(key) === old) swaps.push([key, copy])
  return map.with(swaps)
}

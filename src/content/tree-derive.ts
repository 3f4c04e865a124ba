import { configPath } from './config.ts'
import { type ContentFile, isRegular } from './files.ts'
import { titleOfInclude } from './includes.ts'
import type { PageFacts } from './page.ts'
import type { ContentTree, FileNode, IncludeNode, PageNode } from './tree.ts'
import { newNode } from './tree-node.ts'
import { dress, splitEmoji, titleOfDocument } from './tree-title.ts'
import { variablesPath } from './variables.ts'

/** A file that is not the same in two revisions; one of the two is not there when it came or went. */
export type FileChange = { path: string; before?: ContentFile | undefined; after?: ContentFile | undefined }

/** What takes the place of what in a tree. */
type Fresh = {
  pages: Map<PageNode, ContentFile>
  files: Map<FileNode, FileNode>
  includes: Map<IncludeNode, IncludeNode>
}

/**
 * The tree of a revision, from that of one that differs in the bytes of these files: exactly what building it would
 * give. Undefined when more than that changes, and it has to be built. Costs the pages that stand together with
 * changed ones and a copy of the tree's maps, not the reading of the whole. `facts` is asked for changed blobs.
 */
export function deriveTree(
  tree: ContentTree,
  changes: readonly FileChange[],
  facts: (oid: string) => PageFacts | undefined,
): ContentTree | undefined {
  if (changes.some(change => !keepsShape(tree, change))) return undefined
  const fresh = freshOf(tree, changes, facts)
  if ([...fresh.pages].some(([page, { oid }]) => !keepsIssues(page.facts, facts(oid), page))) return undefined
  const withPages = fresh.pages.size > 0 ? { ...tree, ...freshPages(tree, fresh.pages, facts) } : { ...tree }
  if (fresh.files.size > 0) {
    const { files } = fresh
    withPages.files = tree.files.map(file => files.get(file) ?? file)
    withPages.fileById = swapped(tree.fileById, files, file => [file.id])
    withPages.fileByPath = swapped(tree.fileByPath, files, file => [file.path])
  }
  if (fresh.includes.size > 0)
    withPages.includes = tree.includes.map(each => fresh.includes.get(each) ?? each)
  return withPages
}

/** The blobs whose facts `deriveTree` asks for. */
export const changedBlobs = (tree: ContentTree, changes: readonly FileChange[]): string[] =>
  changes.flatMap(({ path, after }) =>
    after && (tree.pageByFile.has(path) || tree.includes.some(include => include.path === path))
      ? [after.oid]
      : [],
  )

/** Whether a change is one of bytes, and of no file that says where pages stand. */
function keepsShape({ config, summaryPath }: ContentTree, { path, before, after }: FileChange): boolean {
  if (path === configPath || path === summaryPath || path === config.root + variablesPath) return false
  return before !== undefined && after !== undefined && isRegular(before) && isRegular(after)
}

/** Whether what is wrong with a page stays the same: nothing. A page without a title is something wrong, too. */
const keepsIssues = (before: PageFacts | undefined, after: PageFacts | undefined, page: PageNode): boolean =>
  !before?.issues.length && !after?.issues.length && page.title !== 'Untitled'

function freshOf(
  tree: ContentTree,
  changes: readonly FileChange[],
  facts: (oid: string) => PageFacts | undefined,
): Fresh {
  const fresh: Fresh = { pages: new Map(), files: new Map(), includes: new Map() }
  for (const { path, after } of changes) {
    if (!after) continue
    const page = tree.pageByFile.get(path)
    const file = tree.fileByPath.get(path)
    const include = page || file ? undefined : tree.includes.find(each => each.path === path)
    const { oid, mode } = after
    if (page) fresh.pages.set(page, after)
    else if (file) fresh.files.set(file, { ...file, oid, mode })
    else if (include)
      fresh.includes.set(include, { ...include, title: titleOfInclude(path, facts(oid)), oid })
  }
  return fresh
}

/** The pages of a tree with other blobs in the place of some; whoever stands together with one of them is copied. */
function freshPages(
  tree: ContentTree,
  changed: ReadonlyMap<PageNode, ContentFile>,
  facts: (oid: string) => PageFacts | undefined,
): Pick<ContentTree, 'pages' | 'pageById' | 'pageByPath' | 'pageByFile'> {
  const copies = new Map<PageNode, PageNode>()
  const copy = (node: PageNode, parent: PageNode | undefined): PageNode => {
    const file = changed.get(node)
    const fresh = newNode({ ...node, pages: [] }, parent)
    if (file) reread(fresh, file, tree.config.root, facts(file.oid))
    copies.set(node, fresh)
    for (const child of node.pages) fresh.pages.push(copy(child, fresh))
    return fresh
  }
  const tops = new Set([...changed.keys()].map(topOf))
  return {
    pages: tree.pages.map(node => (tops.has(node) ? copy(node, undefined) : node)),
    pageById: swapped(tree.pageById, copies, node => [node.id]),
    pageByPath: swapped(tree.pageByPath, copies, node => [node.path, '', 'readme']),
    pageByFile: swapped(tree.pageByFile, copies, node => (node.file ? [node.file.path] : [])),
  }
}

function topOf(page: PageNode): PageNode {
  let top = page
  while (top.parent) top = top.parent
  return top
}

function reread(
  node: PageNode,
  { path, oid }: ContentFile,
  root: string,
  facts: PageFacts | undefined,
): void {
  const { title, emoji } = splitEmoji(
    titleOfDocument(node.entry?.title ?? '', path.slice(root.length), facts),
  )
  node.title = title
  node.file = { path, oid }
  delete node.facts
  delete node.icon
  delete node.emoji
  if (emoji) node.emoji = emoji
  if (facts) dress(node, facts)
}

/** A map with fresh values in the place of others; `keysOf` says under which keys one may stand. */
function swapped<Value>(
  map: ReadonlyMap<string, Value>,
  fresh: ReadonlyMap<Value, Value>,
  keysOf: (value: Value) => string[],
): Map<string, Value> {
  const swap = new Map(map)
  for (const [old, value] of fresh)
    for (const key of keysOf(old)) if (map.get(key) === old) swap.set(key, value)
  return swap
}

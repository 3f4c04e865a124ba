import type { SharedMap } from '../../lib/shared-map.ts'
import { type ContentFile, isRegular } from '../files.ts'
import type { PageFacts } from '../page/facts.ts'
import { type ContentTree, type FileNode, type IncludeNode, type PageNode, parentOf } from './build.ts'
import { configPath } from './config.ts'
import { titleOfInclude } from './includes.ts'
import { dress, splitEmoji, titleOfDocument } from './titles.ts'
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
 * give. Undefined when more than that changes, and it has to be built. Costs the changed pages and
 * those above them; all else is shared. `facts` is asked for changed blobs.
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
    const after = [...files.values()]
    withPages.fileById = tree.fileById.with(after.map(file => [file.id, file]))
    withPages.fileByPath = tree.fileByPath.with(after.map(file => [file.path, file]))
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
    // Reusable content may stand in the table of contents, too.
    const include = file ? undefined : tree.includes.find(each => each.path === path)
    const { oid, mode } = after
    if (page) fresh.pages.set(page, after)
    if (file) fresh.files.set(file, { ...file, oid, mode })
    if (include) fresh.includes.set(include, { ...include, title: titleOfInclude(path, facts(oid)), oid })
  }
  return fresh
}

/** The pages of a tree with other blobs in the place of some: those and the ones above them are copied. */
function freshPages(
  tree: ContentTree,
  changed: ReadonlyMap<PageNode, ContentFile>,
  facts: (oid: string) => PageFacts | undefined,
): Pick<ContentTree, 'pages' | 'pageById' | 'pageByPath' | 'pageByFile'> {
  const copies = new Map<PageNode, PageNode>()
  for (const [page, file] of changed) {
    for (let node: PageNode | undefined = page; node && !copies.has(node); node = parentOf(tree, node))
      copies.set(node, { ...node })
    reread(copies.get(page)!, file, tree.config.root, facts(file.oid))
  }
  // Those with a copy below them have a list of their own.
  const listsOf = new Set([...copies.keys()].map(node => parentOf(tree, node)))
  const withCopies = (pages: PageNode[]) => pages.map(page => copies.get(page) ?? page)
  for (const node of listsOf) if (node) copies.get(node)!.pages = withCopies(node.pages)
  return {
    pages: withCopies(tree.pages),
    pageById: tree.pageById.with([...copies.values()].map(node => [node.id, node])),
    pageByPath: swapped(tree.pageByPath, copies, node => [node.path, '', 'readme']),
    pageByFile: swapped(tree.pageByFile, copies, node => (node.file ? [node.file.path] : [])),
  }
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

/** A map with copies in the place of others; `keysOf` says under which keys one may stand. */
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

import { type SharedMap, sharedMapSteps } from '../../lib/shared-map.ts'
import type { Steps } from '../../lib/slices.ts'
import { type IssueList, issueList } from '../text/issues.ts'
import { type ContentTree, keyed, type PageNode, parentOf } from '../tree/build.ts'
import {
  type ComputedMaking,
  type ComputedSpec,
  type ComputedText,
  computedPageSteps,
  linkToFile,
  slugOfEntry,
} from './page.ts'
import { type PlannedPage, planSteps } from './plan.ts'

/** A tree with the pages that its computed entries stand for, and what their texts are made of, by the pages' ids. */
export type Expanded = { content: ContentTree; texts: ReadonlyMap<string, ComputedText> }

/** The most pages that the entries of one tree may make. */
const mostPages = 20_000

/** The entries of a tree that stand for the pages of an OpenAPI description. */
export const openapiEntries = ({ pageById, summary }: ContentTree): PageNode[] =>
  summary?.source.includes('builtin:openapi')
    ? [...pageById.values()].filter(node => slugOfEntry(node) !== undefined)
    : []

type Making = ComputedMaking & {
  specs: ReadonlyMap<string, ComputedSpec>
  /** The entries that have pages, and every page above one. */
  touched: Set<PageNode>
  /** What was planned for a description, by what entries ask of it. */
  plans: Map<string, { pages: PlannedPage[]; count: number }>
  issues: IssueList
  lineAt: (offset: number) => number
}

/**
 * The tree with pages in the place of its computed entries, as far as `specs` (by slug) has what they name; the others
 * stay, each with an issue. The pages that are there keep their addresses; those that come take what is left. What
 * stands below an entry follows its pages.
 */
export function* expandSteps(
  tree: ContentTree,
  entries: readonly PageNode[],
  specs: ReadonlyMap<string, ComputedSpec>,
): Steps<Expanded> {
  const making: Making = {
    tree,
    specs,
    touched: new Set(),
    texts: new Map(),
    scopes: new Map(),
    plans: new Map(),
    issues: issueList(),
    lineAt: linesInOrder(tree.summary?.source ?? ''),
  }
  for (const entry of entries) {
    let node: PageNode | undefined = entry
    for (; node && !making.touched.has(node); node = parentOf(tree, node)) making.touched.add(node)
    if (making.touched.size % 1024 === 0) yield
  }
  const pages = yield* place(making, tree.pages, undefined)
  const nodes: PageNode[] = []
  yield* gather(pages, nodes)
  const pageById = yield* sharedMapSteps(keyed(nodes, node => node.id))
  const copied = nodes.filter(node => node.file && tree.pageById.get(node.id) !== node)
  const content: ContentTree = {
    ...tree,
    pages,
    pageById,
    pageByPath: yield* pathSteps(tree, nodes, pageById),
    pageByFile: tree.pageByFile.with(copied.map(node => [node.file!.path, node])),
    issues: [...tree.issues, ...making.issues.all()],
  }
  return { content, texts: making.texts }
}

/** Every page below, parents before their children. */
function* gather(pages: readonly PageNode[], nodes: PageNode[]): Steps<void> {
  for (const node of pages) {
    nodes.push(node)
    if (nodes.length % 1024 === 0) yield
    if (node.pages.length > 0) yield* gather(node.pages, nodes)
  }
}

/** The landing page stays what it is: a description that comes or goes must not change it. */
function* pathSteps(
  tree: ContentTree,
  nodes: readonly PageNode[],
  pageById: SharedMap<PageNode>,
): Steps<SharedMap<PageNode>> {
  const paths: [string, PageNode][] = []
  for (const node of nodes) if (node.path !== '') paths.push([node.path, node])
  yield
  const landing = tree.pageByPath.get('') ?? nodes.find(node => node.type === 'document')
  const now = landing && (pageById.get(landing.id) ?? landing)
  if (now) paths.push(['', now])
  if (now && !paths.some(([path]) => path === 'readme')) paths.push(['readme', now])
  return yield* sharedMapSteps(paths)
}

/** The pages of a list with those that come among them. Recursion is bounded as the tree is. */
function* place(making: Making, list: readonly PageNode[], parent: PageNode | undefined): Steps<PageNode[]> {
  const placed: PageNode[] = []
  for (const [at, node] of list.entries()) {
    if (at % 256 === 255) yield
    if (!making.touched.has(node)) {
      placed.push(node)
      continue
    }
    const made = slugOfEntry(node) === undefined ? undefined : yield* pagesOf(making, node, parent)
    if (!made) placed.push({ ...node, pages: yield* place(making, node.pages, node) })
    else {
      placed.push(...made)
      for (const child of yield* place(making, node.pages, parent)) placed.push(under(child, parent))
    }
  }
  return placed
}

function under(node: PageNode, parent: PageNode | undefined): PageNode {
  const { parentId: _, ...rest } = node
  return parent ? { ...rest, parentId: parent.id } : rest
}

/** The pages that an entry stands for; undefined, and an issue, when there are none to be had. */
function* pagesOf(
  making: Making,
  entry: PageNode,
  parent: PageNode | undefined,
): Steps<PageNode[] | undefined> {
  const slug = slugOfEntry(entry)!
  const spec = making.specs.get(slug)
  if (!spec) {
    tell(
      making,
      entry,
      `The OpenAPI description "${slug}" is not there, or could not be read yet: it has no pages.`,
    )
    return undefined
  }
  const planned = yield* planFor(making, entry, spec)
  if (making.texts.size + planned.count > mostPages) {
    tell(
      making,
      entry,
      `The pages of "${slug}" are left out: computed entries make more than ${mostPages} pages.`,
    )
    return undefined
  }
  yield
  const pages = yield* computedPageSteps({ making, entry, spec }, planned.pages, parent)
  if (entry.computed?.props.downloadLink === true) pages.push(linkToFile(entry, spec.file, parent))
  return pages
}

/** Gives the line, from 1, of offsets that come in order: each stretch is looked through once. */
function linesInOrder(source: string): (offset: number) => number {
  let [at, line] = [0, 1]
  return offset => {
    for (; at < offset; at++) {
      const code = source.charCodeAt(at)
      if (code === 10 || (code === 13 && source.charCodeAt(at + 1) !== 10)) line++
    }
    return line
  }
}

/** Many entries may ask the same of a large description. */
function* planFor(
  { plans }: Making,
  { computed }: PageNode,
  { slug, outline }: ComputedSpec,
): Steps<{ pages: PlannedPage[]; count: number }> {
  const { models, grouping } = computed!.props
  const key = `${slug} ${models === true} ${grouping === 'by-operation'}`
  const known = plans.get(key)
  if (known) return known
  const pages = yield* planSteps(outline, computed!)
  const planned = { pages, count: countOf(pages) }
  plans.set(key, planned)
  return planned
}

function tell({ tree, issues, lineAt }: Making, { entry }: PageNode, message: string): void {
  issues.add({ message, path: tree.summaryPath, ...(entry && { line: lineAt(entry.range.start) }) })
}

const countOf = (pages: readonly PlannedPage[]): number =>
  pages.reduce((sum, page) => sum + 1 + countOf(page.pages), 0)

import { type SharedMap, sharedMapSteps } from '../../lib/shared-map.ts'
import type { Steps } from '../../lib/slices.ts'
import { type IssueList, issueList } from '../text/issues.ts'
import { type ContentTree, keyed, type PageNode, parentOf } from '../tree/build.ts'
import {
  addressSteps,
  type ComputedSpec,
  type ComputedText,
  computedPageSteps,
  linkToFile,
  type PageBuild,
  slugOfEntry,
} from './page.ts'
import { type PlannedPage, planSteps } from './plan.ts'

/**
 * A tree with computed pages in place of its computed entries, and the parts of the pages' texts,
 * by page id.
 */
export type Expanded = { content: ContentTree; texts: ReadonlyMap<string, ComputedText> }

/** The most computed pages in one tree. */
const mostPages = 20_000

/** Returns the entries of a tree that stand for the pages of an OpenAPI spec. */
export const openapiEntries = ({ pageById, summary }: ContentTree): PageNode[] =>
  summary?.source.includes('builtin:openapi')
    ? [...pageById.values()].filter(node => slugOfEntry(node) !== undefined)
    : []

type Expansion = PageBuild & {
  specs: ReadonlyMap<string, ComputedSpec>
  /** The entries to expand and their ancestors. */
  touched: Set<PageNode>
  /** The planned pages by slug and options of the entry. */
  plans: Map<string, { pages: PlannedPage[]; count: number }>
  issues: IssueList
  lineAt: (offset: number) => number
}

/**
 * Replaces the computed entries of a tree by the pages of their specs, given by slug. An entry
 * whose spec is missing stays, with an issue. Existing pages keep their paths, whatever is computed;
 * computed pages get others. The children of an entry follow its pages.
 */
export function* expandSteps(
  tree: ContentTree,
  entries: readonly PageNode[],
  specs: ReadonlyMap<string, ComputedSpec>,
): Steps<Expanded> {
  const state: Expansion = {
    tree,
    specs,
    touched: new Set(),
    texts: new Map(),
    places: [],
    plans: new Map(),
    issues: issueList(),
    lineAt: linesInOrder(tree.summary?.source ?? ''),
  }

  for (const entry of entries) {
    let node: PageNode | undefined = entry
    for (; node && !state.touched.has(node); node = parentOf(tree, node)) state.touched.add(node)
    if (state.touched.size % 1024 === 0) yield
  }

  const pages = yield* place(state, tree.pages, undefined)
  const numbered = yield* addressSteps(state)
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
    otherPaths: numbered.size === 0 ? tree.otherPaths : new Map([...numbered, ...tree.otherPaths]),
    issues: [...tree.issues, ...state.issues.all()],
  }

  return { content, texts: state.texts }
}

/** Collects all pages, parents before their children. */
function* gather(pages: readonly PageNode[], nodes: PageNode[]): Steps<void> {
  for (const node of pages) {
    nodes.push(node)
    if (nodes.length % 1024 === 0) yield
    if (node.pages.length > 0) yield* gather(node.pages, nodes)
  }
}

/** Maps paths to pages. The landing page stays the same, with or without its spec. */
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

/**
 * Returns the pages of a list with the computed ones among them. The recursion is as deep as the
 * tree.
 */
function* place(
  state: Expansion,
  list: readonly PageNode[],
  parent: PageNode | undefined,
): Steps<PageNode[]> {
  const placed: PageNode[] = []
  for (const [at, node] of list.entries()) {
    if (at % 256 === 255) yield

    if (!state.touched.has(node)) {
      placed.push(node)
      continue
    }

    const made = slugOfEntry(node) === undefined ? undefined : yield* pagesOf(state, node, parent)

    if (!made) placed.push({ ...node, pages: yield* place(state, node.pages, node) })
    else {
      placed.push(...made)
      for (const child of yield* place(state, node.pages, parent)) placed.push(under(child, parent))
    }
  }

  return placed
}

function under(node: PageNode, parent: PageNode | undefined): PageNode {
  const { parentId: _, ...rest } = node
  return parent ? { ...rest, parentId: parent.id } : rest
}

/** Makes the pages of an entry. Returns undefined and adds an issue when that is not possible. */
function* pagesOf(
  state: Expansion,
  entry: PageNode,
  parent: PageNode | undefined,
): Steps<PageNode[] | undefined> {
  const slug = slugOfEntry(entry)!
  const spec = state.specs.get(slug)
  if (!spec) {
    addIssue(
      state,
      entry,
      `The OpenAPI spec "${slug}" does not exist or has not been read yet: it has no pages.`,
    )
    return undefined
  }

  const planned = yield* planFor(state, entry, spec)

  if (state.texts.size + planned.count > mostPages) {
    addIssue(
      state,
      entry,
      `The pages of "${slug}" are left out: the computed entries of a space can make ${mostPages} pages.`,
    )
    return undefined
  }

  yield
  const pages = yield* computedPageSteps({ build: state, entry, spec }, planned.pages, parent)
  if (entry.computed?.props.downloadLink === true) pages.push(linkToFile(entry, spec.file, parent))

  return pages
}

/**
 * Returns a function from ascending offsets to line numbers, from 1. Reads the source once for all
 * of them.
 */
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

/** Returns the planned pages of an entry. Entries with the same spec and options share one plan. */
function* planFor(
  { plans }: Expansion,
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

function addIssue({ tree, issues, lineAt }: Expansion, { entry }: PageNode, message: string): void {
  issues.add({ message, path: tree.summaryPath, ...(entry && { line: lineAt(entry.range.start) }) })
}

const countOf = (pages: readonly PlannedPage[]): number =>
  pages.reduce((sum, page) => sum + 1 + countOf(page.pages), 0)

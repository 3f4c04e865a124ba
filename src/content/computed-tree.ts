import { digestId } from '../lib/digest.ts'
import { type SharedMap, sharedMapSteps } from '../lib/shared-map.ts'
import type { Steps } from '../lib/slices.ts'
import { type PlannedPage, planPages } from './computed-outline.ts'
import type { OpenapiOutline } from './openapi.ts'
import { foldSlug, slugOfTitle, uniqueSlug } from './slug.ts'
import { type ContentTree, keyed, type PageNode, parentOf } from './tree.ts'
import { lineCounter, type TreeIssue } from './tree-issues.ts'
import { splitEmoji } from './tree-title.ts'

/** A version of a description, as pages are made of it; `file` is the address of what it was read from. */
export type ComputedSpec = {
  specId: string
  slug: string
  versionId: string
  outline: OpenapiOutline
  file: string
}

/** What the text of a computed page is made of. */
export type ComputedText = Pick<ComputedSpec, 'slug' | 'versionId'> &
  Pick<PlannedPage, 'title' | 'pieces' | 'single'>

/** A tree with the pages that its computed entries stand for, and what their texts are made of, by the pages' ids. */
export type Expanded = { content: ContentTree; texts: ReadonlyMap<string, ComputedText> }

/** The most pages that the entries of one tree may make. */
const mostPages = 20_000

/** The entries of a tree that stand for the pages of an OpenAPI description. */
export const openapiEntries = ({ pageById, summary }: ContentTree): PageNode[] =>
  summary?.source.includes('builtin:openapi')
    ? [...pageById.values()].filter(node => slugOfEntry(node) !== undefined)
    : []

/** The slug of the description that a computed entry names; undefined when it is none of an OpenAPI description. */
export function slugOfEntry({ type, computed }: PageNode): string | undefined {
  if (type !== 'computed' || computed?.type !== 'builtin:openapi') return undefined
  const { spec } = computed.dependencies as { spec?: { ref?: { spec?: unknown } } | null }
  const slug = spec?.ref?.spec
  return typeof slug === 'string' && /^[a-zA-Z0-9-]{1,100}$/.test(slug) ? slug : undefined
}

type Making = {
  tree: ContentTree
  specs: ReadonlyMap<string, ComputedSpec>
  /** The entries that have pages, and every page above one. */
  touched: Set<PageNode>
  texts: Map<string, ComputedText>
  /** The slugs under each path. */
  scopes: Map<string, { taken: Set<string>; next: Map<string, number> }>
  issues: TreeIssue[]
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
  const making: Making = { tree, specs, touched: new Set(), texts: new Map(), scopes: new Map(), issues: [] }
  for (const entry of entries)
    for (let node: PageNode | undefined = entry; node; node = parentOf(tree, node)) making.touched.add(node)
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
    issues: [...tree.issues, ...making.issues],
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
  for (const node of list) {
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
  const planned = planPages(spec.outline, entry.computed!)
  if (making.texts.size + countOf(planned) > mostPages) {
    tell(
      making,
      entry,
      `The pages of "${slug}" are left out: computed entries make more than ${mostPages} pages.`,
    )
    return undefined
  }
  yield
  const pages = yield* makePages({ making, entry, spec }, planned, parent)
  if (entry.computed?.props.downloadLink === true) pages.push(linkTo(entry, spec.file, parent))
  return pages
}

function linkTo(entry: PageNode, target: string, parent: PageNode | undefined): PageNode {
  const node: PageNode = {
    id: digestId(entry.id, 'file'),
    key: `${entry.key}/file`,
    type: 'link',
    title: 'Download the description',
    slug: '',
    path: '',
    target,
    group: entry.group,
    pages: [],
  }
  if (parent) node.parentId = parent.id
  return node
}

function tell({ tree, issues }: Making, { entry }: PageNode, message: string): void {
  const line = entry && tree.summary ? lineCounter(tree.summary.source)(entry.range.start) : undefined
  issues.push({ message, path: tree.summaryPath, ...(line !== undefined && { line }) })
}

const countOf = (pages: readonly PlannedPage[]): number =>
  pages.reduce((sum, page) => sum + 1 + countOf(page.pages), 0)

type Source = { making: Making; entry: PageNode; spec: ComputedSpec }

function* makePages(
  source: Source,
  planned: readonly PlannedPage[],
  parent: PageNode | undefined,
): Steps<PageNode[]> {
  const pages: PageNode[] = []
  for (const plan of planned) {
    const node = makePage(source, plan, parent)
    pages.push(node)
    if (source.making.texts.size % 64 === 0) yield
    if (plan.pages.length > 0) node.pages = yield* makePages(source, plan.pages, node)
  }
  return pages
}

function makePage(
  { making, entry, spec }: Source,
  plan: PlannedPage,
  parent: PageNode | undefined,
): PageNode {
  const { slug: name, specId, versionId } = spec
  const { title, emoji } = splitEmoji(plan.title)
  const prefix = prefixOf(making, parent)
  const slug = takeSlug(making, prefix, slugOfTitle(title))
  const value = { object: 'openapi-spec', id: specId, slug: name, lastVersion: versionId }
  const node: PageNode = {
    id: digestId(entry.id, plan.key),
    key: `${entry.key}/${plan.key}`,
    type: 'document',
    title: title || 'Untitled',
    slug,
    path: prefix + slug,
    group: entry.group,
    pages: [],
    computed: {
      type: 'builtin:openapi',
      props: plan.doc,
      dependencies: { spec: { ref: { kind: 'openapi', spec: slugOfEntry(entry)! }, value } },
      seed: entry.id,
    },
    facts: {
      frontMatter: plan.description === undefined ? {} : { description: plan.description },
      empty: false,
      issues: [],
    },
  }
  if (parent) node.parentId = parent.id
  if (emoji) node.emoji = emoji
  if (plan.icon) node.icon = plan.icon
  const { pieces, single } = plan
  making.texts.set(node.id, { slug: name, versionId, title: plan.title, pieces, single })
  return node
}

/** What the path of a page begins with that stands below another: the path of the nearest one above that has one. */
function prefixOf({ tree }: Making, parent: PageNode | undefined): string {
  let node = parent
  while (node && node.path === '') node = parentOf(tree, node)
  return node ? `${node.path}/` : ''
}

function takeSlug({ tree, scopes }: Making, prefix: string, wanted: string): string {
  let scope = scopes.get(prefix)
  if (!scope) {
    const above = tree.pageByPath.get(prefix.slice(0, -1))
    const taken = new Set(prefix === '' ? ['readme'] : [])
    takenBy(prefix === '' ? tree.pages : (above?.pages ?? []), taken)
    scope = { taken, next: new Map() }
    scopes.set(prefix, scope)
  }
  const slug = uniqueSlug(wanted, scope.taken, scope.next)
  scope.taken.add(foldSlug(slug))
  return slug
}

/** The slugs of a list, and of those below ones that have no address: these share the path of the list. */
function takenBy(pages: readonly PageNode[], taken: Set<string>): void {
  for (const node of pages) {
    if (node.path === '') takenBy(node.pages, taken)
    else taken.add(foldSlug(node.slug))
  }
}

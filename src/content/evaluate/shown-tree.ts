import { sharedMapSteps } from '../../lib/shared-map.ts'
import type { Steps } from '../../lib/slices.ts'
import { isMarkdown } from '../files.ts'
import { type ContentTree, keyed, type PageNode } from '../tree/build.ts'
import { titleWithoutHeading } from '../tree/page-node.ts'
import { isUrl, targetsIn } from '../tree/targets.ts'
import { type PageScope, pageScope } from './evaluator.ts'
import { isConditionMet } from './page.ts'

type Claims = PageScope['visitor']['claims']

type Shown = {
  /** Whether drafts are shown: to a member who may read the space. */
  drafts?: boolean
  /** Returns whether a further page is not shown, by its id. */
  hides?: (page: PageNode) => boolean
}

/**
 * Returns the part of a tree that a reader with these claims is shown. Drafts and pages whose
 * condition is not met are missing with the pages below them, as are links to them, entries without
 * a page of their own that only contained such pages, Markdown files and issues. The first page
 * shown is the landing page if the landing page itself is not shown. In steps; linear in the number
 * of pages, and unchanged parts are shared.
 */
export function* shownTreeSteps(
  tree: ContentTree,
  claims: Claims,
  shown: Shown = {},
): Steps<ContentTree> {
  const isHidden = yield* hiddenPages(tree, claims, shown)
  const state = { tree, isHidden, leadsOut: leadsOut(tree, isHidden) }
  const pages = yield* keepShown(state, tree.pages)
  const files = tree.files.filter(({ path }) => !isMarkdown(path))

  yield
  const all = files.length === tree.files.length

  return {
    ...tree,
    ...(yield* mapsOf(tree, pages)),
    pages,
    files,
    fileById: all ? tree.fileById : yield* sharedMapSteps(keyed(files, file => file.id)),
    fileByPath: all ? tree.fileByPath : yield* sharedMapSteps(keyed(files, file => file.path)),
    issues: [],
  }
}

/**
 * Returns whether every reader is shown all of these pages, with the same titles: none is a draft
 * or has a condition, a title that is evaluated, or a file that cannot be read, and no link
 * contains pages.
 */
export function areShownToAll(pages: Iterable<PageNode>): boolean {
  for (const { type, file, facts, pages: below } of pages) {
    const { condition, draft } = facts?.frontMatter ?? {}
    if (facts?.closed || facts?.varies === 'heading' || condition !== undefined || draft)
      return false
    if ((file && !facts) || (type === 'link' && below.length > 0)) return false
  }
  return true
}

type IsHidden = (page: PageNode) => boolean

/**
 * Returns a test for the pages that are not shown: drafts, those whose condition is not met or
 * unknown, and all below them.
 */
function* hiddenPages(
  { pages, variables }: ContentTree,
  claims: Claims,
  { drafts = false, hides = () => false }: Shown,
): Steps<IsHidden> {
  const hidden = new Set<PageNode>()
  const known = new Map<string, boolean>()
  const isShown = ({ file, facts }: PageNode): boolean => {
    // Nothing is known about a file that cannot be read.
    if (file && (!facts || facts.closed)) return false
    const { condition, draft, vars } = facts?.frontMatter ?? {}
    if (draft && !drafts) return false
    if (condition === undefined) return true

    const key = JSON.stringify([condition, vars])
    const met =
      known.get(key) ??
      isConditionMet(condition, pageScope(variables, vars, claims), 'reader') === true

    known.set(key, met)

    return met
  }
  let seen = 0

  function* walk(nodes: readonly PageNode[], above: boolean): Steps<void> {
    for (const node of nodes) {
      const isOut = above || hides(node) || !isShown(node)
      if (isOut) hidden.add(node)
      if (++seen % 64 === 0) yield
      if (node.pages.length > 0) yield* walk(node.pages, isOut)
    }
  }

  yield* walk(pages, false)

  return page => hidden.has(page)
}

/**
 * Returns a test for targets of links that lead to a page that is not shown, or to the source of
 * one.
 */
function leadsOut(tree: ContentTree, isHidden: IsHidden): (target: string) => boolean {
  const targetOf = targetsIn(tree)
  const isOut = (target: string) => {
    const found = targetOf(target)
    if (!found) return undefined
    return 'page' in found ? isHidden(found.page) : isMarkdown(found.file.path)
  }

  return target => {
    if (isUrl(target)) return false
    const hash = target.indexOf('#')
    return isOut(target) ?? (hash > 0 ? (isOut(target.slice(0, hash)) ?? false) : false)
  }
}

type Keeping = { tree: ContentTree; isHidden: IsHidden; leadsOut: (target: string) => boolean }

function* keepShown(state: Keeping, nodes: PageNode[]): Steps<PageNode[]> {
  const kept: PageNode[] = []
  for (const [at, node] of nodes.entries()) {
    if (at % 64 === 63) yield
    if (state.isHidden(node) || (node.type === 'link' && state.leadsOut(node.target ?? '')))
      continue
    const pages = node.pages.length > 0 ? yield* keepShown(state, node.pages) : node.pages
    if (pages.length === 0 && node.pages.length > 0 && isFrame(node)) continue
    kept.push(shownNode(state.tree, node, pages))
  }

  return kept.length === nodes.length && kept.every((node, at) => node === nodes[at]) ? nodes : kept
}

/** Returns whether an entry has no content of its own. */
const isFrame = ({ type, file, computed }: PageNode): boolean =>
  type === 'group' || (type === 'document' && !file && !computed)

/**
 * Returns a page with these subpages. A title from a heading that readers get evaluated is
 * replaced.
 */
function shownNode({ config }: ContentTree, node: PageNode, pages: PageNode[]): PageNode {
  const title =
    node.file && node.facts?.varies === 'heading' && !node.entry?.title?.trim()
      ? titleWithoutHeading(node.file.path.slice(config.root.length), node.facts)
      : node.title
  return title === node.title && pages === node.pages ? node : { ...node, title, pages }
}

function* mapsOf(
  tree: ContentTree,
  pages: readonly PageNode[],
): Steps<Pick<ContentTree, 'pageById' | 'pageByPath' | 'pageByFile'>> {
  const nodes: PageNode[] = []
  function* gather(list: readonly PageNode[]): Steps<void> {
    for (const node of list) {
      nodes.push(node)
      if (nodes.length % 1024 === 0) yield
      if (node.pages.length > 0) yield* gather(node.pages)
    }
  }

  yield* gather(pages)
  const pageById = yield* sharedMapSteps(keyed(nodes, node => node.id))
  const paths = new Map<string, PageNode>()

  for (const node of nodes) if (node.path !== '') paths.set(node.path, node)
  const first =
    pageById.get(tree.pageByPath.get('')?.id ?? '') ?? nodes.find(({ type }) => type === 'document')
  if (first) paths.set('', first)
  if (first && !paths.has('readme')) paths.set('readme', first)
  yield
  const byFile: [string, PageNode][] = []

  for (const [path, { id }] of tree.pageByFile) {
    const node = pageById.get(id)
    if (node) byFile.push([path, node])
  }

  return {
    pageById,
    pageByPath: yield* sharedMapSteps(paths),
    pageByFile: yield* sharedMapSteps(byFile),
  }
}

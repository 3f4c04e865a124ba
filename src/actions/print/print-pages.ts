import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { Fault, invalid, missing } from '../../errors.ts'

/** A page to print, and its place in the book. */
export type ChosenPage = {
  node: PageNode
  /** The number of printed pages above it. */
  depth: number
  /** The title of the group that starts with it. */
  group?: string
}

/**
 * The requested pages: all, or one by its id, with the pages below it or, with `only`, without
 * them.
 */
export type PrintWish = { page?: string | undefined; only?: boolean | undefined }

/** The most pages of a book. */
export const mostPages = 500

/**
 * Returns the pages of a tree to print, in reading order. Leaves out links, and hidden pages and
 * pages that are not shown together with the pages below them; a hidden page can be requested by
 * its id. Throws 'missing' for an unknown page, 'invalid' for a page that cannot be printed,
 * 'too_large' for more than 500 pages.
 */
export function choosePages(
  content: ContentTree,
  { page, only = false }: PrintWish,
  isShown: (node: PageNode) => boolean = () => true,
): ChosenPage[] {
  const pagesBelow = (nodes: readonly PageNode[], depth = 0) => walk(nodes, depth, isShown)
  if (page === undefined) {
    if (only) throw invalid('"only" requires "page". Set "page" to the id of the page to print.')
    return within(pagesBelow(content.pages), 'The space')
  }

  const node = content.pageById.get(page)
  if (!node) throw missing('page', page)

  if (!isShown(node))
    throw new Fault(
      'condition_unmet',
      `The page "${node.title}" is not shown to you, because its condition is not met.`,
    )

  if (node.type === 'link')
    throw invalid(`"${node.title}" is a link, which has no content to print.`)

  if (!only)
    return within(
      node.type === 'document'
        ? [...alone(node), ...pagesBelow(node.pages, 1)]
        : pagesBelow([node]),
      `"${node.title}"`,
    )

  if (node.type !== 'document')
    throw invalid(
      `"${node.title}" has no text of its own. Leave out "only" to print the pages below it.`,
    )

  return alone(node)
}

/** Returns the pages of a tree that are printed where no page is named, however many. */
export const allPages = ({ pages }: ContentTree): PageNode[] =>
  walk(pages, 0, () => true).map(({ node }) => node)

const alone = (node: PageNode): ChosenPage[] => [{ node, depth: 0 }]

function walk(
  nodes: readonly PageNode[],
  depth: number,
  isShown: (node: PageNode) => boolean,
): ChosenPage[] {
  const chosen: ChosenPage[] = []
  // Without recursion: a tree may be thousands of levels deep.
  const waiting = nodes.map(node => ({ node, depth })).reverse()
  let group: string | undefined

  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, depth } = next
    if (node.type === 'link' || node.facts?.frontMatter.hidden || !isShown(node)) continue
    const isGroup = node.type === 'group'

    if (isGroup) group = node.title
    else if (node.type === 'document') {
      chosen.push({ node, depth, ...(group !== undefined && { group }) })
      group = undefined
    }

    const below = node.type === 'document' ? depth + 1 : depth

    for (let i = node.pages.length - 1; i >= 0; i--)
      waiting.push({ node: node.pages[i]!, depth: below })
  }

  return chosen
}

function within(chosen: ChosenPage[], what: string): ChosenPage[] {
  if (chosen.length <= mostPages) return chosen
  const count = chosen.length.toLocaleString('en')
  throw new Fault(
    'result_too_large',
    `${what} has ${count} pages, and a PDF can have at most ${mostPages}. Set "page" to the id of a page to print only that page and the pages below it.`,
    { pages: chosen.length, most: mostPages },
  )
}

import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { Fault, invalid, missing } from '../../errors.ts'

/** A page that is to be printed, where it stands in the book. */
export type ChosenPage = {
  node: PageNode
  /** How many of the printed pages stand above it. */
  depth: number
  /** The title of the group that begins with it. */
  group?: string
}

/** Which pages are wanted: all, or one by its id with those below it, or that one alone. */
export type PrintWish = { page?: string | undefined; only?: boolean | undefined }

/** More pages than this are no book that anybody waits for. */
export const mostPages = 500

/**
 * The pages of a tree to print, in reading order. Hidden pages are left out with what is below them, unless one is asked
 * for by its id, and so are those that are not to be shown; links have nothing to print. Throws 'missing' for an unknown page, 'invalid' for one without a text of its
 * own that is wanted alone, 'too_large' beyond 500 pages.
 */
export function choosePages(
  content: ContentTree,
  { page, only = false }: PrintWish,
  isShown: (node: PageNode) => boolean = () => true,
): ChosenPage[] {
  const pagesBelow = (nodes: readonly PageNode[], depth = 0) => walk(nodes, depth, isShown)
  if (page === undefined) {
    if (only) throw invalid('"only" says that one page is wanted: name it with "page".')
    return within(pagesBelow(content.pages), 'The space')
  }
  const node = content.pageById.get(page)
  if (!node) throw missing('page', page)
  if (!isShown(node))
    throw new Fault(
      'missing',
      `The condition of the page "${node.title}" is not met, so it is not shown to you.`,
    )
  if (node.type === 'link')
    throw invalid(`"${node.title}" is a link: there is nothing on it that could be printed.`)
  if (!only)
    return within(
      node.type === 'document' ? [...alone(node), ...pagesBelow(node.pages, 1)] : pagesBelow([node]),
      `"${node.title}"`,
    )
  if (node.type !== 'document')
    throw invalid(`"${node.title}" has no text of its own: leave out "only" to get the pages below it.`)
  return alone(node)
}

const alone = (node: PageNode): ChosenPage[] => [{ node, depth: 0 }]

function walk(nodes: readonly PageNode[], depth: number, isShown: (node: PageNode) => boolean): ChosenPage[] {
  const chosen: ChosenPage[] = []
  // Without calling itself: a tree may be thousands of levels deep.
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
    for (let i = node.pages.length - 1; i >= 0; i--) waiting.push({ node: node.pages[i]!, depth: below })
  }
  return chosen
}

function within(chosen: ChosenPage[], what: string): ChosenPage[] {
  if (chosen.length <= mostPages) return chosen
  const count = chosen.length.toLocaleString('en')
  throw new Fault(
    'too_large',
    `${what} has ${count} pages, and a PDF at most ${mostPages}: ask for a part of it, with the id of a page as "page" for that page and those below it.`,
    { pages: chosen.length, most: mostPages },
  )
}

import { finderOf, fold, markerOf, passagesOf } from '../../content/search/passages.ts'
import { type Section, sectionSteps } from '../../content/search/sections.ts'
import { type SearchTerm, searchTerms } from '../../content/search/words.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import { atOnce } from '../../lib/slices.ts'
import { isListed } from '../place/order.ts'
import type { SearchHit } from '../views/model.ts'
import type { Book } from './book.ts'
import { operationWords } from './operation-words.ts'

/** A page as a search reads it: texts in the form in which terms are found. */
type Shelved = {
  book: Book
  node: PageNode
  path: string
  sections: Section[]
  title: string
  names: string
  body: string
}

/** All pages of the books. */
export type Shelf = readonly Shelved[]

/** Returns the pages of books with the texts that a search reads. */
export const shelfOf = (document: unknown, books: readonly Book[]): Shelf =>
  books.flatMap(book => {
    const pages = [...book.content.pageById.values()].filter(
      node => node.type === 'document' && isListed(node),
    )
    return pages.map(node => shelve(document, book, node))
  })

function shelve(document: unknown, book: Book, node: PageNode): Shelved {
  const operation = book.operationOf(node)
  const described = operation && operationWords(document, operation)
  const sections = described
    ? [{ heading: '', anchor: '', body: described.text }]
    : sectionsOf(book, node)
  const names = described?.names ?? sections.map(({ heading }) => heading).join('\n')
  const body = sections.map(section => section.body).join('\n')
  const crumbs: string[] = []
  for (let at = parentOf(book.content, node); at; at = parentOf(book.content, at))
    crumbs.unshift(at.title)

  return {
    book,
    node,
    path: [book.title, ...crumbs].join(' / '),
    sections,
    title: fold(node.title),
    names: fold(names),
    body: fold(body),
  }
}

/** Returns the sections of a page. Of a schema or a tag, only the title is searched. */
const sectionsOf = (book: Book, node: PageNode): Section[] =>
  book.name === 'manual' || node.file
    ? atOnce(sectionSteps(book.textOf(node).text, node.file?.path)).sections
    : []

/** How much a term counts in each part of a page. */
const weights = { title: 9, names: 3, body: 1 } as const

/** The pages that a search finds, best first, and the words that none of them has. */
type BookFound = { hits: SearchHit[]; count: number; without: string[] }

/**
 * Searches pages for the words of a query: those with all of them, or else those with the most.
 */
export function searchShelf(
  shelf: Shelf,
  query: string,
  limit: number,
  hrefOf: (book: Book, node: PageNode) => string,
): BookFound {
  const terms = searchTerms(query, 'en')
  if (terms.length === 0) return { hits: [], count: 0, without: [] }
  const finders = terms.map(term => finderOf([term]))
  const scored = shelf.flatMap(page => {
    const scores = finders.map(find => scoreOf(page, find))
    const found = scores.filter(score => score > 0).length
    return found === 0 ? [] : [{ page, scores, found, score: scores.reduce((a, b) => a + b) }]
  })
  const most = scored.reduce((best, { found }) => Math.max(best, found), 0)
  const best = scored
    .filter(({ found }) => found === most)
    .sort((a, b) => b.score - a.score || a.page.title.length - b.page.title.length)
  const [first] = best
  const without = first
    ? terms.filter((_, at) => first.scores[at] === 0).map(({ words }) => words.join(' '))
    : []
  const hits = best.slice(0, limit).map(({ page }) => hitOf(page, terms, hrefOf))

  return { hits, count: best.length, without }
}

function scoreOf(page: Shelved, find: ReturnType<typeof finderOf>): number {
  const isIn = (text: string) => (find(text).count > 0 ? 1 : 0)
  return (
    weights.title * isIn(page.title) +
    weights.names * isIn(page.names) +
    weights.body * isIn(page.body)
  )
}

function hitOf(
  { book, node, path, sections }: Shelved,
  terms: readonly SearchTerm[],
  hrefOf: (book: Book, node: PageNode) => string,
): SearchHit {
  const [passage] = passagesOf(sections, finderOf(terms))
  const anchor = passage?.anchor ? `#${encodeURIComponent(passage.anchor)}` : ''
  return {
    title: passage?.heading || node.title,
    path: passage?.heading ? `${path} / ${node.title}` : path,
    href: hrefOf(book, node) + anchor,
    passage: passage ? [...markerOf(terms)(passage.body)] : [],
  }
}

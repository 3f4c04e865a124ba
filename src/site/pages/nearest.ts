import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { readingOrder } from '../place/order.ts'

/** The most pages that are compared, and that are returned. */
const mostCompared = 5_000
const mostReturned = 3

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length > 1)
    .slice(0, 20)

/**
 * Returns the pages whose paths and titles share most words, or beginnings of words, with a path;
 * the best first.
 */
export function nearestPages(content: ContentTree, path: string): PageNode[] {
  const wanted = wordsOf(path.slice(0, 500))
  if (wanted.length === 0) return []
  const { pages } = readingOrder(content)

  return pages
    .slice(0, mostCompared)
    .map((node, at) => ({
      node,
      at,
      score: scoreOf(wanted, new Set(wordsOf(`${node.path} ${node.title}`))),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, mostReturned)
    .map(({ node }) => node)
}

/**
 * Returns the share of the wanted words that are there, those of which only the beginning is there
 * by half.
 */
function scoreOf(wanted: readonly string[], there: ReadonlySet<string>): number {
  let score = 0
  for (const word of wanted) {
    if (there.has(word)) score += 1
    else if (word.length > 3 && [...there].some(each => each.startsWith(word.slice(0, 4))))
      score += 0.5
  }
  return score / (wanted.length + there.size / 4)
}

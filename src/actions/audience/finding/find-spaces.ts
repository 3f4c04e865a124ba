import { listVisible } from '../../../access/visible.ts'
import type { Context } from '../../../context.ts'
import { mustGet } from '../../../lib/must-get.ts'
import { pauses } from '../../../lib/slices.ts'
import {
  type IdRange,
  listFound,
  listSearchNumbers,
  matchPages,
  type SearchTable,
  type SearchTerms,
} from '../../../store/search/search.ts'
import { numberOf, pageRange } from '../../../store/search/search-index.ts'
import { listSpaces } from '../../../store/spaces/spaces.ts'
import type { Store } from '../../../store/store.ts'
import type { FoundShown } from './found-by-reader.ts'
import { type MatchingPage, rankPages, relevantOf } from './rank-pages.ts'
import { closenessIn, placesOf, roundsOf, turnsOf, type Wanted, weighed } from './turns.ts'

/** The maximum number of pages of one space that are shown, unless the search wants more. */
export const mostPages = 10
const mostSpaces = 300
/**
 * The number of ranges of the index that are searched at a time, and of pages that are read in
 * each.
 */
const mostRanges = 100
const mostTogether = 32
/**
 * The number of spaces that are searched one by one, in one query, where their pages together are
 * too many.
 */
const mostAlone = 32

/** A space with matches, its best pages first. */
export type FoundSpace = { id: string; number: number; rank: number; pages: FoundShown[] }

/** Returns the spaces of an organization that the user may read, by their number in the index. */
export function visibleNumbers(
  ctx: Context,
  { organizationId, userId }: { organizationId: string; userId: string },
): Map<number, string> {
  const visible = listVisible(
    ctx,
    { organizationId, userId, kind: 'space' },
    Number.POSITIVE_INFINITY,
    undefined,
    (limit, after, among) => listSpaces(ctx.store, { organizationId }, limit, after, among),
  )
  return numbersOf(ctx.store, new Set(visible.map(({ row }) => row.id)))
}

/** Returns the spaces with these ids that are in the index, by their number there. */
export function numbersOf(store: Store, ids: ReadonlySet<string>): Map<number, string> {
  const found = new Map<number, string>()
  for (const { number, space_id } of listSearchNumbers(store))
    if (ids.has(space_id)) found.set(number, space_id)
  return found
}

/**
 * Returns the page ids of some spaces as the smallest number of ranges without ids of other spaces.
 */
function rangesOf(store: Store, mine: (number: number) => boolean): IdRange[] {
  const ranges: [from: number, to: number][] = []
  let open = false
  for (const { number } of listSearchNumbers(store)) {
    const isMine = mine(number)
    const [from, to] = pageRange(number)
    if (isMine && open) ranges.at(-1)![1] = to
    else if (isMine) ranges.push([from, to])
    open = isMine
  }

  return ranges
}

/**
 * Returns the ids of pages that have the terms in one place, for spaces in the order of their
 * numbers: the first pages of each, up to a number of spaces. Neighbouring spaces are searched
 * together until that finds too many pages.
 */
async function pagesIn(
  store: Store,
  table: SearchTable,
  terms: SearchTerms,
  {
    mine,
    most,
    signal,
  }: { mine: (number: number) => boolean; most: number; signal?: AbortSignal | undefined },
): Promise<Map<number, number[]>> {
  const bySpace = new Map<number, number[]>()
  const numbers = listSearchNumbers(store).flatMap(({ number }) => (mine(number) ? [number] : []))
  const add = (ids: readonly number[]) => {
    for (const id of ids) {
      const held = bySpace.get(numberOf(id))
      if (!held) bySpace.set(numberOf(id), [id])
      else if (held.length < most) held.push(id)
    }
  }
  const pause = pauses(signal)
  let ranges = rangesOf(store, mine)

  while (ranges.length > 0 && bySpace.size < mostSpaces) {
    const some = ranges.slice(0, mostRanges)
    const ids = matchPages(store, table, terms, some, mostTogether)
    if (!some.some(range => countIn(ids, range) === mostTogether)) {
      add(ids)
      ranges = ranges.slice(some.length)
    } else {
      const alone = numbers.filter(number => number >= numberOf(ids[0]!)).slice(0, mostAlone)
      add(matchPages(store, table, terms, alone.map(pageRange), most))
      const next = pageRange(alone.at(-1)!)[1] + 1
      ranges = ranges.flatMap(([from, to]): IdRange[] =>
        to < next ? [] : [[Math.max(from, next), to]],
      )
    }

    await pause()
  }

  return bySpace
}

const countIn = (ids: readonly number[], [from, to]: IdRange): number =>
  ids.filter(id => id >= from && id <= to).length

/** After how many pages of all spaces a search reads no further turn. */
const mostMatching = 3_000
/**
 * How many pages are compared: of a space, of all together, and of each of many where some of the
 * terms are enough.
 */
const mostOfSpace = 150
const mostOfAll = 200
const mostOfSome = 40

/**
 * Returns those of some spaces (by their number in the index) that have pages with all terms, or
 * some if that is enough, best first; at most a few hundred. Searches only the pages of those
 * spaces, of which the caller has to be shown all.
 */
export async function findSpacesWith(
  store: Store,
  mine: ReadonlyMap<number, string>,
  asked: Wanted,
): Promise<FoundSpace[]> {
  const found = await matchingSpaces(store, mine, weighedIn(store, mine, asked))
  return asked.any ? relevantSpaces(found) : found
}

/** Returns spaces with those of their pages that are not much less relevant than the best. */
export function relevantSpaces(spaces: readonly FoundSpace[]): FoundSpace[] {
  const bySpace = new Map<number, FoundSpace['pages']>()
  for (const page of relevantOf(spaces.flatMap(({ pages }) => pages))) {
    const number = numberOf(page.row.id)
    const held = bySpace.get(number)
    if (held) held.push(page)
    else bySpace.set(number, [page])
  }

  const relevant = spaces.flatMap(space => {
    const pages = bySpace.get(space.number)
    const rank = pages?.[0]?.rank
    return pages && rank !== undefined ? [{ ...space, rank, pages }] : []
  })

  return bestFirst(relevant)
}

/** Returns spaces like `findSpacesWith`, also with pages of little relevance. */
export async function matchingSpaces(
  store: Store,
  mine: ReadonlyMap<number, string>,
  wanted: Wanted,
): Promise<FoundSpace[]> {
  const { most = mostPages } = wanted
  const matching = await matchingIn(store, mine, wanted)
  const found = new Map<number, FoundSpace>()

  for (const page of await rankPages(store, matching, wanted)) {
    const number = numberOf(page.row.id)
    const { rank } = page
    const space = found.get(number) ?? { id: mustGet(mine, number), number, rank, pages: [] }
    found.set(number, space)
    if (space.pages.length < most) space.pages.push(page)
  }

  return bestFirst([...found.values()])
}

/** Returns a search of some spaces with the importance of its terms. */
export const weighedIn = (
  store: Store,
  mine: ReadonlyMap<number, string>,
  wanted: Wanted,
): Wanted => weighed(store, wanted, wanted.any ? rangesOf(store, number => mine.has(number)) : [])

/** Returns the pages of the primary contents of some spaces that a search finds, each once. */
async function matchingIn(
  store: Store,
  mine: ReadonlyMap<number, string>,
  wanted: Wanted,
): Promise<MatchingPage[]> {
  const closenessOf = new Map<number, number | undefined>()
  const { any, exists, signal, most: mostShown = mostPages } = wanted
  // The best pages of a common word are anywhere among those that have it.
  const share = exists ? 0 : Math.min(mostOfSpace, Math.ceil(mostOfAll / Math.max(1, mine.size)))
  const most = Math.max(mostShown, share, any ? mostOfSome : 0)
  let counts = new Map<number, number>()

  // Worse places, and words with a prefix, are only searched where there is room for further pages.
  const hasRoom = (number: number) => mine.has(number) && (counts.get(number) ?? 0) < most

  for (const round of roundsOf(wanted)) {
    counts = new Map()
    for (const of of placesOf(wanted))
      for (const turn of turnsOf(wanted, of, round)) {
        const bounds = { mine: hasRoom, most, signal }
        if (closenessOf.size >= mostMatching) break
        for (const [number, ids] of await pagesIn(store, of.table, turn.terms, bounds)) {
          const fresh = ids.filter(id => !closenessOf.has(id))
          for (const id of fresh) closenessOf.set(id, closenessIn(of.table, turn))
          counts.set(number, (counts.get(number) ?? 0) + fresh.length)
        }
      }
  }

  const seen = new Set<string>()
  const found: MatchingPage[] = []
  const ids = [...closenessOf.keys()]
  const pause = pauses(signal)

  for (let at = 0; at < ids.length; at += 200) {
    for (const row of listFound(store, ids.slice(at, at + 200))) {
      const key = `${numberOf(row.id)} ${row.page_id}`
      if (!row.head || seen.has(key)) continue
      seen.add(key)
      found.push({ row, closeness: closenessOf.get(row.id) })
    }
    await pause()
  }

  return found
}

/** Returns spaces by their best pages. */
export const bestFirst = (spaces: readonly FoundSpace[]): FoundSpace[] =>
  spaces.toSorted((a, b) => a.rank - b.rank || a.number - b.number)

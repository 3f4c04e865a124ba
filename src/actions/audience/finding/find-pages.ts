import { pauses } from '../../../lib/slices.ts'
import { listFound, matchPieces } from '../../../store/search/search.ts'
import { pageIdOf, pageRange } from '../../../store/search/search-index.ts'
import type { Store } from '../../../store/store.ts'
import type { SearchPageRow } from '../../../store/tables/rows.ts'
import { type MatchingPage, type RankedPage, rankPages } from './rank-pages.ts'
import {
  closenessIn,
  placesOf,
  roundsOf,
  type Turn,
  turnsOf,
  type Wanted,
  weighed,
} from './turns.ts'

/** No further place is searched for more pages than this. */
const mostFound = 300
/** The maximum number of index pieces that are read for one place. */
const mostRead = 12_000

/** Ids of pages that a turn finds. */
type IdsOfTurn = { ids: number[]; turn: Turn }

/** Yields the ids of pages that the turns find in one place, from `most` pieces at a time. */
function* idsIn(
  store: Store,
  { table, most }: ReturnType<typeof placesOf>[number],
  turns: readonly Turn[],
  [first, to]: readonly [from: number, to: number],
): Generator<IdsOfTurn, void, void> {
  const seen = new Set<number>()
  let read = 0
  for (const turn of turns) {
    let from = first
    for (; read < mostRead; read += most) {
      const pieces = matchPieces(store, table, turn.terms, [from, to], most)
      const ids = [...new Set(pieces.map(pageIdOf))].filter(id => !seen.has(id))
      for (const id of ids) seen.add(id)
      yield { ids, turn }
      if (pieces.length < most) break
      from = pieces.at(-1)! + 1
    }
  }
}

/**
 * Returns the best pages of one space that contain all terms, or some if that is enough, and that
 * `fits` accepts, best first, each once; at most a few hundred. Pages that do not fit take no
 * places: the index may contain many older or proposed versions of pages.
 */
export async function findPages(
  store: Store,
  number: number,
  asked: Wanted,
  fits: (row: SearchPageRow) => boolean,
): Promise<RankedPage[]> {
  const range = pageRange(number)
  const wanted = weighed(store, asked, [range])
  const fitting = new Map<number, boolean>()
  const seen = new Set<string>()
  const found: MatchingPage[] = []
  const pause = pauses(wanted.signal)

  const searched = roundsOf(wanted).flatMap(round => placesOf(wanted).map(of => ({ round, of })))

  for (const { round, of } of searched) {
    if (found.length >= mostFound) break
    let count = 0
    for (const { ids, turn } of idsIn(store, of, turnsOf(wanted, of, round), range)) {
      const fresh = ids.filter(id => !fitting.has(id))
      for (const id of ids) if (fitting.get(id)) count++

      for (const row of listFound(store, fresh)) {
        if (count >= of.most) break
        const isFitting = fits(row)
        fitting.set(row.id, isFitting)
        if (!isFitting) continue
        count++
        if (seen.has(row.page_id)) continue
        seen.add(row.page_id)
        found.push({ row, closeness: closenessIn(of.table, turn) })
      }

      // Prefixes are only searched when whole words leave room: all words with a prefix have to be
      // merged first.
      if (count >= of.most) break
      await pause()
    }
  }

  return rankPages(store, found, wanted)
}

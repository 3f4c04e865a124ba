import type { Steps } from '../../lib/slices.ts'
import type { Pair } from '../text/align.ts'
import type { Item } from './keys.ts'
import { type Bags, likeness } from './likeness.ts'

/** With more combinations, a new item is compared with the next few former ones only. */
const mostCombinations = 1600
const nextFew = 8
/** Where only the next few are compared, this likeness is enough. */
const enough = 0.6

/**
 * Pairs former items with the new ones that are like them, in order. The work is proportional to
 * the number of items.
 */
export function* pairLike(bags: Bags, gone: readonly Item[], come: readonly Item[]): Steps<Pair[]> {
  if (gone.length === 0 || come.length === 0) return []
  if (gone.length * come.length > mostCombinations) return yield* pairNext(bags, gone, come)
  return yield* pairBest(bags, gone, come)
}

/** Returns the pairs in order whose likenesses have the greatest sum. */
function* pairBest(bags: Bags, gone: readonly Item[], come: readonly Item[]): Steps<Pair[]> {
  const width = come.length + 1
  const like = new Float64Array(gone.length * width)
  const best = new Float64Array((gone.length + 1) * width)

  for (let g = gone.length - 1; g >= 0; g--) {
    for (let c = come.length - 1; c >= 0; c--) {
      const share = likeness(bags, gone[g]!, come[c]!)
      like[g * width + c] = share
      const alone = Math.max(best[(g + 1) * width + c]!, best[g * width + c + 1]!)
      best[g * width + c] = Math.max(alone, share > 0 ? share + best[(g + 1) * width + c + 1]! : 0)
    }
    yield
  }

  const pairs: Pair[] = []

  for (let g = 0, c = 0; g < gone.length && c < come.length; ) {
    const now = best[g * width + c]!
    const share = like[g * width + c]!
    if (share > 0 && now === share + best[(g + 1) * width + c + 1]!) pairs.push([g++, c++])
    else if (now === best[(g + 1) * width + c]) g++
    else c++
  }

  return pairs
}

function* pairNext(bags: Bags, gone: readonly Item[], come: readonly Item[]): Steps<Pair[]> {
  const pairs: Pair[] = []
  let at = 0
  for (let c = 0; c < come.length && at < gone.length; c++) {
    let found = -1
    let most = 0
    for (let g = at; g < Math.min(gone.length, at + nextFew) && most < enough; g++) {
      const share = likeness(bags, gone[g]!, come[c]!)
      if (share > most) {
        most = share
        found = g
      }
    }

    if (found >= 0) {
      pairs.push([found, c])
      at = found + 1
    }

    if (c % 16 === 15) yield
  }

  return pairs
}

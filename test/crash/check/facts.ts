import type { Space } from '../ledger.ts'
import type { Rows } from './rows.ts'

/**
 * Compares the facts in the rows with those promised: each once, those in doubt at most once, and
 * no others.
 */
export function checkFacts(rows: Rows, space: Space): string[] {
  const counts = new Map<string, number>()
  for (const { space_id, fact } of rows.facts)
    if (space_id === space.id) counts.set(fact, (counts.get(fact) ?? 0) + 1)
  const found: string[] = []

  for (const [fact, word] of space.facts) {
    const count = counts.get(fact) ?? 0
    if (count > 1) found.push(`"${fact}" is true ${count} times`)
    if (count === 0 && word === 'yes') found.push(`"${fact}" was promised, but is not true`)
    if (count > 0 && word === 'no') found.push(`"${fact}" was refused or taken back, but is true`)
    space.facts.set(fact, count > 0 ? 'yes' : 'no')
  }

  // A lost response had the ids of these; their texts are known.
  for (const fact of counts.keys())
    if (!space.facts.has(fact) && !/^(comment|reply|review) /.test(fact))
      found.push(`no client said "${fact}"`)

  return found.map(problem => `space ${space.id}: ${problem}`)
}

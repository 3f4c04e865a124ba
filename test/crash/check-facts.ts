import type { Space } from './ledger.ts'
import type { Rows } from './rows.ts'

/** What people said about a space stands in the rows once, what is in doubt once or not, and nothing that nobody said. */
export function checkFacts(rows: Rows, space: Space): string[] {
  const counts = new Map<string, number>()
  for (const { space_id, fact } of rows.facts)
    if (space_id === space.id) counts.set(fact, (counts.get(fact) ?? 0) + 1)
  const found: string[] = []
  for (const [fact, word] of space.facts) {
    const count = counts.get(fact) ?? 0
    if (count > 1) found.push(`"${fact}" is so ${count} times`)
    if (count === 0 && word === 'yes') found.push(`"${fact}" was promised and is not so`)
    if (count > 0 && word === 'no') found.push(`"${fact}" was refused, or taken back, and is so`)
    space.facts.set(fact, count > 0 ? 'yes' : 'no')
  }
  // An answer that never came would have told the ids of these; their texts are known.
  for (const fact of counts.keys())
    if (!space.facts.has(fact) && !/^(comment|reply|review) /.test(fact)) found.push(`nobody said "${fact}"`)
  return found.map(problem => `space ${space.id}: ${problem}`)
}

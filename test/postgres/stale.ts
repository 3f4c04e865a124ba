import type { Store } from '../../src/store/store.ts'
import { readTitle, writeTitle } from './bench.ts'

/**
 * Writes at one node and reads a remembered row at the other, many times. Returns how many reads did
 * not see the write before them.
 */
export async function findStale(
  here: Store,
  there: Store,
  { pairs, passes }: { pairs: number; passes: boolean },
): Promise<number> {
  let stale = 0
  await here.gate?.pass()
  await there.gate?.pass()
  for (let pair = 0; pair < pairs; pair++) {
    const [writer, reader] = pair % 4 < 2 ? [here, there] : [there, here]
    const title = `title ${pair} ${passes}`
    writeTitle(writer, 'globex', title)
    if (passes) await reader.gate?.pass()
    const read = reader.remember('title', () => readTitle(reader, 'globex'), {
      organizationId: 'globex',
    })
    if (read !== title) stale++
  }
  return stale
}

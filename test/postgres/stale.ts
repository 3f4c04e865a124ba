import type { Store } from '../../src/store/store.ts'
import { readTitle, writeTitle } from './bench.ts'

/**
 * Writes an organization at one node and reads it, remembered, at the other, many times. Returns how many reads did
 * not see the write before them.
 */
export async function findStale(
  here: Store,
  there: Store,
  { pairs, passes, id }: { pairs: number; passes: boolean; id: string },
): Promise<number> {
  let stale = 0
  await here.gate?.pass()
  await there.gate?.pass()
  for (let pair = 0; pair < pairs; pair++) {
    const [writer, reader] = pair % 4 < 2 ? [here, there] : [there, here]
    const title = `title ${pair} ${passes}`
    writeTitle(writer, id, title)
    if (passes) await reader.gate?.pass()
    const scope = { organizationId: id }
    const read = reader.remember(`title ${id}`, () => readTitle(reader, id), scope)
    if (read !== title) stale++
  }
  return stale
}

import { once } from 'node:events'
import { type Figure, setRunTurn } from '../figure.ts'
import { rows } from '../rows/all.ts'

/** What a checkout measures of a row: `turns` has the values of each work that is measured in turns. */
export type Side = { figures: Figure[]; turns: (readonly number[])[] }

/**
 * Measures a row for `compare-row.ts`, the parent process. Waits for a message before it begins and after each
 * turn of `interleave`, and sends the result last.
 */
const [row = '', rounds = '', seconds = ''] = process.argv.slice(2)
const turns = new Set<readonly number[]>()
// An exit ends the servers; a signal would leave them.
process.once('disconnect', () => process.exit())
await once(process, 'message')
setRunTurn(async (turn, values) => {
  turns.add(values)
  const value = await turn()
  const next = once(process, 'message')
  process.send?.('next')
  await next
  return value
})

const measure = rows[row]
const figures = (await measure?.({ rounds: Number(rounds), seconds: Number(seconds) })) ?? []
process.send?.({ figures, turns: [...turns] } satisfies Side, () => process.disconnect())

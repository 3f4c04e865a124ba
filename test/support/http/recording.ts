import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Exchange, isPartial } from '../conformance.ts'

const folder = process.env.RECORD_EXAMPLES

/**
 * Keeps an exchange that succeeded in the folder `RECORD_EXAMPLES`, from which
 * `test/examples/choose.ts` chooses the examples of the API document.
 */
export function record(exchange: Exchange, sent: unknown): void {
  const { status, path } = exchange
  if (!folder || status >= 300 || !path.startsWith('/v1/') || isPartial(path)) return
  const line = JSON.stringify({ ...exchange, sent })
  if (line.length < 50_000) appendFileSync(join(folder, `${process.pid}.jsonl`), `${line}\n`)
}

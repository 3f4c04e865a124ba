import { readFileSync } from 'node:fs'
import { type Column, columns } from './callers.ts'

/** The table's entry for one way to call an operation. */
export type Line = { name: string; operationId: string; cells: Record<Column, string> }

const width = 44

/** Returns a line in the notation of the table. */
export const writeLine = (name: string, cells: Record<Column, string>): string =>
  [name.padEnd(width), ...columns.map(column => cells[column].padEnd(column.length))]
    .join('  ')
    .trimEnd()

/** Returns the lines of table.txt in order. Throws for an invalid line, naming it. */
export function readTable(): Line[] {
  const text = readFileSync(new URL('table.txt', import.meta.url), 'utf8')
  const lines: Line[] = []
  let head: string[] | undefined

  for (const [index, raw] of text.split('\n').entries()) {
    const words = raw.replace(/#.*$/, '').split(/\s+/).filter(Boolean)
    const fail = (why: string) => new Error(`table.txt:${index + 1}: ${why}: ${raw}`)
    const [name, ...found] = words
    if (name === undefined) continue

    if (!head) {
      head = found
      if (name !== 'operation' || found.join() !== columns.join())
        throw fail('the head names other columns')
      continue
    }

    if (found.length !== columns.length)
      throw fail(`${found.length} statuses, there are ${columns.length} columns`)

    const wrong = found.find(cell => !/^(?:ok|\d{3})$/.test(cell))
    if (wrong) throw fail(`"${wrong}" is no status`)
    if (lines.some(line => line.name === name)) throw fail('is listed twice')

    const cells = Object.fromEntries(
      columns.map((column, n) => [column, found[n]]),
    ) as Line['cells']

    lines.push({ name, operationId: name.split('@', 1)[0] as string, cells })
  }

  return lines
}

import { readFileSync } from 'node:fs'
import { type Column, columns } from './callers.ts'

/** The table's entry for one way to call an operation. */
export type Line = { name: string; operationId: string; cells: Record<Column, string> }

const width = 44

/** Returns a line in the notation of the table. */
export const writeLine = (
  name: string,
  cells: Record<Column, string>,
  nameWidth: number = width,
): string =>
  [name.padEnd(nameWidth), ...columns.map(column => cells[column].padEnd(column.length))]
    .join('  ')
    .trimEnd()

/**
 * Returns the lines of a table in order. The words before the cells are the name; `head` is those of the
 * first line. Throws for an invalid line, naming it.
 */
export function readTable(file = 'table.txt', head = 'operation'): Line[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const lines: Line[] = []
  let hasHead = false

  for (const [index, raw] of text.split('\n').entries()) {
    const words = raw.replace(/#.*$/, '').split(/\s+/).filter(Boolean)
    const fail = (why: string) => new Error(`${file}:${index + 1}: ${why}: ${raw}`)
    if (words.length === 0) continue
    const name = words.slice(0, -columns.length).join(' ')
    const found = words.slice(-columns.length)

    if (!hasHead) {
      hasHead = true
      if (name !== head || found.join() !== columns.join())
        throw fail('the head names other columns')
      continue
    }

    if (name.split(' ').length !== head.split(' ').length || name === '')
      throw fail(`there are ${columns.length} columns of statuses`)

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

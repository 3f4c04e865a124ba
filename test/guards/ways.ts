import { readFileSync } from 'node:fs'

/** The entry of a table for one way, by column. */
export type WayLine = { way: string; cells: Record<string, string> }

/**
 * Returns the lines of ways.txt or files.txt in order. Throws for a line with a wrong number of
 * cells.
 */
export function readWays(table: 'ways.txt' | 'files.txt' = 'ways.txt'): WayLine[] {
  const text = readFileSync(new URL(table, import.meta.url), 'utf8')
  const rows = text
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('#'))
    .map(line => line.trim().split(/\s+/))
  const [head = [], ...lines] = rows

  return lines.map(([way = '', ...cells]) => {
    if (cells.length !== head.length - 1)
      throw new Error(`${table}: "${way}" has ${cells.length} cells`)
    return { way, cells: Object.fromEntries(cells.map((cell, at) => [head[at + 1], cell])) }
  })
}

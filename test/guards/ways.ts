import { readFileSync } from 'node:fs'

/** The entry of ways.txt for one way, by column. */
export type WayLine = { way: string; cells: Record<string, string> }

/** Returns the lines of ways.txt in order. Throws for a line with a wrong number of cells. */
export function readWays(): WayLine[] {
  const text = readFileSync(new URL('ways.txt', import.meta.url), 'utf8')
  const rows = text
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('#'))
    .map(line => line.trim().split(/\s+/))
  const [head = [], ...lines] = rows
  return lines.map(([way = '', ...cells]) => {
    if (cells.length !== head.length - 1) throw new Error(`ways.txt: "${way}" has ${cells.length} cells`)
    return { way, cells: Object.fromEntries(cells.map((cell, at) => [head[at + 1], cell])) }
  })
}

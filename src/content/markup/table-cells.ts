import type MarkdownIt from 'markdown-it'
import type { Token } from 'markdown-it'
import { newToken } from './states.ts'

/**
 * The cells of a table of Markdown, row by row from its head, and the alignment of each column,
 * `''` for none.
 */
export type TableCells = { aligns: string[]; cells: string[] }

/**
 * The tokens that the rule of tables fills in. What it writes into them is taken before it asks for
 * the next one.
 */
const cell = newToken('cell', '', 1)
const words = newToken('inline', '', 0)

/** Takes what the rule has written into the tokens, and returns the next one. */
function takeCell(table: TableCells, type: string): Token {
  if (type === 'th_close')
    table.aligns.push(/:(\w+)$/.exec(String(cell.attrs?.[0]?.[1] ?? ''))?.[1] ?? '')
  if (type === 'th_close' || type === 'td_close') table.cells.push(words.content)
  if (type === 'th_open' || type === 'td_open') cell.attrs = null
  return type === 'inline' ? words : cell
}

/**
 * Makes the rule of tables write one token with all cells. Otherwise a row of two cells has eight,
 * which stay in memory.
 */
export function useTableCells({ block }: InstanceType<typeof MarkdownIt>): void {
  block.State = class extends block.State {
    cells: TableCells | undefined

    override push(type: string, tag: string, nesting: Token['nesting']): Token {
      const { cells } = this
      if (type === 'table_close') this.cells = undefined
      if (cells) return takeCell(cells, type)
      if (type !== 'table_open') return super.push(type, tag, nesting)
      this.cells = { aligns: [], cells: [] }
      const token = super.push('table', tag, 0)
      token.meta = this.cells
      return token
    }
  }
}

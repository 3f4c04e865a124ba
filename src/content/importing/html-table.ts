import type TurndownService from 'turndown'

/** The most cells of a table that becomes one of Markdown. */
const mostCells = 50_000

/** Returns the rows of a table, without those of tables in it. */
const rowsOf = (table: Element): Element[] =>
  Array.from(table.children).flatMap(child =>
    child.nodeName === 'TR'
      ? [child]
      : /^T(?:HEAD|BODY|FOOT)$/.test(child.nodeName)
        ? rowsOf(child)
        : [],
  )

const cellsOf = (row: Element): Element[] =>
  Array.from(row.children).filter(({ nodeName }) => nodeName === 'TH' || nodeName === 'TD')

const alignments: Readonly<Record<string, string>> = { left: ':--', right: '--:', center: ':-:' }

/** The texts of the cells of tables that are being converted. */
const texts = new WeakMap<object, string>()

/**
 * Tables as those of Markdown, whose first row is their head. What a cell contains stands on one line; a
 * cell over several columns is followed by empty ones.
 */
export const tableRule: TurndownService.Rule = {
  filter: ['table', 'td', 'th', 'tr', 'thead', 'tbody', 'tfoot', 'caption', 'colgroup'],
  replacement: (content, node) => {
    if (node.nodeName === 'TD' || node.nodeName === 'TH') {
      texts.set(node, content)
      return content
    }
    return node.nodeName === 'TABLE' ? tableOf(node as unknown as Element) : content
  },
}

function tableOf(table: Element): string {
  const rows = rowsOf(table).map(row => cellsOf(row))
  const head = rows[0] ?? []
  const width = Math.max(0, ...rows.map(row => row.reduce((sum, cell) => sum + spanOf(cell), 0)))
  if (width === 0 || width * rows.length > mostCells)
    return `\n\n${rows.flat().map(textOf).join('\n\n')}\n\n`
  const lines = rows.map(row => lineOf(row, width))
  const border = Array.from({ length: width }, (_, at) => {
    const cell = head[at]
    const align =
      cell?.getAttribute('align') ??
      /text-align:\s*(\w+)/.exec(cell?.getAttribute('style') ?? '')?.[1]
    return alignments[align ?? ''] ?? '---'
  })
  const caption = Array.from(table.children)
    .find(({ nodeName }) => nodeName === 'CAPTION')
    ?.textContent?.trim()
  const [first, ...others] = lines
  return `\n\n${caption ? `${caption}\n\n` : ''}${[first, `| ${border.join(' | ')} |`, ...others].join('\n')}\n\n`
}

const spanOf = (cell: Element): number =>
  Math.min(100, Math.max(1, Number.parseInt(cell.getAttribute('colspan') ?? '1', 10) || 1))

const textOf = (cell: Element): string => texts.get(cell) ?? ''

function lineOf(row: readonly Element[], width: number): string {
  const cells = row.flatMap(cell => [
    textOf(cell)
      .trim()
      .replace(/\\?\s*\n+\s*/g, '<br>')
      .replace(/\\*\|/g, '\\|'),
    ...Array<string>(spanOf(cell) - 1).fill(''),
  ])
  while (cells.length < width) cells.push('')
  return `| ${cells.join(' | ')} |`
}

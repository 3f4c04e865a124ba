/**
 * Returns a text as a code span, with the shortest run of backticks that the text does not contain.
 * Line endings become spaces, as they do when a span is read. `cell` escapes bars for a table cell.
 */
export function codeSpan(text: string, { cell = false } = {}): string {
  const line = text.replace(/\r\n?|\n/g, ' ')
  const runs = new Set(line.match(/`+/g))
  let ticks = '`'
  while (runs.has(ticks)) ticks += '`'
  // A parser strips one space from both ends.
  const isStripped = line.startsWith(' ') && line.endsWith(' ') && /[^ ]/.test(line)
  const pad = isStripped || line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${cell ? line.replace(/\\*\|/g, '\\|') : line}${pad}${ticks}`
}

/**
 * Returns lines of code as a fenced block with an info string; undefined is a block without lines.
 */
export function fencedCode(code: string | undefined, info = ''): string {
  let longest = 2
  for (const [run] of (code ?? '').matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${info}\n${code === undefined ? '' : `${code}\n`}${fence}`
}

/** Alignments of table columns. */
export type Alignment = 'left' | 'center' | 'right'

const rules: Readonly<Record<Alignment, string>> = { left: '---', center: ':---:', right: '---:' }

/**
 * Returns a GFM table of cells that are Markdown on one line. Columns are aligned to the left by
 * default.
 */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[] = [],
): string {
  const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    lineOf(head),
    lineOf(head.map((_, at) => rules[alignments[at] ?? 'left'])),
    ...rows.map(lineOf),
  ].join('\n')
}

/** Returns Markdown with all lines but the first indented by spaces; empty lines stay empty. */
export const indentRest = (text: string, by: number): string =>
  text.replace(/\n(?!\n|$)/g, `\n${' '.repeat(by)}`)

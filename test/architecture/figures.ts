import { filesBelow, readSources, type Source } from '../support/source.ts'
import { partOf, roomOf, rooms } from './rooms.ts'

/** Returns the value below which `share` of the sorted numbers are; 0 for none. */
function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function row(name: string, sources: readonly Source[]): string {
  const files = sources.map(({ lines }) => lines)
  const functions = sources.flatMap(source => source.functions.map(({ lines }) => lines))
  const cells = [
    files.length,
    files.reduce((total, lines) => total + lines, 0),
    quantile(files, 0.5),
    quantile(files, 0.95),
    functions.length,
    quantile(functions, 0.5),
    quantile(functions, 0.95),
  ]

  return [name.padEnd(24), ...cells.map(cell => String(cell).padStart(9))].join('')
}

/**
 * Returns a table of rooms and their parts as text: the number of files and lines of code, median and 95th
 * percentile of lines per file, the number of functions, median and 95th percentile of lines per
 * function.
 */
export function figures(sources: readonly Source[]): string {
  const heads = ['files', 'lines', 'median', 'p95', 'functions', 'median', 'p95']
  const lines = [['room'.padEnd(24), ...heads.map(head => head.padStart(9))].join('')]
  for (const [room, { parts }] of Object.entries(rooms)) {
    const own = sources.filter(({ path }) => roomOf(path) === room)
    if (own.length < 2) continue
    lines.push(row(room, own))

    for (const part of Object.keys(parts ?? {}))
      lines.push(
        row(
          `  ${part}`,
          own.filter(({ path }) => partOf(path) === part),
        ),
      )
  }

  return [...lines, row('all', sources)].join('\n')
}

if (import.meta.url.endsWith(process.argv[1]?.split('/').at(-1) ?? '\0'))
  console.log(figures(readSources(filesBelow('src'))))

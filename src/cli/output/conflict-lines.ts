import { oneLine } from './print.ts'

type Side = 'ours' | 'base' | 'theirs'

/** A conflict as the API returns it, with the places where the texts differ. */
export type Conflict = {
  path: string
  type: string
  hunks?: readonly ({ [side in Side]: string } & { lines: { [side in Side]: number } })[]
}

const marks: Readonly<Record<Side, string>> = { ours: '<', base: '|', theirs: '>' }

/** The most hunks that are shown, and lines of one side of each. */
const mostHunks = 20
const mostLines = 8

/**
 * Returns lines that show conflicts: each file, and below it its hunks with the lines of our side
 * (`<`), of before (`|`) and of the other side (`>`).
 */
export function conflictLines(conflicts: readonly Conflict[]): string[] {
  const lines: string[] = []
  let shown = 0
  let count = 0

  for (const { path, type, hunks = [] } of conflicts) {
    lines.push(`  ${oneLine(path)} (${oneLine(type)})`)
    for (const hunk of hunks) {
      count++
      if (shown === mostHunks) continue
      shown++
      lines.push(`    line ${hunk.lines.ours}`)
      for (const [side, mark] of Object.entries(marks) as [Side, string][])
        lines.push(...linesOfSide(hunk[side]).map(line => `    ${mark} ${line}`.trimEnd()))
    }
  }

  return count > shown ? [...lines, `  … and ${count - shown} more places`] : lines
}

function linesOfSide(text: string): string[] {
  if (text === '') return ['(nothing)']
  const lines = text.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/)
  const shown = lines.slice(0, mostLines).map(line => oneLine(line).slice(0, 200))
  return lines.length > mostLines ? [...shown, `… ${lines.length - mostLines} more`] : shown
}

/** Returns what the marks of `conflictLines` mean, where the sides have these names. */
export const legend = (ours: string, theirs: string): string => `(< ${ours}, | before, > ${theirs})`

import { lineAt } from './lines.ts'

/** Returns the name behind a line that begins or ends a side of a conflict; undefined for other lines. */
export const conflictIn = (line: string): string | undefined =>
  /^<{7}(?:[ \t]+(\S.*))?$|^>{7}[ \t]+(\S.*)$/.exec(line.trimEnd())?.slice(1).join('')

/** Returns the lines, from 1, with a marker that Git writes around a conflict, up to `most`. */
export function conflictLines(text: string, most: number): number[] {
  const found: number[] = []
  if (!/^[<>]{7}/m.test(text)) return found
  for (let at = 0, number = 1; at < text.length && found.length < most; number++) {
    const line = lineAt(text, at)
    if (conflictIn(text.slice(at, Math.min(line.end, at + 200))) !== undefined) found.push(number)
    at = line.next
  }
  return found
}

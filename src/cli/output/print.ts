/** Prints a line to stdout. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints a value as indented JSON, for people and for jq. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** Returns a number with its noun, e.g. "1 space" and "2 spaces". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** Prints rows in columns under their headings. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const all = [headings, ...rows.map(row => row.map(oneLine))]
  const widths = headings.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)))
  for (const row of all)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** Returns text of other users without line breaks and control characters. */
export const oneLine = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')

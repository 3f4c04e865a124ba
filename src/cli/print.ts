/** Prints a line to stdout. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints a value as JSON, indented: for a person and for jq. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** A number with its noun, e.g. "1 space" and "2 spaces". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** Prints rows under their headings, in columns. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
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

/** What others wrote moves no cursor and breaks no line. */
export const oneLine = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')

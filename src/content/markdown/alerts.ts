/** Styles of hints by the kind of the GitHub alert that they correspond to. */
const styles: ReadonlyMap<string, string> = new Map([
  ['note', 'info'],
  ['tip', 'success'],
  ['important', 'info'],
  ['warning', 'warning'],
  ['caution', 'danger'],
])

const mark = /^\[!([A-Za-z]{3,9})\][ \t]*(?:\r?\n|$)/

/**
 * Returns the hint style of an alert marker such as `[!NOTE]` on the first line of a quote, and the
 * length of that line.
 */
export function alertAt(text: string): { style: string; length: number } | undefined {
  const found = mark.exec(text)
  const style = styles.get(found?.[1]?.toLowerCase() ?? '')
  return found && style ? { style, length: found[0].length } : undefined
}

/** The kinds of GitHub's alerts, with the style of the hint that means the same. */
const styles: ReadonlyMap<string, string> = new Map([
  ['note', 'info'],
  ['tip', 'success'],
  ['important', 'info'],
  ['warning', 'warning'],
  ['caution', 'danger'],
])

const mark = /^\[!([A-Za-z]{3,9})\][ \t]*(?:\r?\n|$)/

/** Returns the style of the alert that the first line of a quote begins, such as `[!NOTE]`, and where its text starts. */
export function alertAt(text: string): { style: string; length: number } | undefined {
  const found = mark.exec(text)
  const style = styles.get(found?.[1]?.toLowerCase() ?? '')
  return found && style ? { style, length: found[0].length } : undefined
}

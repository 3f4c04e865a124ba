import { literal, type Sheet, write } from './sheet.ts'

/** Longer code is not highlighted: that would take longer than the rest of the page. */
const longestColored = 64 * 1024

/** The lines in one box. The time for a box is more than linear in the number of pages it spans. */
const mostLines = 500

/** Writes a block of code, highlighted, with its title above and optional line numbers. */
export function writeListing(
  sheet: Sheet,
  text: string,
  language: string,
  title: string,
  numbers = false,
): void {
  const code = text.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  const short = code.length < longestColored
  const lang = short && /^[\w+#.-]{1,30}$/.test(language) ? literal(language.toLowerCase()) : 'none'
  const heading =
    title.trim() === '' ? 'none' : literal(title.trim().slice(0, 300).replace(/\s+/g, ' '))
  const lines = code.split('\n')

  for (let from = 0; from < lines.length; from += mostLines) {
    const part = lines.slice(from, from + mostLines).join('\n')
    const most =
      sheet.column === undefined ? 70 : Math.max(4, Math.floor((sheet.column - 2.2) / 0.51))
    const long = new RegExp(`[\\x21-\\u024f]{${most}}`).test(part) ? Math.min(40, most) : 'none'
    const number = numbers && short ? from + 1 : 'none'
    const ends = `(${from === 0}, ${from + mostLines >= lines.length})`

    write(
      sheet,
      `listing(${literal(part)}, ${lang}, ${from === 0 ? heading : 'none'}, ${number}, ${long}, ${ends});\n`,
    )
  }
}

import { literal, type Sheet, write } from './print-sheet.ts'

/** Code longer than this is not coloured: that takes longer than the rest of the page. */
const longestColored = 64 * 1024

/** Writes code as it is, in its colours, with its title above and perhaps the numbers of its lines. */
export const writeListing = (
  sheet: Sheet,
  text: string,
  language: string,
  title: string,
  numbers = false,
): void => {
  const code = text.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  const short = code.length < longestColored
  const lang = short && /^[\w+#.-]{1,30}$/.test(language) ? literal(language.toLowerCase()) : 'none'
  const long = /[\x21-\u024f]{70}/.test(code)
  const heading = title.trim() === '' ? 'none' : literal(title.trim().slice(0, 300).replace(/\s+/g, ' '))
  write(sheet, `listing(${literal(code)}, ${lang}, ${heading}, ${numbers && short}, ${long});\n`)
}

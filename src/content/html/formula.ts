import katex from 'katex'
import { put, putText, type Sheet } from './sheet.ts'

const longest = 4000
/** The most elements within each other: a browser's limit for the whole page is 512. */
const deepest = 100

/** How many characters of formulas a page may have; later ones are shown as source. */
export const formulaRoom = 64 * 1024

/** Returns how deeply the elements of well-formed markup are nested. */
function depthOf(markup: string): number {
  let depth = 0
  let most = 0
  for (const [tag] of markup.matchAll(/<\/?[a-z]/g)) {
    depth += tag === '</' || tag[1] === '/' ? -1 : 1
    most = Math.max(most, depth)
  }
  return most
}

/**
 * Returns the MathML of a formula in TeX; undefined for one that is faulty, too long or nested too
 * deeply.
 */
function mathOf(source: string, block: boolean): string | undefined {
  try {
    const html = katex.renderToString(source, {
      output: 'mathml',
      displayMode: block,
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: 200,
      maxSize: 20,
    })
    const from = html.indexOf('<math')
    const to = html.lastIndexOf('</math>')
    if (from === -1 || to === -1) return undefined

    // Text has its quotation marks escaped, so that only attributes match.
    const math = html.slice(from, to + '</math>'.length).replace(/ style="[^"]*"/g, '')

    return depthOf(math) > deepest ? undefined : math
  } catch {
    return undefined
  }
}

/** Writes a formula as MathML, or its source as code. */
export function writeFormula(sheet: Sheet, source: string, block: boolean): void {
  const text = source.trim()
  if (text === '') return
  const isSet = text.length <= longest && text.length <= sheet.formulaRoom
  if (isSet) sheet.formulaRoom -= text.length

  const math = isSet ? mathOf(text, block) : undefined

  if (math !== undefined) {
    put(sheet, math)
    return
  }

  put(sheet, '<code class="formula">')
  putText(sheet, text)
  put(sheet, '</code>')
}

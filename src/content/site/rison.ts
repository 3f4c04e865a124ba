import { type Fault, invalid } from '../../errors.ts'
import { unsafeNames } from './claims-schema.ts'

const longest = 8_192
const deepest = 16

/** A reader of a text, and the offset that it has reached. */
type Reader = { readonly text: string; at: number }

/**
 * Returns the value of a text in Rison, a form of JSON for query parameters:
 * `(plan:pro,roles:!(a,b),beta:!t)`. Keys that could reach a prototype are left out; the last of
 * equal keys wins. Throws 'invalid', with `detail.position`, for everything else, and beyond 8,192
 * characters or 16 levels.
 */
export function readRison(text: string): unknown {
  if (text.length > longest)
    throw problem(longest, `A Rison text can have at most ${longest} characters`)
  const reader: Reader = { text, at: 0 }
  const value = readValue(reader, 0)
  if (reader.at < text.length)
    throw problem(reader.at, 'There is text after the end of the Rison value')
  return value
}

const problem = (position: number, sentence: string): Fault =>
  invalid(`${sentence}, at character ${position + 1}.`, { position })

function readValue(reader: Reader, depth: number): unknown {
  const { text, at } = reader
  if (depth > deepest) throw problem(at, `Rison can be nested at most ${deepest} levels deep`)
  const first = text[at]
  if (first === '(') return readRecord(reader, depth)
  if (first === "'") return readQuoted(reader)
  if (first === '!') return readMarked(reader, depth)
  if (first !== undefined && /[-0-9]/.test(first)) return readNumber(reader)
  return readWord(reader)
}

/** Reads what begins with "!": true, false, null or a list. */
function readMarked(reader: Reader, depth: number): unknown {
  const mark = reader.text[reader.at + 1]
  if (mark === undefined || !'tfn('.includes(mark))
    throw problem(reader.at, 'Rison knows only "!t", "!f", "!n" and "!(" after an exclamation mark')
  reader.at += 2
  if (mark !== '(') return { t: true, f: false, n: null }[mark]
  const items: unknown[] = []
  readItems(reader, () => items.push(readValue(reader, depth + 1)))
  return items
}

function readRecord(reader: Reader, depth: number): Record<string, unknown> {
  reader.at++
  const entries: [string, unknown][] = []
  readItems(reader, () => {
    const key = reader.text[reader.at] === "'" ? readQuoted(reader) : readWord(reader)
    if (reader.text[reader.at] !== ':') throw problem(reader.at, 'A ":" must follow a key')
    reader.at++
    entries.push([key, readValue(reader, depth + 1)])
  })

  return Object.fromEntries(entries.filter(([key]) => !unsafeNames.has(key)))
}

/** Reads items, separated by commas, and the ")" that ends them. */
function readItems(reader: Reader, readItem: () => void): void {
  const { text } = reader
  if (text[reader.at] !== ')') readItem()
  while (text[reader.at] === ',') {
    reader.at++
    readItem()
  }
  if (text[reader.at] !== ')') throw problem(reader.at, 'A "," or ")" is missing')
  reader.at++
}

function readQuoted(reader: Reader): string {
  const quoted = take(reader, /'(?:[^'!]|![!'])*'/y)
  if (quoted === undefined)
    throw problem(
      reader.at,
      'A quoted text needs an end quote, and "!!" and "!\'" for "!" and "\'" inside',
    )
  return quoted.slice(1, -1).replace(/!(.)/g, '$1')
}

/** Reads a text without quotes. */
function readWord(reader: Reader): string {
  const word = take(reader, /[^-0-9 '!:(),*@$][^ '!:(),*@$]*/y)
  if (word === undefined) throw problem(reader.at, 'A value or key is missing, or needs quotes')
  return word
}

function readNumber(reader: Reader): number {
  const start = reader.at
  const number = Number(
    take(reader, /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?/y) ?? Number.NaN,
  )
  if (!Number.isFinite(number))
    throw problem(start, 'This is not a number. Put texts that begin so in quotes')
  return number
}

/**
 * Returns the match of a sticky pattern where the reader is, and moves on behind it; undefined if
 * there is none.
 */
function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)?.[0]
  reader.at += found?.length ?? 0
  return found
}

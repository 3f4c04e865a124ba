import { fold } from './passages.ts'
import { hasUnspaced } from './words.ts'

/** A word and the number of pages that have it. */
type CountedWord = { word: string; pages: number }

/** The words of one length. */
type OfLength = { words: string[]; folded: string[]; pages: number[]; letters: number[] }

/** Words to look up similar ones in, by the length of their folded form. */
export type Vocabulary = {
  byLength: readonly (OfLength | undefined)[]
  size: number
  characters: number
}

/** Shorter and longer words have no similar ones, in characters. */
const shortest = 3
const longest = 40
/** From this length on, words may differ in two places. */
const longWord = 6

/**
 * Returns whether a word can have similar ones: words of scripts without spaces, and words without
 * letters, have none.
 */
const isComparable = (word: string): boolean =>
  word.length >= shortest && word.length <= longest && /^\p{L}/u.test(word) && !hasUnspaced(word)

/** Gathers words for a vocabulary. When there are too many, the rarest are left out. */
export class VocabularyBuilder {
  readonly #pages = new Map<string, number>()
  readonly #most: number
  #fewest = 1

  /** `most` is the maximum number of words. */
  constructor(most: number) {
    this.#most = most
  }

  /** Adds a word as the index has it. */
  add({ word, pages }: CountedWord): void {
    if (pages < this.#fewest || !isComparable(word)) return
    this.#pages.set(word, (this.#pages.get(word) ?? 0) + pages)
    while (this.#pages.size > this.#most) {
      this.#fewest++
      for (const [rare, count] of this.#pages) if (count < this.#fewest) this.#pages.delete(rare)
    }
  }

  /** Returns the vocabulary of the added words. */
  build(): Vocabulary {
    const byLength: OfLength[] = []
    let characters = 0
    for (const [word, count] of this.#pages) {
      const folded = fold(word)
      characters += word.length + (folded === word ? 0 : folded.length)
      byLength[folded.length] ??= { words: [], folded: [], pages: [], letters: [] }
      const { words, folded: forms, pages, letters } = byLength[folded.length]!
      words.push(word)
      forms.push(folded)
      pages.push(count)
      letters.push(lettersOf(folded))
    }

    return { byLength, size: this.#pages.size, characters }
  }
}

/** Returns the characters of a word as a set of 32 bits. */
function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

/** Returns the number of bits that are set. */
function countBits(bits: number): number {
  let pairs = bits - ((bits >>> 1) & 0x55555555)
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return (((pairs + (pairs >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Returns up to `most` pairs of words of a vocabulary that a word may be a compound of. */
export function partsOf({ byLength }: Vocabulary, word: string, most: number): string[] {
  if (!isComparable(word)) return []
  const has = (part: string) => byLength[fold(part).length]?.folded.includes(fold(part)) ?? false
  const parts: string[] = []
  for (let at = shortest; at <= word.length - shortest; at++) {
    if (parts.length >= most) break
    const [start, end] = [word.slice(0, at), word.slice(at)]
    if (has(start) && has(end)) parts.push(`${start} ${end}`)
  }
  return parts
}

/**
 * Returns up to `most` words of a vocabulary that differ from a word by at most two insertions,
 * deletions, replacements or swaps of neighbours, best first; by one for a short word. Case and
 * accents are ignored.
 */
export function nearWords({ byLength }: Vocabulary, word: string, most: number): string[] {
  if (!isComparable(word)) return []
  const wanted = fold(word)
  const edits = wanted.length < longWord ? 1 : 2
  const letters = lettersOf(wanted)
  const near: (CountedWord & { edits: number; sameStart: boolean })[] = []

  for (let length = wanted.length - edits; length <= wanted.length + edits; length++) {
    const some = byLength[length]
    if (!some) continue

    for (let at = 0; at < some.words.length; at++) {
      // An edit adds and removes at most one character each.
      if (countBits(some.letters[at]! ^ letters) > 2 * edits) continue
      const folded = some.folded[at]!
      const distance = editsBetween(wanted, folded, edits)
      if (distance > edits || some.words[at] === word) continue
      const sameStart = folded[0] === wanted[0]
      near.push({ word: some.words[at]!, pages: some.pages[at]!, edits: distance, sameStart })
    }
  }

  near.sort(
    (a, b) =>
      a.edits - b.edits ||
      Number(b.sameStart) - Number(a.sameStart) ||
      b.pages - a.pages ||
      (a.word < b.word ? -1 : 1),
  )

  return near.slice(0, most).map(each => each.word)
}

/**
 * Returns the number of insertions, deletions, replacements and swaps of neighbours between two
 * words, none of them within another; a number above `most` when there are more than that.
 */
export function editsBetween(a: string, b: string, most: number): number {
  const [wide, high] = withoutSameEnds(a, b)
  if (high.length === 0 || wide.length === 0) return Math.max(high.length, wide.length)
  let above: number[] = []
  let row = Array.from({ length: wide.length + 1 }, (_, at) => at)

  for (let y = 1; y <= high.length; y++) {
    const next = nextRow(wide, high, y, row, above)
    // A swap reaches back two rows, and costs one edit.
    if (Math.min(...next) > most && Math.min(...row) >= most) return most + 1
    above = row
    row = next
  }

  return row[wide.length]!
}

/** Returns two words without their common beginning and end. */
function withoutSameEnds(a: string, b: string): [string, string] {
  let [start, endA, endB] = [0, a.length, b.length]
  while (start < endA && start < endB && a[start] === b[start]) start++
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--
    endB--
  }
  return [a.slice(start, endA), b.slice(start, endB)]
}

/**
 * Returns the edits between the first `y` characters of `high` and each beginning of `wide`, from
 * the two rows above.
 */
function nextRow(wide: string, high: string, y: number, row: number[], above: number[]): number[] {
  const next = [y]
  for (let x = 1; x <= wide.length; x++) {
    const cost = wide[x - 1] === high[y - 1] ? 0 : 1
    const edits = Math.min(row[x]! + 1, next[x - 1]! + 1, row[x - 1]! + cost)
    const isSwap = y > 1 && x > 1 && wide[x - 1] === high[y - 2] && wide[x - 2] === high[y - 1]
    next.push(isSwap ? Math.min(edits, above[x - 2]! + 1) : edits)
  }
  return next
}

import type { Item } from './keys.ts'
import { isDivisible, type PageElement } from './nodes.ts'
import { addWordsOf } from './tokens.ts'

/** The words and labels of elements, kept because an element is compared with several others. */
export type Bags = {
  words: Map<PageElement, ReadonlySet<string>>
  labels: Map<PageElement, string>
}

/** Elements are compared by this many distinct words and characters at their beginning. */
const mostWords = 400
const mostText = 8192

/** Parts that an element has once: the former and the new one belong together whatever they say. */
const single = new Set([
  'thead',
  'tbody',
  'tfoot',
  'summary',
  'figcaption',
  'caption',
  '%tabs',
  'colgroup',
])

type Gathering = { words: Set<string>; left: number }

function gather(gathering: Gathering, { name, attributes, nodes }: PageElement): void {
  const source =
    name === 'img' || name.startsWith('%') ? (attributes.src ?? attributes.url) : undefined
  if (source !== undefined) gathering.words.add(`=${source}`)

  for (const node of nodes) {
    if (gathering.left <= 0 || gathering.words.size >= mostWords) return
    if (typeof node !== 'string') gather(gathering, node)
    else {
      const text = node.slice(0, gathering.left)
      gathering.left -= text.length
      addWordsOf(text, gathering.words)
    }
  }
}

/** Returns the distinct words of an element, and the sources of its images. */
export function wordsOf(bags: Bags, element: PageElement): ReadonlySet<string> {
  const known = bags.words.get(element)
  if (known) return known
  const words = new Set<string>()
  gather({ words, left: mostText }, element)
  bags.words.set(element, words)
  return words
}

function kindOf({ name }: PageElement): string {
  if (/^h[1-6]$/.test(name)) return 'heading'
  if (name === 'ul' || name === 'ol') return 'list'
  return name === 'th' ? 'td' : name
}

/** Returns the first element below an element that has one of these names, near its beginning. */
function firstOf(element: PageElement, names: readonly string[]): PageElement | undefined {
  for (let at = element, depth = 0; depth < 4; depth++) {
    const next = at.nodes.slice(0, 4).find(node => typeof node !== 'string')
    if (next === undefined || typeof next === 'string') return undefined
    if (names.includes(next.name)) return next
    at = next
  }
  return undefined
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** The elements at the beginning of an element that say which one it is. */
const labels: Readonly<Record<string, readonly string[]>> = {
  tr: ['td', 'th'],
  table: ['tr'],
  details: ['summary'],
  '%step': headings,
  '%column': headings,
  '%update': headings,
}

/**
 * Returns what identifies an element among its siblings, such as the title of a tab or the first
 * cell of a row; '' without it.
 */
function labelOf(bags: Bags, element: PageElement): string {
  const { name, attributes } = element
  if (name === '%tab') return attributes.title ?? ''
  if (!Object.hasOwn(labels, name)) return ''

  const known = bags.labels.get(element)
  if (known !== undefined) return known

  const first = firstOf(element, labels[name]!)
  const label = first ? [...wordsOf(bags, first)].join(' ') : ''

  bags.labels.set(element, label)

  return label
}

function commonWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  let count = 0
  for (const word of few) if (many.has(word)) count++
  return count
}

/** Returns the share of words that two elements have in common, from 0 to 1. */
export function shareOf(bags: Bags, one: PageElement, other: PageElement): number {
  const [some, others] = [wordsOf(bags, one), wordsOf(bags, other)]
  if (some.size + others.size === 0) return 0.6
  return (2 * commonWords(some, others)) / (some.size + others.size)
}

/**
 * Returns how much a former and a new block are the same one, from 0 to 1; 0 if they are too
 * different to be compared.
 */
export function likeness(bags: Bags, { element: one }: Item, { element: other }: Item): number {
  const kind = kindOf(one)
  if (kind !== kindOf(other) || !isDivisible(one) || !isDivisible(other)) return 0
  if (single.has(kind)) return 1
  const label = labelOf(bags, one)
  if (label !== '' && label === labelOf(bags, other)) return 1
  const share = shareOf(bags, one, other)
  return share > (kind === 'heading' ? 0.5 : 0.35) ? share : 0
}

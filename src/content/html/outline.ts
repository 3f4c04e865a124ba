import type { Steps } from '../../lib/slices.ts'
import { isBlank } from '../markup/lines.ts'
import { isElement, type MarkupElement, type MarkupNode, wordsIn } from '../markup/tree.ts'
import { slugOfTitle } from '../text/slug.ts'
import { type Ids, isFitId, takeFreeId, takeId } from './anchors.ts'
import { changeOf } from './change.ts'
import type { Included } from './includes.ts'
import type { Headline } from './sheet.ts'

/**
 * A heading as found in the tree. `own`: of the page's Markdown, not of HTML or of included
 * content.
 */
type HeadingCandidate = { node: MarkupElement; own: boolean; minor: boolean }

type Search = {
  found: HeadingCandidate[]
  included: Included
  ids: Ids
  skip: MarkupElement | undefined
  /** The number of elements that were looked at. */
  seen: number
}

const isHeading = (name: string): boolean => /^h[1-6]$/.test(name)

/** Returns whether a node is an empty `<a id>`, which gives a heading its id. */
export const isHeadingMark = (node: MarkupNode): boolean =>
  isElement(node) &&
  node.name === 'a' &&
  Boolean(node.attributes.id ?? node.attributes.name) &&
  wordsIn(node).trim() === ''

/**
 * Returns the text of a node of a heading, with the text of its images and without the words that a
 * change removed; `marks`: with the signs around formulas and footnotes.
 */
function textOf(node: MarkupNode, marks: boolean, shown?: ShownInstead): string {
  if (typeof node === 'string') return node
  const instead = shown?.(node)
  if (instead !== undefined) return instead

  const { name, attributes, nodes } = node
  if (name === 'br' || name === '#wrap') return ' '
  if (name === 'img') return attributes.alt ?? ''
  if (name === '#note') return marks ? `[^${attributes.name ?? ''}]` : ''
  if (name === 'del' && attributes.words === 'removed') return ''

  const words = nodes.map(inner => textOf(inner, marks, shown)).join('')

  return name === '#formula' && marks ? `$$${words}$$` : words
}

/**
 * Returns what a page shows instead of the words of an element; undefined where it shows the words.
 */
type ShownInstead = (node: MarkupElement) => string | undefined

/** Returns the text of a heading on one line: as search has it (`marks`), or as it is shown. */
export const headingText = (heading: MarkupElement, marks: boolean, shown?: ShownInstead): string =>
  heading.nodes
    .map(node => textOf(node, marks, shown))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()

function* search(
  state: Search,
  nodes: readonly MarkupNode[],
  own: boolean,
  minor: boolean,
): Steps<void> {
  for (const node of nodes) {
    if (!isElement(node) || node === state.skip) continue
    if (++state.seen % 256 === 0) yield
    const change = changeOf(node)
    if (change && change.id !== '') takeFreeId(state.ids, change.id)
    if (change?.kind === 'removed') continue

    const content = state.included.get(node)

    if (content) yield* search(state, content.nodes, false, minor)
    else if (isHeading(node.name)) {
      state.found.push({ node, own: own && node.attributes.section === 'yes', minor })
    } else if (node.blocks)
      yield* search(
        state,
        node.nodes,
        own,
        minor || node.name === 'table' || node.name === 'figcaption',
      )
  }
}

/** Returns the id at the end of a heading that Markdown or HTML gives it. */
function givenId(node: MarkupElement, own: boolean): string | undefined {
  if (!own && isFitId(node.attributes.id)) return node.attributes.id
  const mark = node.nodes.filter(inner => !isBlank(inner)).at(-1)
  if (mark === undefined || !isHeadingMark(mark)) return undefined
  const { id, name } = (mark as MarkupElement).attributes
  return isFitId(id ?? name) ? (id ?? name) : undefined
}

/** Takes the id of a heading, which is the one that search and links have. */
function headlineOf(ids: Ids, { node, own }: HeadingCandidate): Headline | undefined {
  const text = headingText(node, true)
  if (text === '') return undefined
  const given = givenId(node, own)
  const id = takeId(ids, given ?? slugOfTitle(text))
  ids.texts.set(id, text)
  // Links of other tools have a prefix before a digit.
  const alias = given === undefined && /^\d/.test(id) ? `id-${id}` : undefined
  return { id, level: undefined, alias }
}

/**
 * Returns a function that closes up the levels of headings: none is more than one below that of the
 * heading above it.
 */
function levelCloser(): (written: number) => number {
  const open: number[] = []
  return written => {
    while (open.length > 0 && open.at(-1)! >= written) open.pop()
    open.push(written)
    return Math.min(6, open.length + 1)
  }
}

/**
 * Returns the headings of a page with their ids and levels, in steps. The headings of the page's
 * Markdown come first: they have the ids of search and links, and others take what is left. `skip`
 * is not searched.
 */
export function* outlineOf(
  root: MarkupElement,
  included: Included,
  ids: Ids,
  skip: MarkupElement | undefined,
): Steps<Map<MarkupElement, Headline>> {
  const state: Search = { found: [], included, ids, skip, seen: 0 }
  yield* search(state, root.nodes, true, false)
  const headlines = new Map<MarkupElement, Headline>()

  for (const isOwn of [true, false])
    for (const [at, found] of state.found.entries()) {
      if (at % 32 === 31) yield
      if (found.own !== isOwn) continue
      const headline = headlineOf(ids, found)
      if (headline) headlines.set(found.node, headline)
    }

  const close = levelCloser()

  for (const { node, minor } of state.found) {
    const headline = headlines.get(node)
    if (headline && !minor) headline.level = close(Number(node.name[1]))
    if (headline?.alias !== undefined && !takeFreeId(ids, headline.alias))
      headline.alias = undefined
  }

  return headlines
}

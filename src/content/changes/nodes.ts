import { isInline } from '../markup/lines.ts'
import type { MarkupElement, MarkupNode } from '../markup/tree.ts'

export type PageElement = MarkupElement
export type PageNode = MarkupNode

/** Elements that contain words, even if they are blocks. */
const wordNames = new Set('p h1 h2 h3 h4 h5 h6 summary figcaption pre math'.split(' '))

/** Elements whose text is shown character by character. */
const verbatimNames = new Set(['pre', 'code', '#formula', 'math', 'tt', 'samp'])

/** Elements that are the same or another: marks inside would change what they are. */
const wholeNames = new Set([
  'math',
  '#formula',
  'hr',
  '#note',
  'img',
  'br',
  'source',
  '%include',
  '%page-ref',
  '%content-ref',
])

/** Returns an element with these nodes. */
export function elementOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  nodes: PageNode[],
): PageElement {
  return { name, attributes, nodes, blocks: nodes.some(node => !isInline(node)) }
}

/** Reports whether an element contains nothing but words and the marks around them. */
export const isSimple = ({ nodes }: PageElement): boolean => nodes.every(isInline)

/** Reports whether an element contains blocks, so that words directly in it are a paragraph. */
export const isFlow = (element: PageElement): boolean =>
  !isInline(element) && !(wordNames.has(element.name) && isSimple(element))

/** Reports whether white space and line breaks of an element are part of its text. */
export const isVerbatim = ({ name }: PageElement): boolean => verbatimNames.has(name)

/** Reports whether marks inside an element would break it: it is replaced as a whole. */
export const isWhole = ({ name, attributes }: PageElement): boolean =>
  wholeNames.has(name) ||
  name.startsWith('%openapi') ||
  name.startsWith('%swagger') ||
  (name === 'pre' && attributes.lang === 'mermaid')

/**
 * Reports whether a block can contain marks: lines of words can as long as they contain no block.
 */
export const isDivisible = (element: PageElement): boolean =>
  !isWhole(element) && (!wordNames.has(element.name) || isSimple(element))

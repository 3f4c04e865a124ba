import { isBlockName, isElement, type MarkupElement, type MarkupNode, wordsIn } from './tree.ts'

/** Returns the first element with a name among nodes, and the other nodes. */
export function takeNamed(
  nodes: readonly MarkupNode[],
  name: string,
): [MarkupElement | undefined, MarkupNode[]] {
  const found = nodes.filter(isElement).find(node => node.name === name)
  return [found, nodes.filter(node => node !== found)]
}

/** Reports whether nodes have words to show, such as those of a caption. */
export const hasWords = (nodes: readonly MarkupNode[]): boolean =>
  nodes.some(node => wordsIn(node).trim() !== '')

/** Returns the targets of a frame or a recording: its own, or those of its sources. */
export const sourcesOf = ({ attributes, nodes }: MarkupElement): string[] =>
  [
    attributes,
    ...nodes.filter(isElement).map(inner => (inner.name === 'source' ? inner.attributes : {})),
  ]
    .flatMap(({ src }) => (src ? [src] : []))
    .slice(0, attributes.src ? 1 : undefined)

/** Returns the language of a `<pre>`; '' if it names none. */
export function languageOf({ attributes, nodes }: MarkupElement): string {
  if (attributes.lang !== undefined) return attributes.lang
  const [inner] = takeNamed(nodes, 'code')
  const classes = `${attributes.class ?? ''} ${inner?.attributes.class ?? ''}`
  return /(?:^|\s)lang(?:uage)?-(\S+)/.exec(classes)?.[1] ?? ''
}

/**
 * Returns the title in a link to a page that stands as a block. Undefined where its content is too
 * much for a title: without an end tag, it has all content up to the end tag of the next one.
 */
export function titleOfReference({ nodes }: MarkupElement): string | undefined {
  const words = nodes.map(wordsIn).join('').trim()
  const blocks = nodes.filter(isElement).filter(({ name }) => isBlockName(name))
  const isTitle =
    words.length <= 300 && blocks.length <= 1 && blocks.every(({ name }) => name === 'p')
  return isTitle ? words : undefined
}

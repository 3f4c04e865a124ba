import { isBlockName, isElement, type MarkupElement, type MarkupNode } from './tree.ts'

/** Reports whether a node belongs to a line of words. */
export const isInline = (node: MarkupNode): boolean =>
  !isElement(node) || (!isBlockName(node.name) && !node.blocks)

/** Reports whether a node of a line shows nothing: white space, or a line ending of the source. */
export const isBlank = (node: MarkupNode): boolean =>
  isElement(node) ? node.name === '#wrap' : !/\S/.test(node)

/**
 * Reports whether a line ending of the source stands for a space: it does unless it is between
 * Chinese characters.
 */
export const isSpace = (before: MarkupNode | undefined, after: MarkupNode | undefined): boolean =>
  typeof before !== 'string' ||
  typeof after !== 'string' ||
  !isWide(before.at(-1)) ||
  !isWide(after[0])

const isWide = (char: string | undefined): boolean =>
  char !== undefined &&
  /[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]/.test(char)

/**
 * Returns the element of a line that has only an image: the image, or the picture or link around
 * it. Undefined for other lines.
 */
export function onlyImage(nodes: readonly MarkupNode[]): MarkupElement | undefined {
  const shown = nodes.filter(node => !isBlank(node) && !(isElement(node) && node.name === 'source'))
  const [first] = shown
  if (shown.length !== 1 || first === undefined || !isElement(first)) return undefined
  if (first.name === 'img') return first.attributes['data-size'] === 'line' ? undefined : first
  return /^(?:a|picture)$/.test(first.name) && onlyImage(first.nodes) ? first : undefined
}

/**
 * Returns the blocks among some nodes and the lines between them, in order. A line is a list of
 * nodes.
 */
export function* blocksAndLines(
  nodes: readonly MarkupNode[],
): Generator<MarkupElement | MarkupNode[]> {
  let line: MarkupNode[] = []
  for (const node of nodes) {
    if (!isElement(node) || isInline(node)) {
      line.push(node)
      continue
    }
    if (line.length > 0) yield line
    line = []
    yield node
  }

  if (line.length > 0) yield line
}

/** Returns the heading that begins a page, which is its title; undefined without one. */
export function ownHeading({ nodes }: MarkupElement): MarkupElement | undefined {
  const first = nodes.find(node => !isBlank(node))
  return first !== undefined && isElement(first) && first.name === 'h1' ? first : undefined
}

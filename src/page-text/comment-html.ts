import type { HtmlOptions } from '../content/html/page-html.ts'
import { writeTree } from '../content/html/write-page.ts'
import type { Notes } from '../content/markup/grammar.ts'
import { pageTree, wordsTree } from '../content/markup/parse.ts'
import { isElement, type MarkupElement, type MarkupNode, wordsIn } from '../content/markup/tree.ts'
import type { Steps } from '../lib/slices.ts'

/**
 * Returns the Markdown of a comment as HTML, in steps. A comment has the elements of running text:
 * neither ids, which belong to the page, nor images and frames, which would call other servers.
 */
export function* commentHtml(markdown: string, options: HtmlOptions): Steps<string> {
  // A comment has no front matter: the first line of a text that begins like it is empty.
  const { root, notes } = yield* pageTree(`\n${markdown}`)
  const plain = { ...root, nodes: [...root.nodes.map(plainNode), ...notesBelow(notes)] }
  const { html } = yield* writeTree(plain, new Map(), options)
  return html
}

/** Returns footnotes as paragraphs: those of the page have its ids. */
const notesBelow = (notes: Notes): MarkupNode[] =>
  [...notes].map(([name, text]) =>
    element('p', [`[^${name}]: `, ...wordsTree(text).nodes.map(plainNode)]),
  )

/** The elements of a comment, and their attributes. */
const kept: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'p ul blockquote hr table thead tbody tr strong b em i s del ins sub sup kbd mark code br #wrap'
      .split(' ')
      .map(name => [name, []]),
  ),
  ol: ['start'],
  li: ['checked'],
  th: ['align'],
  td: ['align'],
  a: ['href'],
}

function plainNode(node: MarkupNode): MarkupNode {
  if (!isElement(node)) return node
  const { name, attributes } = node
  const replaced = Object.hasOwn(instead, name) ? instead[name]?.(node) : undefined
  if (replaced !== undefined) return replaced

  const names = Object.hasOwn(kept, name) ? kept[name] : undefined
  const nodes = node.nodes.map(plainNode)
  if (!names)
    return {
      name: 'group',
      attributes: {},
      nodes: [...sourceOf(node), ...nodes],
      blocks: node.blocks,
    }

  const own = Object.entries(attributes).filter(([each]) => names.includes(each))

  return { name, attributes: Object.fromEntries(own), nodes, blocks: node.blocks }
}

const element = (
  name: string,
  nodes: MarkupNode[],
  attributes: MarkupElement['attributes'] = {},
): MarkupElement => ({ name, attributes, nodes, blocks: false })

/** Returns the address of a frame, a recording or another thing that a comment does not show. */
function sourceOf({ attributes: { url, src } }: MarkupElement): MarkupNode[] {
  const target = url ?? src ?? ''
  return target === '' ? [] : [element('a', [target], { href: target })]
}

/** A heading would be one of the page. */
const heading = ({ nodes }: MarkupElement): MarkupNode =>
  element('p', [element('strong', nodes.map(plainNode))])

/** Without a language, so that code is not coloured and no diagram is drawn. */
const code = ({ nodes }: MarkupElement): MarkupNode =>
  element('pre', [nodes.map(wordsIn).join('')], { lang: '' })

function image({ attributes: { src = '', alt = '' } }: MarkupElement): MarkupNode {
  return src === '' ? alt : element('a', [alt || src], { href: src })
}

/** What a comment shows instead of an element. */
const instead: Readonly<Record<string, (node: MarkupElement) => MarkupNode>> = {
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map(level => [`h${level}`, heading])),
  pre: code,
  math: code,
  '#formula': ({ nodes }) => element('code', nodes),
  '#note': ({ attributes: { name = '' } }) => `[^${name}]`,
  img: image,
}

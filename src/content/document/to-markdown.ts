import { fencedCode, indentRest } from '../markdown/write.ts'
import { inlinesToMarkdown, textNode } from './to-markdown-inline.ts'
import {
  headingFrom,
  isRecord,
  listOf,
  paragraphFrom,
  textIn,
  wordsIn,
} from './to-markdown-text.ts'

/** The deepest level of blocks; of deeper ones, only the text is written. */
const deepest = 50

type Node = Record<string, unknown>

/** A block as Markdown, with the marker of its items if it is a list. */
type Written = { kind: string; text: string; marker: string }

/** The depth of a block, and the marker of the list around it. */
type ListContext = { depth: number; marker: string }

const paragraph = (nodes: readonly unknown[]): string => paragraphFrom(inlinesToMarkdown(nodes))

function codeOf(node: Node): string {
  const lines = listOf(node.nodes).map(wordsIn).join('\n').replace(/\r\n?/g, '\n')
  const syntax = /^\S*/
    .exec(textIn(node.data, 'syntax'))![0]
    .replace(/[\\&]/g, '\\$&')
    .replaceAll('`', '&#x60;')
  return fencedCode(listOf(node.nodes).length === 0 ? undefined : lines, syntax)
}

const quoteOf = (node: Node, place: ListContext): string =>
  join(blocksOf(listOf(node.nodes), { ...place, marker: '' }))
    .split('\n')
    .map(line => (line === '' ? '>' : `> ${line}`))
    .join('\n')

/**
 * Returns a marker that differs from that of the list before, and of the list around it: equal ones
 * could form a rule.
 */
function markerFor(kind: string, before: string | undefined, around: string): string {
  if (kind === 'list-ordered') return before === '.' ? ')' : '.'
  const [bullet = '-'] = ['-', '+', '*'].filter(sign => sign !== before && sign !== around)
  return kind === 'list-unordered' || kind === 'list-tasks' ? bullet : ''
}

function boxOf(list: Node, item: Node): string {
  if (list.type !== 'list-tasks') return ''
  return isRecord(item.data) && item.data.checked === true ? '[x]' : '[ ]'
}

function listMarkdown(list: Node, marker: string, depth: number): string {
  const start = isRecord(list.data) ? list.data.start : 1
  const first = typeof start === 'number' && start >= 0 && start < 1e9 ? Math.floor(start) : 1
  return listOf(list.nodes)
    .filter(isRecord)
    .map((item, at) => {
      // Only the first number has a meaning, and CommonMark allows nine digits.
      const sign =
        list.type === 'list-ordered' ? `${Math.min(first + at, 999_999_999)}${marker}` : marker
      const blocks = blocksOf(listOf(item.nodes), { depth: depth + 1, marker })
      const box = boxOf(list, item)
      const beside = blocks[0]?.kind === 'paragraph' ? ' ' : '\n\n'
      const body = [box, join(blocks, true)].filter(part => part !== '').join(beside)
      return body === '' ? sign : `${sign} ${indentRest(body, sign.length + 1)}`
    })
    .join('\n')
}

/**
 * Returns the readable parts of a block without a Markdown form: its title or URL, and the blocks
 * in it.
 */
function restOf(node: Node, place: ListContext): string {
  const { data } = node
  const image = node.type === 'image'
  const own = image
    ? { type: 'inline-image', data }
    : isRecord(data) && (isRecord(data.ref) || typeof data.url === 'string')
      ? { type: 'mention', data: { ref: data.ref ?? { kind: 'url', url: data.url } } }
      : textNode(textIn(data, 'title', 'formula', 'expression'))
  const parts = listOf(node.fragments).flatMap(part => listOf(isRecord(part) ? part.nodes : []))
  const inside = [...listOf(node.nodes), ...parts]
  const isBlock = inside.some(child => isRecord(child) && child.object === 'block')

  return join([
    { kind: 'paragraph', text: paragraph([own]), marker: '' },
    ...(isBlock
      ? blocksOf(inside, place)
      : [{ kind: 'paragraph', text: paragraph(inside), marker: '' }]),
  ])
}

function textOf(node: Node, marker: string, place: ListContext): string {
  const nodes = listOf(node.nodes)
  switch (node.type) {
    case 'paragraph':
      return paragraph(nodes)
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
      return headingFrom(inlinesToMarkdown(nodes), Number(node.type.slice(-1)))
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks':
      return listMarkdown(node, marker, place.depth)
    case 'blockquote':
      return quoteOf(node, place)
    case 'code':
      return codeOf(node)
    case 'divider':
      return '___'
    default:
      return restOf(node, place)
  }
}

function blocksOf(nodes: readonly unknown[], { depth, marker }: ListContext): Written[] {
  if (depth > deepest)
    return [
      { kind: 'paragraph', text: paragraph([textNode(nodes.map(wordsIn).join('\n'))]), marker: '' },
    ]

  const blocks: Written[] = []
  for (const node of nodes) {
    if (!isRecord(node)) continue
    const kind = textIn(node, 'type')
    const own = markerFor(kind, blocks.at(-1)?.marker, marker)
    const text = textOf(node, own, { depth: depth + 1, marker })
    if (text !== '') blocks.push({ kind, text, marker: own })
  }

  return blocks
}

const join = (blocks: readonly Written[], inItem = false): string =>
  blocks
    .filter(({ text }) => text !== '')
    .map(({ text, marker }, at, all) => {
      if (at === 0) return text
      // In an item, a list follows its paragraph without a blank line if it may interrupt the
      // paragraph.
      const close =
        inItem &&
        marker !== '' &&
        all[at - 1]!.kind === 'paragraph' &&
        /^(?:[-+*]|1[.)]) ./.test(text)

      return `${close ? '\n' : '\n\n'}${text}`
    })
    .join('')

/**
 * Returns a block tree as Markdown that reads as the same tree. Blocks and marks without a Markdown
 * form become text, and so do links that a browser would execute. Accepts any value and never
 * throws; '' for an empty tree.
 */
export const documentToMarkdown = (document: unknown): string =>
  join(blocksOf(listOf(isRecord(document) ? document.nodes : []), { depth: 0, marker: '' }))

import { invalid } from '../../errors.ts'
import { escapeWords, formatTarget } from '../markdown/plain-text.ts'
import { codeSpan } from '../markdown/write.ts'

/** A reference in a document to a page, file, URL and so on, as sent by the client. */
export type DocumentRef = { kind: string; [key: string]: unknown }

/** Returns the link target for a reference, or null if it does not exist. */
export type ResolveRef = (ref: DocumentRef) => string | null

/** A node of a block tree. Its fields depend on its type. */
export type DocumentNode = {
  object?: string
  type?: string
  data?: Record<string, unknown>
  nodes?: DocumentNode[]
  fragments?: DocumentNode[]
  fragment?: string
  leaves?: { text?: string; marks?: { type: string; data?: Record<string, unknown> }[] }[]
}

/** The state of writing a document; footnotes are collected for its end. */
export type Writing = {
  resolve: ResolveRef
  notes: string[]
  depth: number
  blocks: (nodes: DocumentNode[]) => string
}

/** Returns a value of a document as text; '' for objects and lists. */
export const wordsOf = (value: unknown): string =>
  typeof value === 'object' || value === undefined ? '' : String(value)

/** Returns a text escaped for an HTML attribute in double quotes, or for HTML content. */
export const html = (text: unknown): string =>
  wordsOf(text).replace(
    /[&<>"]/g,
    char => ({ '&': '&#x26;', '<': '&#x3C;', '>': '>', '"': '&#x22;' })[char]!,
  )

/** Returns attributes, each with a leading space, without those that are not set. */
export const attributes = (values: Record<string, unknown>, quote = html): string =>
  Object.entries(values)
    .filter(([, value]) => value !== false && wordsOf(value) !== '')
    .map(([name, value]) => ` ${name}="${quote(value)}"`)
    .join('')

/** Returns the target of a reference in a node's data, or null. */
export function targetOf(writing: Writing, ref: unknown): string | null {
  if (typeof ref !== 'object' || ref === null || !('kind' in ref)) return null
  if (ref.kind === 'url' && 'url' in ref && typeof ref.url === 'string') return ref.url
  return writing.resolve(ref as DocumentRef)
}

type Mark = { type: string; data?: Record<string, unknown> }

function color(mark: Mark): string {
  const [text, background] = [mark.data?.text, mark.data?.background].map(wordsOf)
  const front = text && text !== 'default' ? `color:${html(text)};` : ''
  const back = background && background !== 'default' ? `background-color:${html(background)};` : ''
  return `<mark style="${front}${back}">`
}

function wrap(text: string, mark: Mark): string {
  switch (mark.type) {
    case 'bold':
      return `**${text}**`
    case 'italic':
      return `_${text}_`
    case 'strikethrough':
      return `~~${text}~~`
    case 'keyboard':
      return `<kbd>${text}</kbd>`
    case 'superscript':
      return `<sup>${text}</sup>`
    case 'subscript':
      return `<sub>${text}</sub>`
    case 'color':
      return `${color(mark)}${text}</mark>`
    default:
      throw invalid(`The document has an unknown mark "${mark.type}".`)
  }
}

function leaf(text: string, marks: Mark[]): string {
  const words = text.trim()
  const before = text.slice(0, text.length - text.trimStart().length)
  const after = text.slice(before.length + words.length)
  if (words === '' || marks.length === 0) return escapeWords(text)
  const plain = marks.some(({ type }) => type === 'code') ? codeSpan(words) : escapeWords(words)
  const marked = marks.filter(({ type }) => type !== 'code').reduceRight(wrap, plain)
  return before + marked + after
}

function textNode(node: DocumentNode): string {
  const joined: { text: string; marks: Mark[] }[] = []
  for (const { text = '', marks = [] } of node.leaves ?? []) {
    const last = joined.at(-1)
    if (last && JSON.stringify(last.marks) === JSON.stringify(marks)) last.text += text
    else joined.push({ text, marks })
  }
  return joined.map(({ text, marks }) => leaf(text, marks)).join('')
}

const linkTo = (words: string, target: string | null): string =>
  target === null ? words : `[${words}](${formatTarget(target)})`

function annotation(writing: Writing, node: DocumentNode): string {
  const number = writing.notes.length + 1
  writing.notes.push('')
  const body = writing.blocks((node.fragments ?? []).flatMap(({ nodes }) => nodes ?? []))
  writing.notes[number - 1] = `[^${number}]: ${body.replace(/\n(?=.)/g, '\n    ')}`
  return `${inlines(writing, node.nodes)}[^${number}]`
}

/** Returns the characters of hyphenated code points in hexadecimal. */
function emoji(code: string): string {
  const points = code.split('-').map(part => Number.parseInt(part, 16))
  return String.fromCodePoint(...points.filter(point => point > 0 && point <= 0x10ffff))
}

function inlineImage(writing: Writing, { ref, size, alt }: Record<string, unknown>): string {
  const src = targetOf(writing, ref)
  const shown = size === 'original' ? size : 'line'
  return src === null ? '' : `<img src="${html(src)}" alt="${html(alt)}" data-size="${shown}">`
}

function inline(writing: Writing, node: DocumentNode): string {
  const data = node.data ?? {}
  switch (node.type) {
    case 'link':
      return linkTo(inlines(writing, node.nodes), targetOf(writing, data.ref))
    case 'mention': {
      const target = targetOf(writing, data.ref)
      if (target === null) return ''
      return `[${escapeWords(target)}](${formatTarget(target)} "mention")`
    }
    case 'emoji':
      return emoji(wordsOf(data.code))
    case 'icon':
      return `<i class="fa-${html(data.icon)}"${attributes({ style: wordsOf(data.color) && `color:${data.color};` })}>:${html(data.icon)}:</i>`
    case 'expression':
      return `<code class="expression">${html(data.expression)}</code>`
    case 'inline-math':
      return `$$${wordsOf(data.formula)}$$`
    case 'inline-image':
      return inlineImage(writing, data)
    case 'button': {
      const href = targetOf(writing, data.ref)
      const look = {
        href,
        class: `button ${wordsOf(data.kind) || 'primary'}`,
        'data-icon': data.icon,
      }
      return `<a${attributes(look)}>${html(data.label)}</a>`
    }
    case 'annotation':
      return annotation(writing, node)
    default:
      throw invalid(`The document has an unknown inline "${node.type ?? node.object}".`)
  }
}

/**
 * Returns inline nodes as Markdown; line endings in their text stay. Throws `invalid` for unknown
 * kinds.
 */
export const inlines = (writing: Writing, nodes: DocumentNode[] = []): string =>
  nodes
    .map(node => (node.object === 'text' || node.leaves ? textNode(node) : inline(writing, node)))
    .join('')

import { invalid } from '../../errors.ts'
import { escapeWords, formatTarget } from '../markdown/plain-text.ts'

/** A reference of a document to a page, file, URL or the like, as the client sent it. */
export type DocumentRef = { kind: string; [key: string]: unknown }

/** Gives the link target for a reference, or null when there is nothing to link to. */
export type ResolveRef = (ref: DocumentRef) => string | null

/** A node of a block tree; which fields it has depends on its type. */
export type DocumentNode = {
  object?: string
  type?: string
  data?: Record<string, unknown>
  nodes?: DocumentNode[]
  fragments?: DocumentNode[]
  fragment?: string
  leaves?: { text?: string; marks?: { type: string; data?: Record<string, unknown> }[] }[]
}

/** What the writing of a document needs on its way: the footnotes are collected for its end. */
export type Writing = {
  resolve: ResolveRef
  notes: string[]
  depth: number
  blocks: (nodes: DocumentNode[]) => string
}

/** Gives what a value of a document says as text: nothing where it is an object or a list. */
export const wordsOf = (value: unknown): string =>
  typeof value === 'object' || value === undefined ? '' : String(value)

/** Gives a text for use between the double quotes of an HTML attribute, or between HTML tags. */
export const html = (text: unknown): string =>
  wordsOf(text).replace(/[&<>"]/g, char => ({ '&': '&#x26;', '<': '&#x3C;', '>': '>', '"': '&#x22;' })[char]!)

/** Gives attributes with a leading blank each, those that are not set left out. */
export const attributes = (values: Record<string, unknown>, quote = html): string =>
  Object.entries(values)
    .filter(([, value]) => value !== false && wordsOf(value) !== '')
    .map(([name, value]) => ` ${name}="${quote(value)}"`)
    .join('')

/** Gives the target of a reference in a node's data, or null. */
export const targetOf = (writing: Writing, ref: unknown): string | null => {
  if (typeof ref !== 'object' || ref === null || !('kind' in ref)) return null
  if (ref.kind === 'url' && 'url' in ref && typeof ref.url === 'string') return ref.url
  return writing.resolve(ref as DocumentRef)
}

const code = (text: string): string => {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = /^`|`$|^ .* $/s.test(text) ? ' ' : ''
  return `${fence}${pad}${text}${pad}${fence}`
}

type Mark = { type: string; data?: Record<string, unknown> }

const color = (mark: Mark): string => {
  const [text, background] = [mark.data?.text, mark.data?.background].map(wordsOf)
  const front = text && text !== 'default' ? `color:${html(text)};` : ''
  const back = background && background !== 'default' ? `background-color:${html(background)};` : ''
  return `<mark style="${front}${back}">`
}

const wrap = (text: string, mark: Mark): string => {
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
      throw invalid(`The document has a mark "${mark.type}", which is not known.`)
  }
}

const leaf = (text: string, marks: Mark[]): string => {
  const words = text.trim()
  const before = text.slice(0, text.length - text.trimStart().length)
  const after = text.slice(before.length + words.length)
  if (words === '' || marks.length === 0) return escapeWords(text)
  const plain = marks.some(({ type }) => type === 'code') ? code(words) : escapeWords(words)
  const marked = marks.filter(({ type }) => type !== 'code').reduceRight(wrap, plain)
  return before + marked + after
}

const textNode = (node: DocumentNode): string => {
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

const annotation = (writing: Writing, node: DocumentNode): string => {
  const number = writing.notes.length + 1
  writing.notes.push('')
  const body = writing.blocks((node.fragments ?? []).flatMap(({ nodes }) => nodes ?? []))
  writing.notes[number - 1] = `[^${number}]: ${body.replace(/\n(?=.)/g, '\n    ')}`
  return `${inlines(writing, node.nodes)}[^${number}]`
}

const inline = (writing: Writing, node: DocumentNode): string => {
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
      return String.fromCodePoint(
        ...wordsOf(data.code)
          .split('-')
          .map(part => Number.parseInt(part, 16))
          .filter(point => point > 0 && point <= 0x10ffff),
      )
    case 'icon':
      return `<i class="fa-${html(data.icon)}"${attributes({ style: wordsOf(data.color) && `color:${data.color};` })}>:${html(data.icon)}:</i>`
    case 'expression':
      return `<code class="expression">${html(data.expression)}</code>`
    case 'inline-math':
      return `$$${wordsOf(data.formula)}$$`
    case 'inline-image': {
      const src = targetOf(writing, data.ref)
      const size = data.size === 'original' || data.size === 'line' ? data.size : 'line'
      return src === null ? '' : `<img src="${html(src)}" alt="${html(data.alt)}" data-size="${size}">`
    }
    case 'button': {
      const href = targetOf(writing, data.ref)
      const look = { href, class: `button ${wordsOf(data.kind) || 'primary'}`, 'data-icon': data.icon }
      return `<a${attributes(look)}>${html(data.label)}</a>`
    }
    case 'annotation':
      return annotation(writing, node)
    default:
      throw invalid(`The document has an inline "${node.type ?? node.object}", which is not known.`)
  }
}

/** Gives inline nodes as Markdown; line ends in their words stay. Throws `invalid` for kinds it does not know. */
export const inlines = (writing: Writing, nodes: DocumentNode[] = []): string =>
  nodes.map(node => (node.object === 'text' || node.leaves ? textNode(node) : inline(writing, node))).join('')

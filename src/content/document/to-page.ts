import { invalid } from '../../errors.ts'
import { formatTarget, guardLine } from '../markdown/plain-text.ts'
import { fencedCode, indentRest } from '../markdown/write.ts'
import {
  attributes,
  type DocumentNode,
  html,
  inlines,
  type ResolveRef,
  targetOf,
  type Writing,
  wordsOf,
} from './inline.ts'
import { mediaBlocks } from './media.ts'
import { table } from './table.ts'

export type { DocumentNode, DocumentRef, ResolveRef } from './inline.ts'

/** A block tree of the API. */
export type JSONDocument = {
  object?: string
  data?: Record<string, unknown>
  nodes?: DocumentNode[]
}

const deepest = 100

/** Attributes of `{% tags %}` have no escapes, so a double quote becomes a single one. */
const tagText = (value: unknown): string =>
  wordsOf(value)
    .replaceAll('"', "'")
    .replace(/[\r\n]+/g, ' ')
const tag = (name: string, values: Record<string, unknown> = {}): string =>
  `{% ${name}${attributes(values, tagText)} %}`
const around = (name: string, values: Record<string, unknown>, body: string): string =>
  `${tag(name, values)}\n${body}\n{% end${name} %}`

const lines = (text: string): string =>
  text
    .trim()
    .split(/\r\n?|\n/)
    .map(line => guardLine(line.trim()))
    .join('\\\n')

const oneLine = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' ')

/** Escapes number signs at the end of a heading, which are not part of its text otherwise. */
function escapeClosing(words: string): string {
  let end = words.length
  while (words[end - 1] === '#') end--
  return words.slice(0, end) + '\\#'.repeat(words.length - end)
}

function heading(writing: Writing, node: DocumentNode): string {
  const level = Number(node.type!.slice(-1)) + 1
  const id = node.data?.id
  const anchor =
    typeof id === 'string' && id !== '' ? ` <a href="#${html(id)}" id="${html(id)}"></a>` : ''
  const words = escapeClosing(oneLine(inlines(writing, node.nodes)))
  return `${'#'.repeat(level)} ${words}${anchor}`
}

function paragraph(writing: Writing, node: DocumentNode): string {
  const text = lines(inlines(writing, node.nodes))
  const align = node.data?.align
  return align === 'center' || align === 'end'
    ? `<p align="${align === 'end' ? 'right' : align}">${text}</p>`
    : text
}

const isList = (node: DocumentNode | undefined): boolean => node?.type?.startsWith('list-') === true

const itemBody = (writing: Writing, nodes: DocumentNode[]): string =>
  nodes
    .map(
      (node, at) =>
        (at === 0 ? '' : isList(node) && nodes[at - 1]!.type === 'paragraph' ? '\n' : '\n\n') +
        block(writing, node),
    )
    .join('')

function list(writing: Writing, node: DocumentNode): string {
  const start = node.data?.start
  // Other numbers do not start a list.
  const first =
    typeof start === 'number' && Number.isInteger(start) && start >= 0 && start < 1e8 ? start : 1
  const items = (node.nodes ?? []).map((item, at) => {
    const checked = item.data?.checked === true ? '[x] ' : '[ ] '
    const marker = node.type === 'list-ordered' ? `${first + at}. ` : '* '
    const box = node.type === 'list-tasks' ? checked : ''
    const body = itemBody(writing, item.nodes ?? [])
    return (marker + box + indentRest(body, marker.length)).trimEnd()
  })

  return items.join('\n')
}

const rawText = (node: DocumentNode): string =>
  (node.leaves ?? []).map(({ text = '' }) => text).join('') +
  (node.nodes ?? []).map(rawText).join('')

function code(node: DocumentNode): string {
  const { syntax, title, overflow, lineNumbers, fullWidth, expandable } = node.data ?? {}
  const rows = (node.nodes ?? []).map(rawText)
  const language = typeof syntax === 'string' ? syntax.replace(/[`\s]/g, '') : ''
  const wrapped = overflow === 'wrap' ? 'wrap' : undefined

  if (node.nodes?.some(line => line.data?.highlighted === true)) {
    const marked = node.nodes.map((line, at) =>
      line.data?.highlighted === true
        ? `<strong>${html(rows[at])}\n</strong>`
        : `${html(rows[at])}\n`,
    )

    const outer = {
      class: language && `language-${language}`,
      'data-title': title,
      'data-overflow': wrapped,
    }

    return `<pre${attributes(outer)}><code${attributes({ class: language && `lang-${language}` })}>${marked.join('')}</code></pre>`
  }

  const body = rows.join('\n')
  const fenced = fencedCode(body, language)
  const values = { title, overflow: wrapped, lineNumbers, fullWidth, expandable }

  return attributes(values) === '' ? fenced : around('code', values, fenced)
}

const part = (node: DocumentNode, name: string): DocumentNode[] =>
  (node.fragments ?? []).find(({ fragment, type }) => fragment === name || type === name)?.nodes ??
  []

function details(writing: Writing, node: DocumentNode): string {
  const title = part(node, 'expandable-title')
    .map(line => oneLine(inlines(writing, line.nodes)))
    .join(' ')
  return `<details>\n\n<summary>${title}</summary>\n\n${blocks(writing, part(node, 'expandable-body'))}\n\n</details>`
}

const inner =
  (name: string, child: string, values: (node: DocumentNode) => Record<string, unknown>) =>
  (writing: Writing, node: DocumentNode): string =>
    around(
      name,
      {},
      (node.nodes ?? [])
        .map(item => around(child, values(item), blocks(writing, item.nodes)))
        .join('\n\n'),
    )

function contentRef(writing: Writing, node: DocumentNode): string {
  const url = targetOf(writing, node.data?.ref)
  if (url === null) return ''
  const name = url.replace(/\/$/, '').split('/').at(-1) || url
  return around(
    'content-ref',
    { url },
    `[${name.replace(/[\\[\]]/g, '\\$&')}](${formatTarget(url)})`,
  )
}

type Write = (writing: Writing, node: DocumentNode) => string

const kinds = new Map<string, Write>([
  ['paragraph', paragraph],
  ...['heading-1', 'heading-2', 'heading-3'].map((type): [string, Write] => [type, heading]),
  ...['list-ordered', 'list-unordered', 'list-tasks'].map((type): [string, Write] => [type, list]),
  ['list-item', (writing, node) => itemBody(writing, node.nodes ?? [])],
  ['divider', () => '***'],
  [
    'blockquote',
    (writing, node) =>
      blocks(writing, node.nodes)
        .replace(/^(?=.)/gm, '> ')
        .replace(/^$/gm, '>'),
  ],
  [
    'hint',
    (writing, node) =>
      around('hint', { style: node.data?.style ?? 'info' }, blocks(writing, node.nodes)),
  ],
  ['code', (_writing, node) => code(node)],
  ['math', (_writing, node) => `$$\n${wordsOf(node.data?.formula).trim()}\n$$`],
  [
    'if',
    (writing, node) =>
      `{% if ${tagText(node.data?.expression)} %}\n${blocks(writing, node.nodes)}\n{% endif %}`,
  ],
  ['expandable', details],
  ['tabs', inner('tabs', 'tab', ({ data }) => ({ title: data?.title }))],
  ['stepper', inner('stepper', 'step', ({ data }) => ({ icon: data?.icon }))],
  [
    'columns',
    inner('columns', 'column', ({ data }) => ({
      width: length(data?.width),
      valign: data?.verticalAlignment,
    })),
  ],
  ['content-ref', contentRef],
  ['table', table],
  ...mediaBlocks(tag),
])

/** Returns a length, `{ value, unit }` or a number of pixels, as the value of an attribute. */
function length(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null || !('value' in value)) return undefined
  return `${wordsOf(value.value)}${'unit' in value && value.unit === '%' ? '%' : ''}`
}

function block(writing: Writing, node: DocumentNode): string {
  const write = node.type === undefined ? undefined : kinds.get(node.type)
  if (!write) throw invalid(`The document has an unknown block "${node.type ?? node.object}".`)
  if (++writing.depth > deepest) throw invalid('The document is nested too deeply.')
  const text = write(writing, node)
  writing.depth--
  return text
}

const blocks = (writing: Writing, nodes: DocumentNode[] = []): string =>
  nodes
    .map(node => block(writing, node))
    .filter(text => text !== '')
    .join('\n\n')

/**
 * Returns a block tree as Markdown with LF line endings, one at its end; '' for an empty tree.
 * References other than URLs are resolved by `resolve`; unresolved ones become plain text. Throws
 * `invalid` for unknown kinds of blocks, inlines and marks.
 */
export function documentToPageMarkdown(
  document: JSONDocument,
  resolve: ResolveRef = () => null,
): string {
  const writing: Writing = { resolve, notes: [], depth: 0, blocks: nodes => blocks(writing, nodes) }
  const text = blocks(writing, document.nodes)
  const all = [text, ...writing.notes].filter(piece => piece !== '').join('\n\n')
  return all === '' ? '' : `${all}\n`
}

function plain(node: DocumentNode, depth = 0): string {
  if (depth > deepest) return ''
  const own = (node.leaves ?? []).map(({ text = '' }) => text).join('')
  const children = [...(node.nodes ?? []), ...(node.fragments ?? [])].map(child =>
    plain(child, depth + 1),
  )
  const nested = node.nodes?.some(child => child.object === 'block') || node.fragments !== undefined
  return own + children.filter(text => text !== '').join(nested ? '\n' : '')
}

/**
 * Returns the text of a block tree, one line for each block, for messages and excerpts. Accepts
 * unknown kinds.
 */
export const documentToText = (document: JSONDocument): string =>
  (document.nodes ?? [])
    .map(node => plain(node))
    .filter(text => text.trim() !== '')
    .join('\n')

import { documentFromMarkdown } from '../document/from-markdown.ts'
import type { DocumentNode } from '../document/inline.ts'
import { documentToMarkdown } from '../document/to-markdown.ts'
import { codeSpan, fencedCode, tableOf } from '../markdown/write.ts'
import { clip, type LostRef } from './value.ts'

/**
 * Characters with a meaning in pages: the start of a tag, HTML, math, the border of a cell. Private
 * characters replace them until the Markdown is written, which then has their escaped form.
 */
const signs: readonly (readonly [sign: string, held: string, written: string])[] = [
  ['{%', '\ue000', '&#123;%'],
  ['<', '\ue001', '&lt;'],
  ['$$', '\ue002', '&#36;$'],
  ['|', '\ue003', '|'],
]
const held = /[\ue000-\ue003]/g

const hold = (text: string): string =>
  signs.reduce((all, [sign, char]) => all.replaceAll(sign, char), text)
const release = (text: string, bar: string): string =>
  signs.reduce(
    (all, [sign, char, written]) => all.replaceAll(char, sign === '|' ? bar : written),
    text,
  )

/** Text that needs no escaping: words, and simple spans of code. */
const plain = /^(?=[\p{L}`])(?:[\p{L}\p{N} .,;:()'"!?/%=+-]|`[\w.:/=,-]+(?: [\w.:/=,-]+)*`)+$/u

const isSafe = (url: string): boolean => /^(?:https?:\/\/|mailto:)[^\s]+$/i.test(url)

/** Keeps links and images with a web address, and replaces others by their words. */
function safeInlines(nodes: readonly DocumentNode[]): DocumentNode[] {
  return nodes.flatMap(node => {
    const ref = node.data?.ref as { url?: unknown } | undefined
    if (node.type === 'link') {
      const words = safeInlines(node.nodes ?? [])
      return isSafe(String(ref?.url)) ? [{ ...node, nodes: words }] : words
    }

    if (node.type === 'inline-image')
      return isSafe(String(ref?.url)) ? [node] : [textNode(String(node.data?.alt ?? ''))]
    if (!node.leaves) return [node]

    return [{ ...node, leaves: node.leaves.map(leaf => ({ ...leaf, text: heldText(leaf) })) }]
  })
}

/** Replaces line breaks and the spaces around them by one space. */
const unbroken = (text: string): string =>
  text.replace(/\s+/g, blanks => (blanks.includes('\n') ? ' ' : blanks))

type Leaf = NonNullable<DocumentNode['leaves']>[number]

/** In a span of code only the border of a cell has a meaning. Elsewhere, line breaks are spaces. */
const heldText = ({ text = '', marks }: Leaf): string =>
  marks?.some(({ type }) => type === 'code') ? text.replaceAll('|', '\ue003') : hold(unbroken(text))

const textNode = (text: string): DocumentNode => ({
  object: 'text',
  leaves: [{ text: hold(text), marks: [] }],
})

const isBlock = (node: DocumentNode): boolean => node.object === 'block'

function safeBlock(node: DocumentNode): DocumentNode {
  if (node.type === 'code') {
    const syntax = String(node.data?.syntax ?? '')
    return { ...node, data: /^[\w+#.-]{1,30}$/.test(syntax) ? { syntax } : {} }
  }
  const nodes = node.nodes ?? []
  return { ...node, nodes: nodes.some(isBlock) ? nodes.map(safeBlock) : safeInlines(nodes) }
}

const parse = (text: string): DocumentNode[] =>
  (documentFromMarkdown(text.replace(held, '')).nodes ?? []).map(safeBlock)

const write = (nodes: DocumentNode[]): string =>
  documentToMarkdown({ object: 'document', data: {}, nodes }).trim()

/** The hint style for each of GitHub's alerts. */
const alerts: Readonly<Record<string, string>> = {
  NOTE: 'info',
  TIP: 'success',
  IMPORTANT: 'info',
  WARNING: 'warning',
  CAUTION: 'danger',
}

/** Writes blocks. A quote that starts with an alert such as `[!NOTE]` becomes a hint. */
function writeBlocks(nodes: readonly DocumentNode[]): string {
  const parts: string[] = []
  let plainBlocks: DocumentNode[] = []
  for (const node of nodes) {
    const alert = alertIn(node)
    if (!alert) {
      plainBlocks.push(node)
      continue
    }

    parts.push(
      write(plainBlocks),
      `{% hint style="${alert.style}" %}\n${write(alert.nodes)}\n{% endhint %}`,
    )
    plainBlocks = []
  }

  return [...parts, write(plainBlocks)].filter(part => part !== '').join('\n\n')
}

/** Returns the style and the blocks of a quote that is an alert; undefined for any other block. */
function alertIn(node: DocumentNode): { style: string; nodes: DocumentNode[] } | undefined {
  if (node.type !== 'blockquote') return undefined
  const [paragraph, ...others] = node.nodes ?? []
  const [text, ...inlines] = paragraph?.nodes ?? []
  const [leaf, ...leaves] = text?.leaves ?? []
  const kind = /^\[!([A-Z]{3,9})\](?:\s+|$)/.exec(leaf?.text ?? '')
  const style = kind?.[1] && Object.hasOwn(alerts, kind[1]) ? alerts[kind[1]] : undefined
  if (!paragraph || !leaf || !kind || style === undefined) return undefined

  const rest = {
    ...text,
    leaves: [{ ...leaf, text: (leaf.text ?? '').slice(kind[0].length) }, ...leaves],
  }

  return { style, nodes: [{ ...paragraph, nodes: [rest as DocumentNode, ...inlines] }, ...others] }
}

/**
 * Converts the Markdown of a spec into Markdown that is safe on a page: the same words, lists,
 * tables, code and web links. HTML and tags become words, and headings become level 4.
 */
export function blockMarkdown(text: string): string {
  const trimmed = text.trim()
  if (plain.test(trimmed)) return trimmed
  return tablesIn(trimmed)
    .map(part => (typeof part === 'string' ? proseMarkdown(part) : tableMarkdown(part)))
    .filter(part => part !== '')
    .join('\n\n')
}

const ruleOfTable = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

const isRule = (line: string): boolean =>
  line.length < 1000 && line.includes('|') && ruleOfTable.test(line)

/**
 * Splits a text into its tables, as rows, and the text around them. A table in a list or quote
 * stays text.
 */
function tablesIn(text: string): (string | string[][])[] {
  const lines = text.split(/\r\n?|\n/)
  const parts: (string | string[][])[] = []
  let prose: string[] = []
  let fenced: string | undefined

  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const ticks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (ticks && (!fenced || ticks.startsWith(fenced))) fenced = fenced ? undefined : ticks

    const rule = lines[at + 1] ?? ''
    const startsTable = !fenced && line.includes('|') && isRule(rule)

    if (!startsTable) {
      prose.push(line)
      continue
    }

    parts.push(prose.join('\n'))
    prose = []
    const rows = [cellsOf(line)]

    for (at += 2; at < lines.length && lines[at]!.includes('|'); at++)
      rows.push(cellsOf(lines[at]!))
    at--
    parts.push(rows)
  }

  return [...parts, prose.join('\n')]
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map(cell => cell.replaceAll('\\|', '|').trim())

const mostColumns = 30

function tableMarkdown([first = [], ...rows]: string[][]): string {
  const head = first.slice(0, mostColumns)
  return tableOf(
    head.map(cell => lineMarkdown(cell, true)),
    rows.map(row => head.map((_, at) => lineMarkdown(row[at] ?? '', true))),
  )
}

function proseMarkdown(text: string): string {
  const parts: string[] = []
  let run: DocumentNode[] = []
  const end = () => {
    if (run.length > 0) parts.push(writeBlocks(run))
    run = []
  }

  for (const node of parse(text)) {
    if (!node.type?.startsWith('heading')) {
      run.push(node)
      continue
    }
    end()
    parts.push(`#### ${write([{ ...node, type: 'paragraph' }]).replace(/\s+/g, ' ')}`)
  }

  end()

  return release(parts.join('\n\n'), '|')
}

/** Converts the Markdown of a spec into one line; `cell` for a table cell. */
export function lineMarkdown(text: string, cell = false): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (plain.test(line)) return line
  const words: DocumentNode[] = []
  for (const node of parse(text)) wordsOf(node, words)
  const written = write([{ object: 'block', type: 'paragraph', nodes: words }])
  return release(unbroken(written), cell ? '\\|' : '|')
}

/** Appends the inlines of a block and its inner blocks to `words`, separated by spaces. */
function wordsOf(node: DocumentNode, words: DocumentNode[]): void {
  const nodes = node.nodes ?? []
  const isCode = node.type === 'code'
  if (words.length > 0 && (isCode || !nodes.some(isBlock))) words.push(textNode(' '))

  if (isCode) {
    const lines = nodes.map(line =>
      (line.nodes ?? []).flatMap(({ leaves = [] }) => leaves.map(({ text }) => text)),
    )
    const text = lines.flat().join(' ').replace(/\s+/g, ' ').trim().replaceAll('|', '\ue003')
    if (text)
      words.push({
        object: 'text',
        leaves: [{ text, marks: [{ object: 'mark', type: 'code' }] }],
      } as never)

    return
  }

  if (!nodes.some(isBlock)) words.push(...nodes)
  else for (const child of nodes) wordsOf(child, words)
}

/** Returns plain text as one line of escaped Markdown; `cell` for a table cell. */
export function words(text: string, cell = false): string {
  const line = text.replace(held, '').trim().replace(/\s+/g, ' ')
  if (/^[\p{L}][\p{L}\p{N} .,;:()'"!?/%=-]*$/u.test(line)) return line
  const written = write([{ object: 'block', type: 'paragraph', nodes: [textNode(line)] }])
  return release(written, cell ? '\\|' : '|')
}

/** Returns a text as a span of code on one line; '' for an empty text. */
export function code(text: string, cell = false): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\u0000-\u001f]+/g, ' ')
    .trim()
  if (line === '') return ''
  return codeSpan(line, { cell })
}

/** Returns a reference that cannot be resolved, with the reason. */
export const lostText = ({ ref, why }: LostRef, inCell = false): string =>
  `${code(clip(ref, 200), inCell)} (${why})`

/** Returns a text as a fenced block of code. */
export const fence = (text: string, language: string): string =>
  fencedCode(text.toWellFormed().replace(/\r\n?/g, '\n').replace(/\n$/, ''), language)

/** Adds a full stop to a line of Markdown that ends in a word, so that a sentence can follow. */
export const asSentence = (line: string): string =>
  /[\p{L}\p{N}`)"']$/u.test(line) ? `${line}.` : line

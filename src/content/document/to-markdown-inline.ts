import { formatTarget } from '../markdown/plain-text.ts'
import { codeSpan } from '../markdown/write.ts'
import { grammar } from './grammar.ts'
import { byNumber, escapeInline, isRecord, listOf, textIn, wordsIn } from './to-markdown-text.ts'

/** The marks with a Markdown form, outermost first. Code is inside all of them. */
const marksKnown = ['bold', 'italic', 'strikethrough'] as const

/** A mark with a Markdown form. */
type Mark = (typeof marksKnown)[number]

/**
 * Text. `first` and `last` mark characters to write as numeric references, so that the delimiter
 * beside them works.
 */
type Words = { kind: 'words'; text: string; first: boolean; last: boolean }

/** A piece of a line: text to escape, the beginning or end of a mark, or finished Markdown. */
type Piece = Words | { kind: 'open' | 'close'; mark: Mark } | { kind: 'markdown'; text: string }

/** The pieces of a block, and the marks that are open at its end. */
type Writing = { pieces: Piece[]; open: Mark[] }

type Leaf = { text: string; marks: readonly Mark[]; code: boolean }

const leavesOf = (node: unknown): Leaf[] =>
  listOf(isRecord(node) ? node.leaves : []).map(leaf => {
    const types = listOf(isRecord(leaf) ? leaf.marks : []).map(mark => textIn(mark, 'type'))
    const marks = marksKnown.filter(mark => types.includes(mark))
    return { text: textIn(leaf, 'text'), marks, code: types.includes('code') }
  })

/** Closes and opens marks, so that exactly `marks` are open. */
function turnTo({ pieces, open }: Writing, marks: readonly Mark[]): void {
  const ends = open.findIndex(mark => !marks.includes(mark))
  while (ends !== -1 && open.length > ends) pieces.push({ kind: 'close', mark: open.pop()! })
  for (const mark of marks.filter(wanted => !open.includes(wanted))) {
    pieces.push({ kind: 'open', mark })
    open.push(mark)
  }
}

function addWords(writing: Writing, text: string, marks: readonly Mark[] = []): void {
  if (text === '') return
  turnTo(writing, marks)
  const last = writing.pieces.at(-1)
  if (last?.kind === 'words') last.text += text
  else writing.pieces.push({ kind: 'words', text, first: false, last: false })
}

function addMarkdown(writing: Writing, text: string, marks: readonly Mark[] = []): void {
  turnTo(writing, marks)
  writing.pieces.push({ kind: 'markdown', text })
}

function addText(writing: Writing, node: unknown): void {
  const leaves: Leaf[] = []
  for (const leaf of leavesOf(node)) {
    const last = leaves.at(-1)
    // Two adjacent code spans would be read as one that contains backticks.
    if (last?.code && leaf.code && last.marks.join() === leaf.marks.join()) last.text += leaf.text
    else if (leaf.text !== '') leaves.push(leaf)
  }

  for (const { text, marks, code } of leaves)
    if (code) addMarkdown(writing, codeSpan(text), marks)
    else addWords(writing, text, marks)
}

/** Returns the URL of a reference if it may be linked to, or null. */
function urlOf(ref: unknown): string | null {
  if (!isRecord(ref) || typeof ref.url !== 'string') return null
  const url = ref.url.toWellFormed()
  return grammar.validateLink(url) ? url : null
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ')

function addImage(writing: Writing, data: unknown): void {
  const url = urlOf(isRecord(data) ? data.ref : null)
  const alt = oneLine(textIn(data, 'alt'))
  if (url === null) {
    addWords(writing, alt)
    return
  }

  const caption = oneLine(textIn(data, 'caption'))
  const title = caption === '' ? '' : ` "${caption.replace(/[\\"&]/g, '\\$&')}"`

  addMarkdown(writing, `![${escapeInline(alt)}](${formatTarget(url)}${title})`)
}

/** Reports whether the text of a link is its URL, so that it can be an autolink. */
function isBare(words: readonly unknown[], url: string): boolean {
  const leaves = words.length === 1 ? leavesOf(words[0]) : []
  const plain =
    leaves.length === 1 && leaves[0]!.text === url && !leaves[0]!.code && !leaves[0]!.marks.length
  return plain && /^[a-z][a-z0-9+.-]{1,31}:[!-;=?-~]*$/i.test(url)
}

function addLink(writing: Writing, url: string, words: readonly unknown[]): void {
  if (isBare(words, url)) {
    addMarkdown(writing, `<${url}>`)
    return
  }

  addMarkdown(writing, '[')

  for (const word of words)
    if (isRecord(word) && word.type === 'inline-image') addImage(writing, word.data)
    else if (isRecord(word) && word.leaves) addText(writing, word)
    else addWords(writing, wordsIn(word))

  addMarkdown(writing, `](${formatTarget(url)})`)
}

const emoji = (code: string): string =>
  code
    .split('-')
    .map(part => Number.parseInt(part, 16))
    .filter(point => point > 0 && point <= 0x10ffff)
    .map(point => String.fromCodePoint(point))
    .join('')
    .toWellFormed()

/** Returns the text of an inline without a Markdown form. */
function nameOf(node: Record<string, unknown>): string {
  const { data } = node
  if (node.type === 'emoji') return emoji(textIn(data, 'code'))
  const id = textIn(
    isRecord(data) ? data.ref : null,
    'user',
    'page',
    'anchor',
    'space',
    'file',
    'collection',
  )
  if (node.type === 'mention' && id !== '') return `@${id}`

  return textIn(data, 'formula', 'expression', 'label', 'icon') || wordsIn(node)
}

function addInline(writing: Writing, node: Record<string, unknown>): void {
  const url = urlOf(isRecord(node.data) ? node.data.ref : null)
  if (node.type === 'inline-image') addImage(writing, node.data)
  else if (url === null) addWords(writing, nameOf(node))
  else
    addLink(
      writing,
      url,
      node.type === 'link' ? listOf(node.nodes) : [textNode(nameOf(node) || url)],
    )
}

/** Returns a text node without marks. */
export const textNode = (text: string): object => ({
  object: 'text',
  leaves: [{ text, marks: [] }],
})

/**
 * Returns the text, links and images of a block as inline Markdown. Line endings in the text stay;
 * the caller escapes the beginnings of lines.
 */
export function inlinesToMarkdown(nodes: readonly unknown[]): string {
  const writing: Writing = { pieces: [], open: [] }
  for (const node of nodes) {
    if (!isRecord(node)) continue
    if (node.object === 'text' || node.leaves) addText(writing, node)
    else addInline(writing, node)
  }
  turnTo(writing, [])
  return joinPieces(writing.pieces)
}

const edgeOf = ({ text }: Words, first: boolean): string => Array.from(text).at(first ? 0 : -1)!

function isByNumber(words: Words, first: boolean): boolean {
  const single = edgeOf(words, true) === words.text
  return single ? words.first || words.last : words[first ? 'first' : 'last']
}

/** Characters that every parser classifies as whitespace or punctuation. */
const apart = /^[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000!-/:-@[-`{-~]$/u

/**
 * Ensures that a delimiter is read as one. Inside, no space may be next to it. Outside, whitespace
 * or punctuation must be next to it, unless a letter is inside and the delimiter works in the
 * middle of a word.
 */
function secure(pieces: readonly Piece[], at: number, signs: Record<Mark, string>): void {
  const piece = pieces[at]!
  if (piece.kind !== 'open' && piece.kind !== 'close') return
  const opens = piece.kind === 'open'
  const inner = pieces[opens ? at + 1 : at - 1]
  const outer = pieces[opens ? at - 1 : at + 1]
  let loose = false

  if (inner?.kind === 'words') {
    const char = edgeOf(inner, opens)
    if (/\s/.test(char)) inner[opens ? 'first' : 'last'] = true
    loose = signs[piece.mark] !== '_' && /[\p{L}\p{N}]/u.test(char) && !isByNumber(inner, opens)
  }

  if (!loose && outer?.kind === 'words' && !apart.test(edgeOf(outer, !opens)))
    outer[opens ? 'last' : 'first'] = true
}

function written(words: Words, next: Piece | undefined): string {
  const chars = Array.from(words.text)
  const first = words.first ? byNumber(chars.shift()!) : ''
  const last = words.last && chars.length > 0 ? byNumber(chars.pop()!) : ''
  const text = first + escapeInline(chars.join('')) + last
  const link = next?.kind === 'markdown' && next.text.startsWith('[')
  return link ? text.replace(/!$/, '\\!') : text
}

/**
 * Returns pieces as inline Markdown in which text is text and every mark is a mark. Changes the
 * pieces.
 */
function joinPieces(pieces: readonly Piece[]): string {
  // Adjacent stars of bold and italic would be one run. `_` does not work in the middle of a word.
  const bold = pieces.some(piece => piece.kind === 'open' && piece.mark === 'bold')
  const signs: Record<Mark, string> = { bold: '**', italic: bold ? '_' : '*', strikethrough: '~~' }

  // A character written as a reference is not a letter for the delimiter on its other side, hence
  // this order.
  for (let at = 0; at < pieces.length; at++)
    if (pieces[at]!.kind === 'close') secure(pieces, at, signs)
  for (let at = pieces.length; at-- > 0; )
    if (pieces[at]!.kind === 'open') secure(pieces, at, signs)

  return pieces
    .map((piece, at) => {
      if (piece.kind === 'words') return written(piece, pieces[at + 1])
      return piece.kind === 'markdown' ? piece.text : signs[piece.mark]
    })
    .join('')
}

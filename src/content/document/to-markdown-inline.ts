import { formatTarget } from '../markdown/plain-text.ts'
import { grammar } from './grammar.ts'
import { joinPieces, type Mark, marksKnown, type Piece } from './to-markdown-marks.ts'
import { codeSpan, escapeInline, isRecord, listOf, textIn, wordsIn } from './to-markdown-text.ts'

/** What of a block is written, and the marks that are open at its end. */
type Writing = { pieces: Piece[]; open: Mark[] }

type Leaf = { text: string; marks: readonly Mark[]; code: boolean }

const leavesOf = (node: unknown): Leaf[] =>
  listOf(isRecord(node) ? node.leaves : []).map(leaf => {
    const types = listOf(isRecord(leaf) ? leaf.marks : []).map(mark => textIn(mark, 'type'))
    const marks = marksKnown.filter(mark => types.includes(mark))
    return { text: textIn(leaf, 'text'), marks, code: types.includes('code') }
  })

/** Closes the marks that do not go on, and opens those that begin. */
const turnTo = ({ pieces, open }: Writing, marks: readonly Mark[]): void => {
  const ends = open.findIndex(mark => !marks.includes(mark))
  while (ends !== -1 && open.length > ends) pieces.push({ kind: 'close', mark: open.pop()! })
  for (const mark of marks.filter(wanted => !open.includes(wanted))) {
    pieces.push({ kind: 'open', mark })
    open.push(mark)
  }
}

const addWords = (writing: Writing, text: string, marks: readonly Mark[] = []): void => {
  if (text === '') return
  turnTo(writing, marks)
  const last = writing.pieces.at(-1)
  if (last?.kind === 'words') last.text += text
  else writing.pieces.push({ kind: 'words', text, first: false, last: false })
}

const addMarkdown = (writing: Writing, text: string, marks: readonly Mark[] = []): void => {
  turnTo(writing, marks)
  writing.pieces.push({ kind: 'markdown', text })
}

const addText = (writing: Writing, node: unknown): void => {
  const leaves: Leaf[] = []
  for (const leaf of leavesOf(node)) {
    const last = leaves.at(-1)
    // Two spans of code side by side would be one with ticks in it.
    if (last?.code && leaf.code && last.marks.join() === leaf.marks.join()) last.text += leaf.text
    else if (leaf.text !== '') leaves.push(leaf)
  }
  for (const { text, marks, code } of leaves)
    if (code) addMarkdown(writing, codeSpan(text), marks)
    else addWords(writing, text, marks)
}

/** The target of a reference to a URL that may be linked to, or null. */
const urlOf = (ref: unknown): string | null => {
  if (!isRecord(ref) || typeof ref.url !== 'string') return null
  const url = ref.url.toWellFormed()
  return grammar.validateLink(url) ? url : null
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ')

const addImage = (writing: Writing, data: unknown): void => {
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

/** A link to its own words, which can stand as they are. */
const isBare = (words: readonly unknown[], url: string): boolean => {
  const leaves = words.length === 1 ? leavesOf(words[0]) : []
  const plain = leaves.length === 1 && leaves[0]!.text === url && !leaves[0]!.code && !leaves[0]!.marks.length
  return plain && /^[a-z][a-z0-9+.-]{1,31}:[!-;=?-~]*$/i.test(url)
}

const addLink = (writing: Writing, url: string, words: readonly unknown[]): void => {
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

/** Gives the words for an inline that Markdown has no form for. */
const nameOf = (node: Record<string, unknown>): string => {
  const { data } = node
  if (node.type === 'emoji') return emoji(textIn(data, 'code'))
  const id = textIn(isRecord(data) ? data.ref : null, 'user', 'page', 'anchor', 'space', 'file', 'collection')
  if (node.type === 'mention' && id !== '') return `@${id}`
  return textIn(data, 'formula', 'expression', 'label', 'icon') || wordsIn(node)
}

const addInline = (writing: Writing, node: Record<string, unknown>): void => {
  const url = urlOf(isRecord(node.data) ? node.data.ref : null)
  if (node.type === 'inline-image') addImage(writing, node.data)
  else if (url === null) addWords(writing, nameOf(node))
  else addLink(writing, url, node.type === 'link' ? listOf(node.nodes) : [textNode(nameOf(node) || url)])
}

/** Gives a node of words without marks. */
export const textNode = (text: string): object => ({ object: 'text', leaves: [{ text, marks: [] }] })

/**
 * Gives the words, links and images of a block as Markdown that reads as just them. Line ends in the words stay;
 * what a line may not begin with is for the caller to see to.
 */
export const inlinesToMarkdown = (nodes: readonly unknown[]): string => {
  const writing: Writing = { pieces: [], open: [] }
  for (const node of nodes) {
    if (!isRecord(node)) continue
    if (node.object === 'text' || node.leaves) addText(writing, node)
    else addInline(writing, node)
  }
  turnTo(writing, [])
  return joinPieces(writing.pieces)
}

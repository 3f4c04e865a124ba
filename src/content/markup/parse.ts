import type { Env, Token } from 'markdown-it'
import { atOnce, type Steps } from '../../lib/slices.ts'
import { alertAt } from '../markdown/alerts.ts'
import { headingList } from '../markdown/anchor.ts'
import { isComponent, startsComponent } from '../markdown/components.ts'
import { isMdx } from '../markdown/containers.ts'
import { readFenceInfo } from '../markdown/fence-info.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { scanInline } from '../markdown/inline.ts'
import { readComponent } from './components.ts'
import { type Notes, notesOf, pageGrammar } from './grammar.ts'
import { htmlPieces } from './html.ts'
import { definitionsOf, parseBlocks } from './parse-blocks.ts'
import type { TableCells } from './table-cells.ts'
import { containerOf, type PageTag, pageTags, standsAlone } from './tags.ts'
import {
  addElement,
  addWords,
  closeAroundLists,
  closeElement,
  closeWall,
  type Growing,
  grown,
  growTree,
  innermost,
  isGrown,
  type MarkupElement,
  openAroundLists,
  openElement,
} from './tree.ts'

/** Longer paragraphs are shown as source. */
const longest = 32 * 1024
/** Longer pages are left out. */
export const longestPage = 1024 * 1024

type Reading = { growing: Growing; env: Env }

function readHtml(growing: Growing, html: string): void {
  for (const piece of htmlPieces(html)) {
    if (isGrown(growing)) return
    if (piece.kind === 'text') addWords(growing, piece.text)
    else if (isComponent(piece.name)) readComponent(growing, piece.name, piece)
    else if (piece.kind === 'close') closeElement(growing, piece.name)
    else if (piece.closed) addElement(growing, piece.name, piece.attributes)
    else openElement(growing, piece.name, piece.attributes)
  }
}

function readTag(growing: Growing, tag: PageTag): void {
  const name = `%${tag.name}`
  const open = () =>
    openElement(growing, name, tag.attributes, { raw: tag.raw, alone: standsAlone(tag.name) })
  const container = containerOf(tag.name)

  if (tag.closes) {
    if (!closeElement(growing, name) && !closeAroundLists(growing, name))
      addElement(growing, 'p', {}, [tag.raw])
  } else if (tag.name === 'include' || tag.name === 'page-ref')
    addElement(growing, name, tag.attributes)
  else if (container) openAroundLists(growing, name, `%${container}`, open)
  else open()
}

const inlineTags: Readonly<Record<string, string>> = { strong: 'strong', em: 'em', s: 's' }

/** Returns an attribute of a token as text; '' if it is missing. */
const attributeOf = (token: Token, name: string): string => String(token.attrGet(name) ?? '')

type ReadToken = (growing: Growing, token: Token) => void

const readText: ReadToken = (growing, { content }) => addWords(growing, content)

/** Readers of inline tokens by their type; other tokens are read by their HTML name, or as text. */
const inlineReaders: Readonly<Record<string, ReadToken>> = {
  text: readText,
  text_special: readText,
  softbreak: growing => addElement(growing, '#wrap'),
  hardbreak: growing => addElement(growing, 'br'),
  code_inline: (growing, { content }) => addElement(growing, 'code', undefined, [content]),
  formula_inline: (growing, { content }) => addElement(growing, '#formula', undefined, [content]),
  note: (growing, { content }) => addElement(growing, '#note', { name: content }),
  link_open: (growing, token) =>
    openElement(growing, 'a', {
      href: attributeOf(token, 'href'),
      title: attributeOf(token, 'title'),
    }),
  link_close: growing => closeElement(growing, 'a'),
  image: readImage,
  html_inline: (growing, { content }) => readHtml(growing, content),
}

function readImage(growing: Growing, token: Token): void {
  const alt = (token.children ?? []).map(child => child.content).join('')
  const title = attributeOf(token, 'title')
  const width = attributeOf(token, 'width')
  const more = { ...(title && { title }), ...(width && { width }) }
  addElement(growing, 'img', { src: attributeOf(token, 'src'), alt, ...more })
}

function readInlineToken(growing: Growing, token: Token): void {
  const name = inlineTags[token.tag]
  const read = inlineReaders[token.type]
  if (read) read(growing, token)
  else if (name !== undefined && token.nesting === 1) openElement(growing, name)
  else if (name !== undefined && token.nesting === -1) closeElement(growing, name)
  else readText(growing, token)
}

/** The characters at which inline Markdown begins. */
const special = /[\n$&*:<>@[\\\]^_`{}~!]|www\./i

function readWords({ growing, env }: Reading, content: string): void {
  if (!special.test(content)) {
    addWords(growing, content)
    return
  }

  if (content.length > longest) {
    for (let at = 0; at < content.length; at += 4096)
      addElement(growing, 'span', {}, [content.slice(at, at + 4096)])
    return
  }

  const tokens: Token[] = []
  pageGrammar.inline.parse(content, pageGrammar, env, tokens)
  for (const token of tokens) readInlineToken(growing, token)
}

/**
 * Returns the tags at the beginning or end of the lines of a paragraph. Tags within a line are text
 * about tags.
 */
function edgeTags(content: string, isHtml = false): PageTag[] {
  const tags = pageTags(content)
  if (tags.length === 0) return tags
  const codes = isHtml
    ? []
    : scanInline(content, 0, content.length).filter(({ kind }) => kind === 'code')
  let last = -1
  let code = 0

  return tags.filter(({ start, end }) => {
    while (code < codes.length && codes[code]!.end <= start) code++
    if (code < codes.length && codes[code]!.start < start) return false
    const begins = /(?:^|\n)[ \t]{0,16}$/.test(content.slice(Math.max(0, start - 17), start))
    const isEdge =
      begins || last === start || /^[ \t]{0,16}(?:\n|$)/.test(content.slice(end, end + 17))
    if (isEdge) last = end
    return isEdge
  })
}

const box = /^\[([ xX])\](?:[ \t\n]+|$)/

function readParagraph(reading: Reading, content: string, name: string | null): void {
  const { growing } = reading
  const item = innermost(growing)
  let words = content
  const found = item.name === 'li' && item.nodes.length === 0 ? box.exec(content) : null

  if (found) {
    item.attributes = { checked: found[1] === ' ' ? 'no' : 'yes' }
    words = content.slice(found[0].length)
  }

  const write = (words: string) => {
    // A hard break at the end of a paragraph has no effect.
    const text = words.replace(/(?<!\\)\\$/, '')
    if (text === '') return
    // A component is a block of its own.
    const around = startsComponent(text) ? null : name
    if (around !== null) openElement(growing, around, undefined, wall)
    readWords(reading, text)
    if (around !== null) closeWall(growing)
  }
  let at = 0

  for (const tag of words.length > longest ? [] : edgeTags(words)) {
    write(words.slice(at, tag.start).trim())
    readTag(growing, tag)
    at = tag.end
  }

  write(at === 0 ? words : words.slice(at).trim())
}

/** Reads a block of HTML. A tag on a line of its own ends the HTML, and Markdown may follow it. */
function readHtmlBlock(reading: Reading, html: string): void {
  const { growing, env } = reading
  const tags = /^\s*<(?:[!?]|pre\b|script\b|style\b|textarea\b)/i.test(html)
    ? []
    : edgeTags(html, true)
  readHtml(growing, html.slice(0, tags[0]?.start))

  for (const [at, tag] of tags.entries()) {
    readTag(growing, tag)
    const tokens: Token[] = []
    pageGrammar.block.parse(html.slice(tag.end, tags[at + 1]?.start), pageGrammar, env, tokens)
    markAlerts(tokens)
    for (const [index, token] of tokens.entries())
      if (token.type === 'html_block') readHtml(growing, token.content)
      else readBlockToken(reading, token, tokens[index - 1])
  }
}

/**
 * Readers of block tokens by their type; other tokens open and close elements by their HTML name.
 */
const blockReaders: Readonly<Record<string, (reading: Reading, token: Token) => void>> = {
  paragraph_open: () => undefined,
  paragraph_close: () => undefined,
  tag: ({ growing }, { meta }) => readTag(growing, meta as PageTag),
  html_block: (reading, { content }) => readHtmlBlock(reading, content),
  hr: ({ growing }) => addElement(growing, 'hr'),
  formula: ({ growing }, { content }) => addElement(growing, 'math', {}, [content]),
  table: (reading, { meta }) => atOnce(readTable(reading, meta as TableCells)),
  fence: readCode,
  code_block: readCode,
}

function* readTable(reading: Reading, { aligns, cells }: TableCells): Steps<void> {
  const { growing } = reading
  const columns = aligns.map(align => (align === '' ? undefined : { align }))
  const readRow = (name: 'th' | 'td', from: number) => {
    openElement(growing, 'tr', undefined, wall)
    for (const [at, attributes] of columns.entries()) {
      if (isGrown(growing)) break
      openElement(growing, name, attributes, wall)
      readWords(reading, cells[from + at]!)
      closeWall(growing)
    }
    closeWall(growing)
  }

  openElement(growing, 'table', undefined, wall)
  openElement(growing, 'thead', undefined, wall)
  readRow('th', 0)
  closeWall(growing)

  if (cells.length > columns.length) {
    openElement(growing, 'tbody', undefined, wall)

    for (
      let from = columns.length;
      from < cells.length && !isGrown(growing);
      from += columns.length
    ) {
      readRow('td', from)
      yield
    }

    closeWall(growing)
  }

  closeWall(growing)
}

function readCode({ growing }: Reading, { info, content }: Token): void {
  const { language: lang, title, numbers, lines } = readFenceInfo(info)
  const more = { ...(numbers && { 'data-line-numbers': 'true' }), ...(lines && { lines }) }
  const around = innermost(growing)
  const isTab = around.name === '%tabs' && around.attributes.codes !== undefined

  // In a group of code, each block is a tab with its title.
  if (isTab) openElement(growing, '%tab', { title: title || lang })
  addElement(growing, 'pre', { lang, title: isTab ? '' : title, ...more }, [content])
  if (isTab) closeElement(growing, '%tab')
}

/** Reads the words of a heading, and the list with its id behind them. */
function readHeading(reading: Reading, content: string): void {
  const list = headingList(content, { start: 0, end: content.length })
  readWords(reading, content.slice(0, list?.start))
  if (list?.id !== undefined) addElement(reading.growing, 'a', { id: list.id })
}

function readBlockToken(reading: Reading, token: Token, before: Token | undefined): void {
  const read = blockReaders[token.type]
  if (read) read(reading, token)
  else if (token.type === 'inline' && before?.type === 'paragraph_open')
    readParagraph(reading, token.content, before.hidden ? null : 'p')
  else if (token.type === 'inline' && before?.type === 'heading_open')
    readHeading(reading, token.content)
  else if (token.type === 'inline') readWords(reading, token.content)
  else if (token.nesting === 1) openBlock(reading, token)
  else if (token.nesting === -1) closeWall(reading.growing)
}

const wall = { wall: true }

// Search and links know the headings of Markdown, not those of HTML.
const ofHeading = { section: 'yes' }

/** Returns the attributes of the element that a token opens; undefined if it has none. */
function attributesOf(token: Token): Readonly<Record<string, string>> | undefined {
  if (token.type === 'heading_open') return ofHeading
  if (token.tag === '%hint') return token.meta as { style: string }
  const start = token.attrs === null ? null : token.attrGet('start')
  return start === null ? undefined : { start: String(start) }
}

function openBlock({ growing }: Reading, token: Token): void {
  openElement(growing, token.tag, attributesOf(token), wall)
}

/** Makes hints of the quotes that begin like an alert of GitHub. */
function markAlerts(tokens: readonly Token[]): void {
  for (const [at, open] of tokens.entries()) {
    const words = open.type === 'blockquote_open' ? tokens[at + 2] : undefined
    const alert = words?.type === 'inline' ? alertAt(words.content) : undefined
    if (!words || !alert) continue
    open.tag = '%hint'
    open.meta = { style: alert.style }
    words.content = words.content.slice(alert.length)
  }
}

/** Reads the tokens of a block. Returns whether the tree has room for more. */
function* readTokens(reading: Reading, tokens: readonly Token[]): Steps<boolean> {
  markAlerts(tokens)

  for (let at = 0; at < tokens.length; at++) {
    if (isGrown(reading.growing)) return false
    const token = tokens[at]!
    if (token.type === 'table') yield* readTable(reading, token.meta as TableCells)
    else readBlockToken(reading, token, tokens[at - 1])
    if (at % 32 === 31) yield
  }

  return true
}

/**
 * Returns the tree of a page and its footnotes by name, in steps. Never throws. `path` is that of
 * its file: lines that import components show nothing in MDX.
 */
export function* pageTree(
  markdown: string,
  path?: string,
): Steps<{ root: MarkupElement; notes: Notes }> {
  const source = markdown
    .slice(splitFrontMatter(markdown).body)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\ufffd')
  const growing = growTree()
  if (source.length > longestPage) {
    addElement(growing, 'p', {}, ['This page is longer than a megabyte and is left out. Split it.'])
    return { root: grown(growing), notes: new Map() }
  }

  const env = yield* definitionsOf(source, isMdx(path))
  const reading = { growing, env }

  yield* parseBlocks(source, env, tokens => readTokens(reading, tokens))

  return { root: grown(growing), notes: notesOf(env) }
}

/** Returns the tree of inline Markdown, such as a footnote. */
export function wordsTree(content: string): MarkupElement {
  const growing = growTree()
  readWords({ growing, env: {} }, content.toWellFormed())
  return grown(growing)
}

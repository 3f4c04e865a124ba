import type { Env, Token } from 'markdown-it'
import type { Steps } from '../../lib/slices.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { scanInline } from '../markdown/inline.ts'
import { type Notes, notesOf, pageGrammar } from './grammar.ts'
import { htmlPieces } from './html.ts'
import { findTags, type PrintTag, standsAlone } from './tags.ts'
import {
  addElement,
  addWords,
  closeElement,
  closeWall,
  type Growing,
  grown,
  growTree,
  innermost,
  openElement,
  type PrintElement,
} from './tree.ts'

/** Paragraphs longer than this are shown as they were written. */
const longest = 32 * 1024
/** Pages longer than this are left out. */
export const longestPage = 1024 * 1024

type BlockState = InstanceType<typeof pageGrammar.block.State>
type Reading = { growing: Growing; env: Env }

/** How many lines of a list or quote are read at once, and how far is looked for an item that can begin another. */
const longestList = 400
const farthestItem = 2000

/** Gives the line before which a long list or quote is cut in two, so that reading it holds nobody up. */
const cutOf = (state: BlockState, line: number): number => {
  const marker = /(?:[*+-]|\d{1,9}[.)])[ \t\n]|>/y
  const begins = (at: number) => {
    marker.lastIndex = state.bMarks[at]!
    return marker.test(state.src)
  }
  const last = Math.min(state.lineMax, line + farthestItem)
  if (line + longestList < last && begins(line))
    for (let at = line + longestList; at < last; at++) if (begins(at)) return at
  return state.lineMax
}

function* blockTokens(source: string, env: Env): Steps<Token[]> {
  const tokens: Token[] = []
  const state = new pageGrammar.block.State(source, pageGrammar, env, tokens)
  const rules = pageGrammar.block.ruler.getRules('')
  // As the parser does it, with a pause after every block.
  const lines = state.lineMax
  let blanks = false
  for (let line = 0; ; ) {
    state.line = line = state.skipEmptyLines(line)
    if (line >= state.lineMax) return tokens
    state.lineMax = cutOf(state, line)
    if (!rules.some(rule => rule(state, line, state.lineMax, false))) state.line = line + 1
    state.lineMax = lines
    state.tight = !blanks
    if (state.isEmpty(state.line - 1)) blanks = true
    line = state.line
    yield
  }
}

const readHtml = (growing: Growing, html: string): void => {
  for (const piece of htmlPieces(html)) {
    if (piece.kind === 'text') addWords(growing, piece.text)
    else if (piece.kind === 'close') closeElement(growing, piece.name)
    else if (piece.closed) addElement(growing, piece.name, piece.attributes)
    else openElement(growing, piece.name, piece.attributes)
  }
}

const readTag = (growing: Growing, tag: PrintTag): void => {
  const name = `%${tag.name}`
  if (!tag.closes) {
    if (tag.name === 'include' || tag.name === 'page-ref') addElement(growing, name, tag.attributes)
    else openElement(growing, name, tag.attributes, { raw: tag.raw, alone: standsAlone(tag.name) })
  } else if (!closeElement(growing, name)) addElement(growing, 'p', {}, [tag.raw])
}

const inlineTags: Readonly<Record<string, string>> = { strong: 'strong', em: 'em', s: 's' }

const readInlineToken = (growing: Growing, token: Token): void => {
  const name = inlineTags[token.tag]
  if (token.type === 'text' || token.type === 'text_special') addWords(growing, token.content)
  else if (name !== undefined && token.nesting === 1) openElement(growing, name)
  else if (name !== undefined && token.nesting === -1) closeElement(growing, name)
  else if (token.type === 'softbreak') addElement(growing, 'wrap')
  else if (token.type === 'hardbreak') addElement(growing, 'br')
  else if (token.type === 'code_inline') addElement(growing, 'code', {}, [token.content])
  else if (token.type === 'formula_inline') addElement(growing, 'formula', {}, [token.content])
  else if (token.type === 'note') addElement(growing, 'note', { name: token.content })
  else if (token.type === 'link_open')
    openElement(growing, 'a', {
      href: String(token.attrGet('href') ?? ''),
      title: String(token.attrGet('title') ?? ''),
    })
  else if (token.type === 'link_close') closeElement(growing, 'a')
  else if (token.type === 'image') {
    const { children } = token
    const alt = (children ?? []).map(child => child.content).join('')
    const title = String(token.attrGet('title') ?? '')
    addElement(growing, 'img', { src: String(token.attrGet('src') ?? ''), alt, ...(title && { title }) })
  } else if (token.type === 'html_inline') readHtml(growing, token.content)
  else addWords(growing, token.content)
}

const readWords = ({ growing, env }: Reading, content: string): void => {
  if (content.length > longest) {
    for (let at = 0; at < content.length; at += 4096)
      addElement(growing, 'span', {}, [content.slice(at, at + 4096)])
    return
  }
  const tokens: Token[] = []
  pageGrammar.inline.parse(content, pageGrammar, env, tokens)
  for (const token of tokens) readInlineToken(growing, token)
}

/** The tags at the beginnings and ends of the lines of a paragraph: those within a line are words about tags. */
const edgeTags = (content: string, isHtml = false): PrintTag[] => {
  const tags = findTags(content)
  if (tags.length === 0) return tags
  const codes = isHtml ? [] : scanInline(content, 0, content.length).filter(({ kind }) => kind === 'code')
  let last = -1
  let code = 0
  return tags.filter(({ start, end }) => {
    while (code < codes.length && codes[code]!.end <= start) code++
    if (code < codes.length && codes[code]!.start < start) return false
    const begins = /(?:^|\n)[ \t]{0,16}$/.test(content.slice(Math.max(0, start - 17), start))
    const isEdge = begins || last === start || /^[ \t]{0,16}(?:\n|$)/.test(content.slice(end, end + 17))
    if (isEdge) last = end
    return isEdge
  })
}

const box = /^\[([ xX])\](?:[ \t\n]+|$)/

const readParagraph = (reading: Reading, content: string, name: string | null): void => {
  const { growing } = reading
  const item = innermost(growing)
  let words = content
  const found = item.name === 'li' && item.nodes.length === 0 ? box.exec(content) : null
  if (found) {
    item.attributes = { checked: found[1] === ' ' ? 'no' : 'yes' }
    words = content.slice(found[0].length)
  }
  const write = (words: string) => {
    // A hard break at the end of a paragraph breaks nothing.
    const text = words.replace(/(?<!\\)\\$/, '')
    if (text === '') return
    if (name !== null) openElement(growing, name, {}, { wall: true })
    readWords(reading, text)
    if (name !== null) closeWall(growing)
  }
  let at = 0
  for (const tag of words.length > longest ? [] : edgeTags(words)) {
    write(words.slice(at, tag.start).trim())
    readTag(growing, tag)
    at = tag.end
  }
  write(at === 0 ? words : words.slice(at).trim())
}

/** Reads a block of HTML. One that a tag follows without a blank line ends there, and Markdown may follow the tag. */
const readHtmlBlock = (reading: Reading, html: string): void => {
  const { growing, env } = reading
  const tags = /^\s*<(?:[!?]|pre\b|script\b|style\b|textarea\b)/i.test(html) ? [] : edgeTags(html, true)
  readHtml(growing, html.slice(0, tags[0]?.start))
  for (const [at, tag] of tags.entries()) {
    readTag(growing, tag)
    const tokens: Token[] = []
    pageGrammar.block.parse(html.slice(tag.end, tags[at + 1]?.start), pageGrammar, env, tokens)
    for (const [index, token] of tokens.entries())
      if (token.type === 'html_block') readHtml(growing, token.content)
      else readBlockToken(reading, token, tokens[index - 1])
  }
}

function readBlockToken(reading: Reading, token: Token, before: Token | undefined): void {
  const { growing } = reading
  const { type, content } = token
  if (type === 'inline') {
    if (before?.type === 'paragraph_open') readParagraph(reading, content, before.hidden ? null : 'p')
    else readWords(reading, content)
  } else if (type === 'paragraph_open' || type === 'paragraph_close') return
  else if (type === 'tag') readTag(growing, token.meta as PrintTag)
  else if (type === 'html_block') readHtmlBlock(reading, content)
  else if (type === 'hr') addElement(growing, 'hr')
  else if (type === 'formula') addElement(growing, 'math', {}, [content])
  else if (type === 'fence' || type === 'code_block')
    addElement(growing, 'pre', { lang: /^\S*/.exec(token.info.trim())![0], title: '' }, [content])
  else if (token.nesting === 1) {
    const style = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1]
    const start = token.attrGet('start')
    const attributes = { ...(style && { align: style }), ...(start !== null && { start: String(start) }) }
    openElement(growing, token.tag, attributes, { wall: true })
  } else if (token.nesting === -1) closeWall(growing)
}

/** Gives the tree of a page, and its notes by name. In steps; never throws. */
export function* pageTree(markdown: string): Steps<{ root: PrintElement; notes: Notes }> {
  const source = markdown
    .slice(splitFrontMatter(markdown).body)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\ufffd')
  const env: Env = {}
  const growing = growTree()
  if (source.length > longestPage) {
    addElement(growing, 'p', {}, [
      'This page is longer than a megabyte and is left out. Split it to have it printed.',
    ])
    return { root: grown(growing), notes: notesOf(env) }
  }
  const tokens = yield* blockTokens(source, env)
  const reading = { growing, env }
  for (const [at, token] of tokens.entries()) {
    readBlockToken(reading, token, tokens[at - 1])
    if (at % 16 === 15) yield
  }
  return { root: grown(growing), notes: notesOf(env) }
}

/** Gives the tree of words that stand for themselves, such as a note. */
export const wordsTree = (content: string): PrintElement => {
  const growing = growTree()
  readWords({ growing, env: {} }, content.toWellFormed())
  return grown(growing)
}

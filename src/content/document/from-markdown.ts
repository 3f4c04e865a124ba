import type { Token } from 'markdown-it'
import { addText, inlinesFromMarkdown, type References, textOf } from './from-markdown-inline.ts'
import { grammar } from './grammar.ts'
import type { DocumentNode, JSONDocument } from './to-page.ts'

/** A node as the client's document has it: those that hold nothing say so. */
type Block = DocumentNode & { object: 'block'; isVoid?: boolean }

/** Where the reading of the tokens has come to. */
type Reading = { tokens: readonly Token[]; at: number; references: References }

const block = (type: string, nodes: DocumentNode[], data?: Record<string, unknown>): Block => ({
  object: 'block',
  type,
  ...(data && { data }),
  nodes,
})

const linesOf = (content: string): string[] => (content === '' ? [] : content.replace(/\n$/, '').split('\n'))

const codeOf = (token: Token): Block => {
  const syntax = /^\S*/.exec(grammar.utils.unescapeAll(token.info).trim())![0]
  const lines = linesOf(token.content).map(line => block('code-line', [textOf(line)], {}))
  return block('code', lines, syntax === '' ? {} : { syntax })
}

/** A quote cannot hold a block of code: its lines become words that are code. */
const quotedCode = (token: Token): Block | null => {
  const nodes: DocumentNode[] = []
  for (const [at, line] of linesOf(token.content).entries()) {
    if (at > 0) addText(nodes, '\n', [])
    addText(nodes, line, ['code'])
  }
  return nodes.length === 0 ? null : block('paragraph', nodes)
}

const box = /^\[([ xX])\](?:[ \t\n]+|$)/

/** Reads the item of a list; `checked` is what its box says, if it begins with one. */
const readItem = (reading: Reading, boxed: boolean): Block => {
  const first = reading.tokens[reading.at + 2]
  const checked = boxed && first ? box.exec(first.content)?.[1] : undefined
  const nodes = readBlocks(reading, { boxed: checked !== undefined })
  return block('list-item', nodes, checked === undefined ? undefined : { checked: checked !== ' ' })
}

/** Says whether every item of the list that begins here begins with a box. */
const isTaskList = ({ tokens, at }: Reading): boolean => {
  const level = tokens[at]!.level
  for (let next = at + 1; tokens[next]!.level > level; next++) {
    if (tokens[next]!.level !== level + 1 || tokens[next]!.nesting !== 1) continue
    if (tokens[next + 1]!.type !== 'paragraph_open' || !box.test(tokens[next + 2]!.content)) return false
  }
  return true
}

const readList = (reading: Reading): Block => {
  const opening = reading.tokens[reading.at]!
  const ordered = opening.type === 'ordered_list_open'
  const tasks = !ordered && isTaskList(reading)
  const items: Block[] = []
  for (reading.at++; reading.tokens[reading.at]!.nesting === 1; reading.at++)
    items.push(readItem(reading, tasks))
  if (!ordered) return block(tasks ? 'list-tasks' : 'list-unordered', items)
  const start = opening.attrGet('start')
  return block('list-ordered', items, start === null ? {} : { start: Number(start) })
}

const readHeading = ({ tokens, at, references }: Reading): Block => {
  const level = Math.min(3, Number(tokens[at]!.tag.slice(1)))
  return block(`heading-${level}`, inlinesFromMarkdown(tokens[at + 1]!.content, references, ' '), {})
}

const readParagraph = ({ tokens, at, references }: Reading, boxed: boolean): Block | null => {
  const { content } = tokens[at + 1]!
  const nodes = inlinesFromMarkdown(boxed ? content.replace(box, '') : content, references)
  return nodes.length === 0 ? null : block('paragraph', nodes)
}

type Place = { boxed?: boolean; quoted?: boolean }

/** Reads the blocks within the token at which it begins, and stops at the one that closes it. */
const readBlocks = (reading: Reading, { boxed = false, quoted = false }: Place): Block[] => {
  const blocks: (Block | null)[] = []
  const first = ++reading.at
  for (
    let token = reading.tokens[first];
    token && token.nesting !== -1;
    token = reading.tokens[++reading.at]
  ) {
    if (token.type === 'fence' || token.type === 'code_block')
      blocks.push(quoted ? quotedCode(token) : codeOf(token))
    else if (token.type === 'hr') blocks.push({ object: 'block', type: 'divider', isVoid: true, data: {} })
    else if (token.type === 'blockquote_open')
      blocks.push(block('blockquote', readBlocks(reading, { quoted: true })))
    else if (token.type.endsWith('list_open')) blocks.push(readList(reading))
    else if (token.type === 'heading_open') blocks.push(readHeading(reading))
    else if (token.type === 'paragraph_open')
      blocks.push(readParagraph(reading, boxed && reading.at === first))
    // The words of these two, and what closes them.
    if (token.type === 'heading_open' || token.type === 'paragraph_open') reading.at += 2
  }
  return blocks.filter(made => made !== null)
}

/**
 * Gives Markdown as a block tree that the official client accepts. Headings go down to the third level, line ends
 * within a paragraph stay line ends of its text, links are those to URLs, relative ones as written; tables, HTML and
 * what is nested too deeply stay text. Never throws; takes time in proportion to the text, whatever it is.
 */
export const documentFromMarkdown = (markdown: string): JSONDocument => {
  const references: References = {}
  const tokens = grammar.parse(markdown.toWellFormed(), references)
  return { object: 'document', data: {}, nodes: readBlocks({ tokens, at: -1, references }, {}) }
}

import type { Token } from 'markdown-it'
import { grammar } from './grammar.ts'
import type { DocumentNode, JSONDocument } from './to-page.ts'

/** The link reference definitions (`[reference]: target`) of a text. */
type References = Record<string, unknown>

type Leaf = { object: 'leaf'; text: string; marks: { object: 'mark'; type: string }[] }

const markOf: Readonly<Record<string, string>> = {
  strong: 'bold',
  em: 'italic',
  s: 'strikethrough',
}

/**
 * The order of the marks of a leaf, so that equal text results in equal leaves however its marks
 * are nested.
 */
const markOrder = ['bold', 'italic', 'strikethrough', 'code']

/** Returns a text node with one leaf. */
const textOf = (
  text: string,
  ...marks: string[]
): DocumentNode & { object: 'text'; leaves: Leaf[] } => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks: marks.map(type => ({ object: 'mark', type })) }],
})

/** Appends text to the nodes of a block: to the last leaf if it has the same marks. */
function addText(nodes: DocumentNode[], text: string, marks: readonly string[]): void {
  if (text === '') return
  const made = textOf(text, ...marks)
  const last = nodes.at(-1)

  if (last?.object !== 'text') {
    nodes.push(made)
    return
  }

  const leaf = last.leaves!.at(-1)!
  const same = leaf.marks!.map(({ type }) => type).join() === marks.join()
  if (same) leaf.text += text
  else last.leaves!.push(...made.leaves)
}

const wordsOf = (tokens: readonly Token[]): string =>
  tokens
    .map(token => {
      if (token.type === 'softbreak' || token.type === 'hardbreak') return ' '
      return token.type === 'image' ? wordsOf(token.children ?? []) : token.content
    })
    .join('')

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ')

function imageOf(token: Token): DocumentNode & { isVoid: true } {
  const alt = oneLine(wordsOf(token.children ?? []))
  const caption = oneLine(String(token.attrGet('title') ?? ''))
  const ref = { kind: 'url', url: String(token.attrGet('src') ?? '') }

  return {
    object: 'inline',
    type: 'inline-image',
    isVoid: true,
    data: { ref, ...(alt === '' ? {} : { alt }), ...(caption === '' ? {} : { caption }) },
  }
}

const linkOf = (token: Token): DocumentNode & { nodes: DocumentNode[] } => ({
  object: 'inline',
  type: 'link',
  data: { ref: { kind: 'url', url: String(token.attrGet('href') ?? '') } },
  nodes: [],
})

/**
 * Returns the content of one block as text nodes, links and images. `lineEnd` replaces line
 * endings: a heading, which has only one line, uses a space.
 */
function inlinesFromMarkdown(
  markdown: string,
  references: References,
  lineEnd: '\n' | ' ' = '\n',
): DocumentNode[] {
  const tokens: Token[] = []
  grammar.inline.parse(markdown, grammar, references, tokens)
  const top: DocumentNode[] = []
  let nodes = top
  const open: string[] = []
  const marks = (...more: string[]) =>
    markOrder.filter(mark => open.includes(mark) || more.includes(mark))

  for (const token of tokens) {
    const mark = markOf[token.tag]
    if (mark !== undefined && token.nesting === 1) open.push(mark)
    else if (mark !== undefined && token.nesting === -1) open.splice(open.lastIndexOf(mark), 1)
    else if (token.type === 'link_open') {
      const link = linkOf(token)
      top.push(link)
      nodes = link.nodes
    } else if (token.type === 'link_close') nodes = top
    else if (token.type === 'image') nodes.push(imageOf(token))
    else if (token.type === 'softbreak' || token.type === 'hardbreak')
      addText(nodes, lineEnd, marks())
    else if (token.type === 'code_inline') addText(nodes, token.content, marks('code'))
    else addText(nodes, token.content, marks())
  }

  return top
}

/** A block node; `isVoid` marks blocks without content. */
type Block = DocumentNode & { object: 'block'; isVoid?: boolean }

/** A position in the tokens of a text. */
type Reading = { tokens: readonly Token[]; at: number; references: References }

const block = (type: string, nodes: DocumentNode[], data?: Record<string, unknown>): Block => ({
  object: 'block',
  type,
  ...(data && { data }),
  nodes,
})

const linesOf = (content: string): string[] =>
  content === '' ? [] : content.replace(/\n$/, '').split('\n')

function codeOf(token: Token): Block {
  const syntax = /^\S*/.exec(grammar.utils.unescapeAll(token.info).trim())![0]
  const lines = linesOf(token.content).map(line => block('code-line', [textOf(line)], {}))
  return block('code', lines, syntax === '' ? {} : { syntax })
}

/**
 * Returns code in a quote, which cannot contain a code block, as a paragraph of text marked as
 * code.
 */
function quotedCode(token: Token): Block | null {
  const nodes: DocumentNode[] = []
  for (const [at, line] of linesOf(token.content).entries()) {
    if (at > 0) addText(nodes, '\n', [])
    addText(nodes, line, ['code'])
  }
  return nodes.length === 0 ? null : block('paragraph', nodes)
}

const box = /^\[([ xX])\](?:[ \t\n]+|$)/

/** Reads a list item. With `boxed`, it may begin with a checkbox. */
function readItem(reading: Reading, boxed: boolean): Block {
  const first = reading.tokens[reading.at + 2]
  const checked = boxed && first ? box.exec(first.content)?.[1] : undefined
  const nodes = readBlocks(reading, { boxed: checked !== undefined })
  return block('list-item', nodes, checked === undefined ? undefined : { checked: checked !== ' ' })
}

/** Reports whether every item of the list at this position begins with a checkbox. */
function isTaskList({ tokens, at }: Reading): boolean {
  const level = tokens[at]!.level
  for (let next = at + 1; tokens[next]!.level > level; next++) {
    if (tokens[next]!.level !== level + 1 || tokens[next]!.nesting !== 1) continue
    if (tokens[next + 1]!.type !== 'paragraph_open' || !box.test(tokens[next + 2]!.content))
      return false
  }
  return true
}

function readList(reading: Reading): Block {
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

function readHeading({ tokens, at, references }: Reading): Block {
  const level = Math.min(3, Number(tokens[at]!.tag.slice(1)))
  return block(
    `heading-${level}`,
    inlinesFromMarkdown(tokens[at + 1]!.content, references, ' '),
    {},
  )
}

function readParagraph({ tokens, at, references }: Reading, boxed: boolean): Block | null {
  const { content } = tokens[at + 1]!
  const nodes = inlinesFromMarkdown(boxed ? content.replace(box, '') : content, references)
  return nodes.length === 0 ? null : block('paragraph', nodes)
}

type BlockContext = { boxed?: boolean; quoted?: boolean }

/** Reads the blocks inside the token at this position, up to its closing token. */
function readBlocks(reading: Reading, { boxed = false, quoted = false }: BlockContext): Block[] {
  const blocks: (Block | null)[] = []
  const first = ++reading.at
  for (
    let token = reading.tokens[first];
    token && token.nesting !== -1;
    token = reading.tokens[++reading.at]
  ) {
    if (token.type === 'fence' || token.type === 'code_block')
      blocks.push(quoted ? quotedCode(token) : codeOf(token))
    else if (token.type === 'hr')
      blocks.push({ object: 'block', type: 'divider', isVoid: true, data: {} })
    else if (token.type === 'blockquote_open')
      blocks.push(block('blockquote', readBlocks(reading, { quoted: true })))
    else if (token.type.endsWith('list_open')) blocks.push(readList(reading))
    else if (token.type === 'heading_open') blocks.push(readHeading(reading))
    else if (token.type === 'paragraph_open')
      blocks.push(readParagraph(reading, boxed && reading.at === first))
    // Skips the inline token and the closing token.
    if (token.type === 'heading_open' || token.type === 'paragraph_open') reading.at += 2
  }

  return blocks.filter(made => made !== null)
}

/**
 * Returns Markdown as a block tree that the official client accepts. Headings below the third level
 * become third-level, line endings in a paragraph stay in its text, and relative links stay as
 * written. Tables, HTML and content nested too deeply are text. Never throws. Linear in the text.
 */
export function documentFromMarkdown(markdown: string): JSONDocument {
  const references: References = {}
  const tokens = grammar.parse(markdown.toWellFormed(), references)
  return { object: 'document', data: {}, nodes: readBlocks({ tokens, at: -1, references }, {}) }
}

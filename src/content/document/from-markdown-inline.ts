import type { Token } from 'markdown-it'
import { grammar } from './grammar.ts'
import type { DocumentNode } from './to-page.ts'

/** The definitions of `[reference]: target` that the blocks of a text hold. */
export type References = Record<string, unknown>

type Leaf = { object: 'leaf'; text: string; marks: { object: 'mark'; type: string }[] }

const markOf: Readonly<Record<string, string>> = { strong: 'bold', em: 'italic', s: 'strikethrough' }

/** The order of the marks of a leaf: the same words give the same leaf, however their marks were nested. */
const markOrder = ['bold', 'italic', 'strikethrough', 'code']

/** Gives a text node of one leaf. */
export const textOf = (
  text: string,
  ...marks: string[]
): DocumentNode & { object: 'text'; leaves: Leaf[] } => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks: marks.map(type => ({ object: 'mark', type })) }],
})

/** Adds words to the nodes of a block: to the leaf before them when it has the same marks. */
export const addText = (nodes: DocumentNode[], text: string, marks: readonly string[]): void => {
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

const imageOf = (token: Token): DocumentNode & { isVoid: true } => {
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
 * Gives the words of one block as text nodes, links and images. A line end within them is one in the text;
 * a heading, which has but one line, takes a blank for it.
 */
export const inlinesFromMarkdown = (
  markdown: string,
  references: References,
  lineEnd: '\n' | ' ' = '\n',
): DocumentNode[] => {
  const tokens: Token[] = []
  grammar.inline.parse(markdown, grammar, references, tokens)
  const top: DocumentNode[] = []
  let nodes = top
  const open: string[] = []
  const marks = (...more: string[]) => markOrder.filter(mark => open.includes(mark) || more.includes(mark))
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
    else if (token.type === 'softbreak' || token.type === 'hardbreak') addText(nodes, lineEnd, marks())
    else if (token.type === 'code_inline') addText(nodes, token.content, marks('code'))
    else addText(nodes, token.content, marks())
  }
  return top
}

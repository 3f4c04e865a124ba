import { keyOf, keyOfImage, keyOfText, type Side } from './keys.ts'
import type { PageNode } from './nodes.ts'

/**
 * A word, a run of white space, another character, or an element in a line. `key` is equal if a
 * reader sees the same.
 */
export type Token = { key: number; nodes: PageNode[]; size: number; blank: boolean }

// Scripts that write words without spaces between them are compared character by character.
const unspaced =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}'
const word = new RegExp(
  `\\s+|[[\\p{L}\\p{N}\\p{M}_]--[${unspaced}]]+|\\p{RGI_Emoji}|[^\\s]\\p{M}*`,
  'gv',
)
const line = /[^\n]*\n|[^\n]+/g
const run = new RegExp(`[[\\p{L}\\p{N}\\p{M}_]--[${unspaced}]]+|[${unspaced}]+`, 'gv')
// The same for ASCII, which is faster.
const isPlain = /^[\x00-\x7f]*$/
const plainWord = /\s+|\w+|[^\s\w]/g
const plainRun = /\w+/g
const isUnspaced = new RegExp(`^[${unspaced}]`, 'v')

/**
 * What is compared: words with any white space between them, words and exact white space, or lines.
 */
export type Grain = 'words' | 'code' | 'lines'

/** Returns the tokens of a line of words. */
export function tokensOf(side: Side, nodes: readonly PageNode[], grain: Grain): Token[] {
  const tokens: Token[] = []
  for (const node of nodes) {
    if (typeof node === 'string') {
      const token = grain === 'lines' ? line : isPlain.test(node) ? plainWord : word
      for (const text of node.match(token) ?? []) addText(side, tokens, text, text, grain)
    } else if (node.name === '#wrap') addText(side, tokens, '\n', node, grain)
    else {
      const key = node.name === 'img' ? keyOfImage(side, node) : keyOf(side, node)
      tokens.push({ key, nodes: [node], size: 1, blank: false })
    }
  }

  return tokens
}

function addText(side: Side, tokens: Token[], text: string, node: PageNode, grain: Grain): void {
  const blank = grain === 'words' && !/\S/.test(text)
  const last = tokens.at(-1)
  if (blank && last?.blank) {
    last.nodes.push(node)
    return
  }
  tokens.push({ key: keyOfText(side, blank ? ' ' : text), nodes: [node], size: text.length, blank })
}

/**
 * Adds the words of a text in lower case to a set; of scripts without spaces, each two characters
 * in a row.
 */
export function addWordsOf(text: string, words: Set<string>): void {
  for (const found of text.toLowerCase().match(isPlain.test(text) ? plainRun : run) ?? []) {
    if (found.length < 3 || !isUnspaced.test(found)) words.add(found)
    else for (let at = 0; at + 2 <= found.length; at++) words.add(found.slice(at, at + 2))
  }
}

import type { Env } from 'markdown-it'
import { type BlockState, newGrammar, pushParagraph } from '../markdown/grammar.ts'
import { useAttributeLists } from './attribute-lists.ts'
import { useAutolinks } from './autolinks.ts'
import { useContainers } from './containers.ts'
import { useDefinitions } from './definitions.ts'
import { usePlainStates } from './states.ts'
import { useTableCells } from './table-cells.ts'
import { type PageTag, pageTags } from './tags.ts'

/**
 * The Markdown of pages: GitHub's, with HTML, footnotes, formulas and tags. Targets stay as
 * written.
 */
export const pageGrammar = newGrammar({ html: true })

usePlainStates(pageGrammar)
useTableCells(pageGrammar)
useContainers(pageGrammar)
useDefinitions(pageGrammar)
useAttributeLists(pageGrammar)
useAutolinks(pageGrammar)
pageGrammar.normalizeLink = url => url
pageGrammar.validateLink = () => true

/** The footnotes of a text by name. */
export type Notes = Map<string, string>

/** Returns the footnotes found so far in an environment of the parser. */
export function notesOf(env: Env): Notes {
  const kept = env as { notes?: Notes }
  kept.notes ??= new Map()
  return kept.notes
}

const lineOf = (state: BlockState, line: number): string =>
  state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line])

const interrupting = { alt: ['paragraph', 'reference', 'blockquote', 'list'] }

/** The most lines of one tag. */
const mostTagLines = 16

/** Returns the tag at the beginning of a line, the text of its lines, and the line after them. */
function tagAt(
  state: BlockState,
  from: number,
  to: number,
): { tag: PageTag; text: string; next: number } | undefined {
  let text = lineOf(state, from)
  for (let next = from + 1; ; next++) {
    if (text.includes('%}')) {
      const tag = pageTags(text)[0]
      return tag?.start === 0 ? { tag, text, next } : undefined
    }
    if (next >= Math.min(to, from + mostTagLines) || state.isEmpty(next)) return undefined
    text += `\n${lineOf(state, next)}`
  }
}

// A tag at the beginning of a line is a block. The text after it on its last line is a paragraph,
// which may end the tag.
pageGrammar.block.ruler.before(
  'table',
  'tag',
  (state, from, to, silent) => {
    if (!state.src.startsWith('{%', state.bMarks[from]! + state.tShift[from]!)) return false
    // An indented line is code, unless an earlier tag may contain it.
    const env = state.env as { tags?: number }
    if (state.sCount[from]! - state.blkIndent >= 4 && !env.tags) return false

    const found = tagAt(state, from, to)
    if (!found) return false
    if (silent) return true
    env.tags = 1
    state.line = found.next
    const token = state.push('tag', '', 0)

    token.meta = found.tag
    token.map = [from, found.next]
    const rest = found.text.slice(found.tag.end).trim()
    if (rest !== '') pushParagraph(state, rest, from, found.next)

    return true
  },
  interrupting,
)

pageGrammar.block.ruler.before(
  'reference',
  'note',
  (state, from, to, silent) => {
    if (state.sCount[from]! - state.blkIndent >= 4) return false
    const found = /^\[\^([^\]\s]{1,80})\]:[ \t]*/.exec(lineOf(state, from))
    if (!found) return false
    if (silent) return true

    const words = [lineOf(state, from).slice(found[0].length)]
    let next = from + 1

    for (; next < to; next++) {
      const indented = state.sCount[next]! - state.blkIndent >= 4
      if (
        state.isEmpty(next)
          ? !(next + 1 < to && state.sCount[next + 1]! - state.blkIndent >= 4)
          : !indented
      )
        break
      words.push(lineOf(state, next).trim())
    }

    const notes = notesOf(state.env)
    if (!notes.has(found[1]!)) notes.set(found[1]!, words.join('\n').trim())
    state.line = next

    return true
  },
  { alt: ['paragraph'] },
)

pageGrammar.block.ruler.before(
  'fence',
  'formula',
  (state, from, to, silent) => {
    const line = lineOf(state, from).trim()
    if (!line.startsWith('$$') || state.sCount[from]! - state.blkIndent >= 4) return false
    const alone = line.length > 4 && line.indexOf('$$', 2) === line.length - 2
    if (!alone && line.includes('$$', 2)) return false

    let next = from
    if (!alone)
      for (next++; next < to && !state.isEmpty(next) && !lineOf(state, next).includes('$$'); )
        next++
    if (!alone && (next >= to || !lineOf(state, next).trim().endsWith('$$'))) return false
    if (silent) return true

    const text = state.getLines(from, next + 1, state.blkIndent, false).trim()
    const token = state.push('formula', '', 0)

    token.content = text.slice(2, -2).trim()
    state.line = next + 1

    return true
  },
  interrupting,
)

pageGrammar.inline.ruler.before('escape', 'formula', (state, silent) => {
  if (!state.src.startsWith('$$', state.pos)) return false
  const end = state.src.indexOf('$$', state.pos + 2)
  if (end <= state.pos + 2 || end + 2 > state.posMax) return false
  if (!silent) state.push('formula_inline', '', 0).content = state.src.slice(state.pos + 2, end)
  state.pos = end + 2
  return true
})

const noteMark = /\[\^([^\]\s]{1,80})\]/y

pageGrammar.inline.ruler.before('link', 'note', (state, silent) => {
  if (!state.src.startsWith('[^', state.pos)) return false
  noteMark.lastIndex = state.pos
  const found = noteMark.exec(state.src)
  if (!found || state.pos + found[0].length > state.posMax || !notesOf(state.env).has(found[1]!))
    return false
  if (!silent) state.push('note', '', 0).content = found[1]!
  state.pos += found[0].length
  return true
})

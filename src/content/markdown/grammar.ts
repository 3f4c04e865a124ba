import MarkdownIt from 'markdown-it'

/**
 * The deepest level of quotes and lists (a list counts as two). Deeper content is one paragraph.
 */
const deepest = 30

type Rule = Parameters<InstanceType<typeof MarkdownIt>['block']['ruler']['before']>[2]

/** The state of a parser between two blocks. */
export type BlockState = Parameters<Rule>[0]

/** Adds a paragraph of some lines to the blocks that were read. */
export function pushParagraph(state: BlockState, content: string, from: number, to: number): void {
  state.push('paragraph_open', 'p', 1).map = [from, to]
  const inline = state.push('inline', '', 0)
  inline.content = content
  inline.map = [from, to]
  inline.children = []
  state.push('paragraph_close', 'p', -1)
}

function readTooDeep(state: BlockState, from: number, to: number, silent: boolean): boolean {
  if (state.level < deepest) return false
  if (silent) return true
  let end = from + 1
  while (end < to && (state.isEmpty(end) || state.sCount[end]! >= state.blkIndent)) end++
  state.line = end
  pushParagraph(state, state.getLines(from, end, state.blkIndent, false).trim(), from, end)
  return true
}

type InlineRule = Parameters<InstanceType<typeof MarkdownIt>['inline']['ruler']['before']>[2]

/** Reads a run of tildes that is no mark of strikethrough: only two are. */
const readTildes: InlineRule = (state, silent) => {
  let end = state.pos
  while (end < state.posMax && state.src[end] === '~') end++
  const size = end - state.pos
  if (size === 0 || size === 2) return false
  if (!silent) state.pending += '~'.repeat(size)
  state.pos = end
  return true
}

/**
 * Returns a new parser of Markdown: CommonMark, tables and `~~strikethrough~~`. The texts of links
 * stay as written. Callers add their rules.
 */
export function newGrammar(options: { html: boolean }): InstanceType<typeof MarkdownIt> {
  const grammar = new MarkdownIt(options)
  grammar.normalizeLinkText = text => text
  // The parser would drop content that is nested too deeply.
  grammar.block.ruler.before('table', 'too-deep', readTooDeep)
  grammar.inline.ruler.before('strikethrough', 'tildes', readTildes)
  return grammar
}

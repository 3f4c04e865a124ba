import MarkdownIt from 'markdown-it'

/** The deepest level of quotes and lists (a list counts as two). Deeper content is text. */
const deepest = 30

/**
 * The Markdown of comments and descriptions: CommonMark and `~~strikethrough~~`. HTML and tables are text. The grammar
 * returns blocks without parsed inlines; callers parse these when their context is known.
 */
export const grammar = new MarkdownIt({ html: false })

grammar.core.ruler.enableOnly(['normalize', 'block'])
grammar.disable('table')
// Targets stay as written, but on one line. A URL that a browser would execute is not a link.
grammar.normalizeLink = url => url.replace(/[\r\n]+/g, '%0A')
grammar.normalizeLinkText = text => text

// The parser would drop content that is nested too deeply.
grammar.block.ruler.before('table', 'too-deep', (state, from, to, silent) => {
  if (state.level < deepest) return false
  if (silent) return true
  let end = from + 1
  while (end < to && (state.isEmpty(end) || state.sCount[end]! >= state.blkIndent)) end++
  state.line = end
  state.push('paragraph_open', 'p', 1)
  const inline = state.push('inline', '', 0)
  inline.content = state.getLines(from, end, state.blkIndent, false).trim()
  inline.children = []
  state.push('paragraph_close', 'p', -1)
  return true
})

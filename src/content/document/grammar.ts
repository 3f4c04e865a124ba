import MarkdownIt from 'markdown-it'

/** How many levels of quotes and lists (a list counts as two) are read as such: what lies deeper stays text. */
const deepest = 30

/**
 * The Markdown that people discuss in: CommonMark and `~~strikethrough~~`. HTML and tables are text, as written.
 * Its blocks come without their inlines: these are read one by one, when it is known what they stand in.
 */
export const grammar = new MarkdownIt({ html: false })

grammar.core.ruler.enableOnly(['normalize', 'block'])
grammar.disable('table')
// Targets are kept as they were written, but on one line; an address that a browser would run makes no link.
grammar.normalizeLink = url => url.replace(/[\r\n]+/g, '%0A')
grammar.normalizeLinkText = text => text

// What is nested deeper than the parser goes, it would leave out.
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

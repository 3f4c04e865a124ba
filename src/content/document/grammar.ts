import { newGrammar } from '../markdown/grammar.ts'

/**
 * The Markdown of comments and descriptions: CommonMark and `~~strikethrough~~`. HTML and tables
 * are text. The grammar returns blocks without parsed inlines; callers parse these when their
 * context is known.
 */
export const grammar = newGrammar({ html: false })

grammar.core.ruler.enableOnly(['normalize', 'block'])
grammar.disable('table')
// Targets stay as written, but on one line. A URL that a browser would execute is not a link.
grammar.normalizeLink = url => url.replace(/[\r\n]+/g, '%0A')

import hljs from 'highlight.js/lib/core'
import { escapeHtml } from './escape.ts'
import { languages } from './languages.ts'

/** Longer code is plain. */
const longest = 16 * 1024

/**
 * Long words, lines and gaps, which also make code plain: some grammars take time in proportion to
 * the square of their length.
 */
const tangled = /\S{200}|\s{200}|[^\n]{1000}/

/**
 * The most characters of C# without punctuation: its grammar takes time in proportion to the square
 * of their number.
 */
const mostWords = 300

const isTangled = (text: string, grammar: string): boolean =>
  tangled.test(text) ||
  (grammar === 'csharp' && text.split(/[^\w\s]+/).some(words => words.length > mostWords))

/** How many characters of code a page may have coloured; later code is plain. */
export const codeRoom = 64 * 1024

/** A block takes at least as much room: colouring a word takes as long as colouring a line. */
const leastRoom = 64

/** The grammar and the label of each language by its names in lower case. */
const known = new Map<string, { grammar: string; label: string }>()

for (const [label, { grammar, names }] of Object.entries(languages)) {
  const [first = '', ...others] = names.split(' ')
  hljs.registerLanguage(first, grammar)
  // Grammars name the grammars of what is embedded in them.
  hljs.registerAliases(others, { languageName: first })
  for (const name of [first, ...others]) known.set(name, { grammar: first, label })
}

/** Returns the name of a language for readers; undefined for an unknown one. */
export const languageLabel = (name: string): string | undefined =>
  known.get(name.toLowerCase())?.label

/**
 * Returns code as HTML with a class for each kind of word. Code in an unknown language, code over
 * 16 KB or with long lines, and code for which the page has no room left (`room.codeRoom`, which is
 * reduced) is plain.
 */
export function highlighted(code: string, language: string, room: { codeRoom: number }): string {
  const grammar = known.get(language.toLowerCase())?.grammar
  const text = code.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')
  if (
    grammar === undefined ||
    text.length > Math.min(longest, room.codeRoom) ||
    (text.length >= 200 && isTangled(text, grammar))
  )
    return escapeHtml(text)

  room.codeRoom -= Math.max(text.length, leastRoom)

  return hljs.highlight(text, { language: grammar, ignoreIllegals: true }).value
}

/**
 * Returns the lines of highlighted code; elements that span several lines are closed and opened
 * again.
 */
export function linesOf(html: string): string[] {
  const open: string[] = []
  return html.split('\n').map(line => {
    const opened = open.join('')
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g))
      if (tag === '</span>') open.pop()
      else open.push(tag)
    return opened + line + '</span>'.repeat(open.length)
  })
}

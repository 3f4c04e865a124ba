import { escapeWords } from '../markdown/plain-text.ts'

/**
 * The surroundings of a text: the adjacent characters, '' for none, and whether it is first on its
 * line.
 */
type Around = { before: string; after: string; first: boolean }

/** Escapes a text for raw HTML, so that it contains no markup, no blank line and no block tag. */
export function asHtml(text: string, { before, after }: Around): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replace(/\r\n?|\n/g, '&#10;')
    .replace(/\{(?=%)/g, '&#123;')
  const opened = before === '{' && escaped.startsWith('%') ? `&#37;${escaped.slice(1)}` : escaped
  return after === '%' && opened.endsWith('{') ? `${opened.slice(0, -1)}&#123;` : opened
}

/**
 * Escapes a text for Markdown, so that it is rendered as exactly this text in any surroundings.
 * Leading and trailing blanks and line ends are written as character references, so that they are
 * kept.
 */
export function asMarkdown(text: string, around: Around): string {
  const start = text.length - text.trimStart().length
  const end = Math.max(start, text.trimEnd().length)

  // After a quote or an equals sign it may be inside an attribute, and must not start another one.
  const inAttribute = /["'=]/.test(around.before)
  const words = text
    .slice(start, end)
    .split(/([\r\n]+)/)
    .map((part, index) => (index % 2 === 1 ? references(part) : escapeWords(part)))
    .join('')
    .replace(/\\[\s\S]|[|<>`]/g, found => replacements[found] ?? found)
    .replace(/\\[\s\S]|["']/g, found =>
      inAttribute && found.length === 1 ? references(found) : found,
    )
  const ended = end < text.length || words === '' ? words : guardEnd(words, around)
  const begun = start > 0 || ended === '' ? ended : guardStart(ended, around)

  return references(text.slice(0, start)) + begun + references(text.slice(end))
}

/**
 * Inside inline code that begins earlier, a backslash does not escape a backtick, so references are
 * used.
 */
const replacements: Readonly<Record<string, string>> = {
  '\\`': '&#96;',
  '`': '&#96;',
  '|': '\\|',
  '\\<': '&lt;',
  '<': '&lt;',
  '\\>': '&gt;',
  '>': '&gt;',
}

const references = (blanks: string): string =>
  [...blanks].map(blank => `&#${blank === ' ' ? 'x20' : blank.charCodeAt(0)};`).join('')

const isMark = (char: string): boolean => /[!-/:-@[-`{-~]/.test(char)

/** A marker that would start a block at the beginning of a line, up to the character to escape. */
const beginsBlock = /^(\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:\s|$)|#{1,6}(?:\s|$)|:-|[-=](?:[-= ]*$)))/

function guardStart(words: string, { before, after, first }: Around): string {
  const head = words[0]!
  const asReference = () => `&#${head.charCodeAt(0)};${words.slice(1)}`

  // A number that is followed by a point would start a list.
  if ((first || /\d/.test(before)) && /^\d{1,9}$/.test(words) && /[.)]/.test(after))
    return asReference()
  if (first) return words.replace(beginsBlock, '$1\\')

  // The preceding digits and its own form one number, which starts a list if a point follows.
  if (/\d/.test(before) && /^\d{0,8}[.)](?:\s|$)/.test(words))
    return words.replace(/(?=[.)])/, '\\')
  if (before === '&' && /[#A-Za-z]/.test(head)) return asReference()

  return joinsBefore(before, head) ? `\\${words}` : words
}

/** Returns whether a character would form markup with the one before it, and can be escaped. */
function joinsBefore(before: string, head: string): boolean {
  if (head === '\\' || head === '&') return false
  if (before === ']') return /[(:\]]/.test(head)
  return (before === '{' && head === '%') || (before === head && isMark(head))
}

function guardEnd(words: string, { after }: Around): string {
  const tail = words.at(-1)!
  const isEscaped = /(?:^|[^\\])(?:\\\\)*\\$/.test(words.slice(-200, -1))
  if (isEscaped || !isMark(tail) || tail === ';') return words

  const joins =
    (tail === '!' && after === '[') ||
    (tail === '{' && after === '%') ||
    (tail === '&' && /[#A-Za-z]/.test(after)) ||
    // Number signs at the end of a heading are not part of its text.
    (tail === '#' && /(?:^|\s)#+$/.test(words.slice(-50))) ||
    tail === after

  return joins ? `${words.slice(0, -1)}\\${tail}` : words
}

import { escapeWords } from '../markdown/plain-text.ts'

/** What stands around a text: the characters next to it, '' for none, and whether it is first on its line. */
export type Around = { before: string; after: string; first: boolean }

/** A text as it stands in raw HTML: no tag, no attribute, no end of a block, no tag of ours. */
export const asHtml = (text: string, { before, after }: Around): string => {
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
 * A text as it stands in Markdown: read there, it is this text and nothing else, whatever stands beside it. Blanks at
 * its ends and its line ends are written as references, so that it stays where it is.
 */
export const asMarkdown = (text: string, around: Around): string => {
  const start = text.length - text.trimStart().length
  const end = Math.max(start, text.trimEnd().length)
  // Behind a quote it may stand in an attribute, and is not to begin another one.
  const inAttribute = /["'=]/.test(around.before)
  const words = text
    .slice(start, end)
    .split(/([\r\n]+)/)
    .map((part, index) => (index % 2 === 1 ? references(part) : escapeWords(part)))
    .join('')
    .replace(/\\[\s\S]|[|<>`]/g, found => replacements[found] ?? found)
    .replace(/\\[\s\S]|["']/g, found => (inAttribute && found.length === 1 ? references(found) : found))
  const ended = end < text.length || words === '' ? words : guardEnd(words, around)
  const begun = start > 0 || ended === '' ? ended : guardStart(ended, around)
  return references(text.slice(0, start)) + begun + references(text.slice(end))
}

/** In inline code that begins before them a backslash would not keep backticks from ending it. */
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

/** What would begin another block at the beginning of a line, in front of its last character that can be escaped. */
const beginsBlock = /^(\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:\s|$)|#{1,6}(?:\s|$)|:-|[-=](?:[-= ]*$)))/

function guardStart(words: string, { before, after, first }: Around): string {
  const head = words[0]!
  const asReference = () => `&#${head.charCodeAt(0)};${words.slice(1)}`
  // A number before a point that stands behind it would begin a list.
  if ((first || /\d/.test(before)) && /^\d{1,9}$/.test(words) && /[.)]/.test(after)) return asReference()
  if (first) return words.replace(beginsBlock, '$1\\')
  // Digits before it and its own make one number, and a list with a point behind it.
  if (/\d/.test(before) && /^\d{0,8}[.)](?:\s|$)/.test(words)) return words.replace(/(?=[.)])/, '\\')
  if (before === '&' && /[#A-Za-z]/.test(head)) return asReference()
  const joins =
    (before === ']' && /[(:]/.test(head)) ||
    (before === '{' && head === '%') ||
    (before === head && isMark(head))
  return joins && head !== '\\' && head !== '&' ? `\\${words}` : words
}

function guardEnd(words: string, { after }: Around): string {
  const tail = words.at(-1)!
  const isEscaped = /(?:^|[^\\])(?:\\\\)*\\$/.test(words.slice(-200, -1))
  if (isEscaped || !isMark(tail) || tail === ';') return words
  const joins =
    (tail === '!' && after === '[') ||
    (tail === '{' && after === '%') ||
    (tail === '&' && /[#A-Za-z]/.test(after)) ||
    // The marks at the end of a heading are none of its words.
    (tail === '#' && /(?:^|\s)#+$/.test(words.slice(-50))) ||
    tail === after
  return joins ? `${words.slice(0, -1)}\\${tail}` : words
}

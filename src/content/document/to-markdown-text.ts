import { grammar } from './grammar.ts'

/** Reports whether a value is an object, not an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value that is an array, or an empty array. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the first of the named fields that is a non-empty string; '' if none is. */
export function textIn(value: unknown, ...names: string[]): string {
  if (!isRecord(value)) return ''
  const found = names.map(name => value[name]).find(text => typeof text === 'string' && text !== '')
  return typeof found === 'string' ? found.toWellFormed() : ''
}

/** Returns all text of a node, at any depth. */
export function wordsIn(node: unknown): string {
  const waiting = [node]
  let words = ''
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (!isRecord(next)) continue
    words += textIn(next, 'text')
    const inside = [...listOf(next.leaves), ...listOf(next.nodes), ...listOf(next.fragments)]
    for (const child of inside.reverse()) waiting.push(child)
  }

  return words
}

/** Returns a character as a numeric reference, or unchanged if it cannot be written as one. */
export function byNumber(char: string): string {
  const point = char.codePointAt(0)!
  return grammar.utils.isValidEntityCode(point) ? `&#x${point.toString(16).toUpperCase()};` : char
}

/** Returns text escaped for the middle of a line, between other text. */
export const escapeInline = (text: string): string =>
  text
    .replace(/[\\`*[\]]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|~(?=~|$)|(?<=~|^)~/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replaceAll('\r', '&#xD;')

const keepBlanks = (line: string): string =>
  line.replace(/^[ \t]|(?<=.)[ \t]$/gs, blank => (blank === ' ' ? '&#x20;' : '&#x9;'))

/** Escapes the beginning of a line that would start a block or underline the line above. */
function guard(line: string): string {
  if (/^[-=|: \t]+$/.test(line) || /^(?:>|#{1,6}(?=[ \t]|$)|[+-](?=[ \t]|$))/.test(line))
    return `\\${line}`
  return line.replace(/^(\d{1,9})([.)])(?=[ \t]|$)/, '$1\\$2')
}

/** Returns inline Markdown as a paragraph; its line endings and the spaces beside them stay. */
export function paragraphFrom(inline: string): string {
  const lines = inline.split('\n').map(keepBlanks)
  return lines
    .map((line, at) => {
      if (at === 0) return guard(line)
      // A line ending beside an empty line would end the paragraph.
      return line === '' || lines[at - 1] === '' ? `&#xA;${line}` : `\\\n${guard(line)}`
    })
    .join('')
}

/** Returns inline Markdown as a heading on one line. */
export function headingFrom(inline: string, level: number): string {
  const line = keepBlanks(inline.replaceAll('\n', '&#xA;')).replace(/#$/, '\\#')
  return line === '' ? '#'.repeat(level) : `${'#'.repeat(level)} ${line}`
}

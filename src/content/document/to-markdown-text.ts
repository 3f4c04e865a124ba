import { grammar } from './grammar.ts'

/** Says whether a value is an object with keys. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Gives what a value holds when it is a list, and nothing when it is not. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Gives the first of the named values that is a text and not empty; '' when none is. */
export const textIn = (value: unknown, ...names: string[]): string => {
  if (!isRecord(value)) return ''
  const found = names.map(name => value[name]).find(text => typeof text === 'string' && text !== '')
  return typeof found === 'string' ? found.toWellFormed() : ''
}

/** Gives all that is written within a node, however deep it is. */
export const wordsIn = (node: unknown): string => {
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

/** Gives a character as its number, which reads as nothing else; as it is when it may not be written so. */
export const byNumber = (char: string): string => {
  const point = char.codePointAt(0)!
  return grammar.utils.isValidEntityCode(point) ? `&#x${point.toString(16).toUpperCase()};` : char
}

/** Gives words as Markdown that reads as just them within a line. What stands before and behind is not marks. */
export const escapeInline = (text: string): string =>
  text
    .replace(/[\\`*[\]]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|~(?=~|$)|(?<=~|^)~/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replaceAll('\r', '&#xD;')

/** Gives words as a span of code. A line end becomes a blank, as in every span. */
export const codeSpan = (text: string): string => {
  const line = text.replace(/\r\n?|\n/g, ' ')
  const runs = new Set(line.match(/`+/g))
  let fence = '`'
  while (runs.has(fence)) fence += '`'
  const stripped = line.startsWith(' ') && line.endsWith(' ') && /[^ ]/.test(line)
  const pad = stripped || line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${line}${pad}${fence}`
}

const keepBlanks = (line: string): string =>
  line.replace(/^[ \t]|(?<=.)[ \t]$/gs, blank => (blank === ' ' ? '&#x20;' : '&#x9;'))

/** Escapes what would make the line of a paragraph another block, or the underline of the one above. */
const guard = (line: string): string => {
  if (/^[-=|: \t]+$/.test(line) || /^(?:>|#{1,6}(?=[ \t]|$)|[+-](?=[ \t]|$))/.test(line)) return `\\${line}`
  return line.replace(/^(\d{1,9})([.)])(?=[ \t]|$)/, '$1\\$2')
}

/** Gives inline Markdown as a paragraph: its line ends and the blanks beside them stay. */
export const paragraphFrom = (inline: string): string => {
  const lines = inline.split('\n').map(keepBlanks)
  return lines
    .map((line, at) => {
      if (at === 0) return guard(line)
      // A line end beside an empty line would end the paragraph.
      return line === '' || lines[at - 1] === '' ? `&#xA;${line}` : `\\\n${guard(line)}`
    })
    .join('')
}

/** Gives inline Markdown as a heading of a level, which is one line. */
export const headingFrom = (inline: string, level: number): string => {
  const line = keepBlanks(inline.replaceAll('\n', '&#xA;')).replace(/#$/, '\\#')
  return line === '' ? '#'.repeat(level) : `${'#'.repeat(level)} ${line}`
}

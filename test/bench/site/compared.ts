/** Writes both versions of a page of one kind of part with so many bytes each. */
type Write = (bytes: number) => { before: string; after: string }

/**
 * Returns the parts of a page of so many bytes. `before` and `after` return a part of the former
 * and of the later version.
 */
const parts =
  (before: (at: number) => string, after: (at: number) => string, head = ''): Write =>
  bytes => {
    const both = { before: [head], after: [head] }
    for (let at = 0, size = head.length; size < bytes; at++) {
      const next = before(at)
      size += next.length
      both.before.push(next)
      both.after.push(after(at))
    }
    return { before: both.before.join(''), after: both.after.join('') }
  }

/**
 * Returns a page in which the word `old` of every part is another one in the later version; `#`
 * becomes a number.
 */
const edited = (part: string, head?: string): Write =>
  parts(
    at => part.replaceAll('#', String(at)),
    at => part.replaceAll('#', String(at)).replaceAll('old', 'new'),
    head,
  )

const paragraph = (at: number): string =>
  `Paragraph ${at} has words like ${at * 7} and ${at * 13} in it.\n\n`

/** Pages in which every part is another one than before: what costs the most for each byte. */
export const comparedKinds: Readonly<Record<string, Write>> = {
  lines: edited('old#\n\n'),
  list: edited('* old# b c\n'),
  'mixed list': parts(
    at => `* item ${at}\n${at % 3 === 0 ? `  1. inner old${at}\n` : ''}`,
    at =>
      `* ${at % 2 === 0 ? 'item' : 'other'} ${at}\n${at % 3 === 0 ? `  1. inner new${at}\n` : ''}`,
  ),
  table: edited('|old#|y|\n', '|a|b|\n|-|-|\n'),
  headings: edited('## Part old#\n\n'),
  'headings and text': edited('## Part #\n\nText old# of it.\n\n'),
  'reversed paragraphs': bytes => {
    const { before } = parts(paragraph, paragraph)(bytes)
    return { before, after: before.trimEnd().split('\n\n').reverse().join('\n\n').concat('\n') }
  },
  words: edited('word# old '),
  code: edited('line old#\n', '```\n'),
  nested: edited('> * old#\n>   * b#\n\n'),
}

import { byNumber, escapeInline } from './to-markdown-text.ts'

/** The marks that Markdown has, the outermost first. A mark of code goes within them all. */
export const marksKnown = ['bold', 'italic', 'strikethrough'] as const

/** One of the marks that Markdown has. */
export type Mark = (typeof marksKnown)[number]

/** Words, of which the first or last character may have to be written by its number, lest a mark beside it be none. */
type Words = { kind: 'words'; text: string; first: boolean; last: boolean }

/** A piece of a line: words to be escaped, a mark that begins or ends something, or what is Markdown already. */
export type Piece = Words | { kind: 'open' | 'close'; mark: Mark } | { kind: 'markdown'; text: string }

const edgeOf = ({ text }: Words, first: boolean): string => Array.from(text).at(first ? 0 : -1)!

const isByNumber = (words: Words, first: boolean): boolean => {
  const single = edgeOf(words, true) === words.text
  return single ? words.first || words.last : words[first ? 'first' : 'last']
}

/** What a parser takes for a blank or a mark of punctuation, whatever its table of characters. */
const apart = /^[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000!-/:-@[-`{-~]$/u

/**
 * Sees to it that a sign makes a mark. Beside it, within, stands no blank; and without, nothing that it could belong
 * to, unless there is a letter within and the sign is one that may stand in the middle of a word.
 */
const secure = (pieces: readonly Piece[], at: number, signs: Record<Mark, string>): void => {
  const piece = pieces[at]!
  if (piece.kind !== 'open' && piece.kind !== 'close') return
  const opens = piece.kind === 'open'
  const inner = pieces[opens ? at + 1 : at - 1]
  const outer = pieces[opens ? at - 1 : at + 1]
  let loose = false
  if (inner?.kind === 'words') {
    const char = edgeOf(inner, opens)
    if (/\s/.test(char)) inner[opens ? 'first' : 'last'] = true
    loose = signs[piece.mark] !== '_' && /[\p{L}\p{N}]/u.test(char) && !isByNumber(inner, opens)
  }
  if (!loose && outer?.kind === 'words' && !apart.test(edgeOf(outer, !opens)))
    outer[opens ? 'last' : 'first'] = true
}

const written = (words: Words, next: Piece | undefined): string => {
  const chars = Array.from(words.text)
  const first = words.first ? byNumber(chars.shift()!) : ''
  const last = words.last && chars.length > 0 ? byNumber(chars.pop()!) : ''
  const text = first + escapeInline(chars.join('')) + last
  const link = next?.kind === 'markdown' && next.text.startsWith('[')
  return link ? text.replace(/!$/, '\\!') : text
}

/** Gives pieces as inline Markdown in which the words are just words, and every mark is one. Changes the pieces. */
export const joinPieces = (pieces: readonly Piece[]): string => {
  // Stars of both kinds side by side would be counted together. `_` is no mark in the middle of a word.
  const bold = pieces.some(piece => piece.kind === 'open' && piece.mark === 'bold')
  const signs: Record<Mark, string> = { bold: '**', italic: bold ? '_' : '*', strikethrough: '~~' }
  // A character that is written by its number is no letter to the sign on its other side: so in this order.
  for (let at = 0; at < pieces.length; at++) if (pieces[at]!.kind === 'close') secure(pieces, at, signs)
  for (let at = pieces.length; at-- > 0; ) if (pieces[at]!.kind === 'open') secure(pieces, at, signs)
  return pieces
    .map((piece, at) => {
      if (piece.kind === 'words') return written(piece, pieces[at + 1])
      return piece.kind === 'markdown' ? piece.text : signs[piece.mark]
    })
    .join('')
}

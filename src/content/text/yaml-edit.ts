import {
  isNode,
  isScalar,
  type Node,
  type Pair,
  parse,
  Scalar,
  stringify,
  visit,
  type YAMLMap,
} from 'yaml'
import { blanksAfter, eolOf, lineAt, type Splice, skipBlanks } from './lines.ts'
import type { Range } from './range.ts'

/*
 * Edits of a block map as splices of its source, located by the ranges of the parsed nodes:
 * everything outside of a splice keeps its bytes. `CST.setScalarValue` of the parser would do for
 * values alone, not for new and removed pairs.
 */

/**
 * Returns the splice that replaces the value of a pair. `text` is YAML with LF between its lines,
 * indented as for a map without indentation; one that starts with LF is put below the key. A tag or
 * an anchor is removed with the old value; a comment behind it stays behind the first line of the
 * new one.
 */
export function replaceValue(source: string, pair: Pair, text: string): Splice {
  const node = pair.value
  const colon = colonOf(source, pair)
  const indent = indentAt(source, keyStart(pair))
  const end = valueEnd(source, pair)
  const comment = source.slice(end, lineAt(source, end).end)
  const isMoved = text.includes('\n') && comment.trim() !== ''
  const scalar = /^[|>]/.test(text)
    ? text.replaceAll('\n', `\n${padding(source, end, indent)}`)
    : text
  const written = isMoved ? scalar.replace('\n', () => `${comment}\n`) : scalar
  const range = isScalar(node) && !node.tag && !node.anchor ? node.range : undefined
  const isInPlace = range && range[1] > range[0] && !text.startsWith('\n')
  const blank = isInPlace || text.startsWith('\n') ? '' : ' '

  // A key that is marked with `?` may stand alone: its value goes on a line of its own.
  const mark = source[colon] === ':' ? '' : '\n:'

  return {
    start: isInPlace ? range[0] : colon + 1,
    end: isMoved ? end + comment.length : end,
    text: (mark + blank + written).replaceAll('\n', eolOf(source) + indent),
  }
}

/**
 * Returns the blanks that a block scalar needs before each line, lest the comments below it become
 * a part of it.
 */
function padding(source: string, end: number, { length }: string): string {
  const below = commentsBelow(source, lineAt(source, end).next, length)
  return ' '.repeat(Math.max(0, (below?.indent ?? 0) - length - 1))
}

/**
 * Returns the splice that removes a pair of a map: its lines with the comments on them, not the
 * comments above.
 */
export function removePair(source: string, map: YAMLMap, pair: Pair): Splice {
  const lines = linesOfPair(source, pair)
  const previous = map.items[map.items.indexOf(pair) - 1]
  return { start: lines.start, end: endOfRemoval(source, lines.end, pair, previous), text: '' }
}

/**
 * Extends a removal over lines that would become part of a block scalar above: indented comments
 * and blank lines.
 */
function endOfRemoval(source: string, end: number, pair: Pair, previous: Pair | undefined): number {
  const isBelowScalar = previous !== undefined && isBlockScalar(previous.value)
  const depth = indentAt(source, keyStart(pair)).length
  const last = (isBelowScalar && commentsBelow(source, end, depth)?.end) || end
  // A value with `+` in its header includes the blank lines below it.
  const keeps =
    keepsBlankLines(source, pair) || (isBelowScalar && keepsBlankLines(source, previous))
  return keeps ? blanksAfter(source, last) : last
}

/**
 * Finds the comments below an offset, blank lines between them, that are indented by more than
 * `depth` characters.
 */
function commentsBelow(
  source: string,
  at: number,
  depth: number,
): { end: number; indent: number } | undefined {
  let found: { end: number; indent: number } | undefined
  for (let line = lineAt(source, at); line.next > line.start; line = lineAt(source, line.next)) {
    const start = skipBlanks(source, line.start)
    const indent = start - line.start
    if (source[start] === '#' && indent > depth)
      found = { end: line.next, indent: Math.max(indent, found?.indent ?? 0) }
    else if (start < line.end && source[start] !== '#') break
  }

  return found
}

/**
 * Returns the splice that inserts pairs at the start of a line or the end of the source, each as in
 * `replaceValue`.
 */
export function insertPairs(
  source: string,
  at: number,
  pairs: readonly string[],
  { indent = '', eol = eolOf(source) },
): Splice {
  const isAtLineStart = at === 0 || /[\r\n\ufeff]/.test(source[at - 1]!)
  const text = pairs.map(pair => `${indent}${pair.replaceAll('\n', eol + indent)}${eol}`).join('')
  return { start: at, end: at, text: (isAtLineStart ? '' : eol) + text }
}

/** Returns the blanks in front of the pairs of a map. */
export function indentOf(source: string, map: YAMLMap): string {
  const [first] = map.items
  return first ? indentAt(source, keyStart(first)) : ''
}

/** Returns the offset of the line on which a pair begins. */
export const startOfPair = (source: string, pair: Pair): number => linesOfPair(source, pair).start

/** Returns the offset behind the last line of a pair. */
export function endOfPair(source: string, pair: Pair): number {
  const end = isNode(pair.value) ? pair.value.range![1] : 0
  return Math.max(linesOfPair(source, pair).end, end)
}

/**
 * Returns the offset at which the document of a source ends: in front of `...`, or at the end of
 * the source.
 */
export function endOfDocument(source: string): number {
  return /^\.\.\.[ \t]*$/m.exec(source)?.index ?? source.length
}

/**
 * Returns whether an alias outside of a pair refers to an anchor in its value, which must then
 * stay.
 */
export function isShared(map: YAMLMap, pair: Pair): boolean {
  const anchors = new Set<string>()
  visit(pair.value as Node, {
    Node(_key, node) {
      if ('anchor' in node && node.anchor) anchors.add(node.anchor)
    },
  })
  let isUsed = false

  if (anchors.size > 0)
    visit(map, {
      Pair: (_key, other) => (other === pair ? visit.SKIP : undefined),
      Alias(_key, alias) {
        isUsed ||= anchors.has(alias.source)
      },
    })

  return isUsed
}

/**
 * Returns a scalar as YAML on one line, in the given style if possible; reading it returns exactly
 * this value.
 */
export function writeScalar(value: string | number | boolean, style?: Scalar.Type): string {
  const scalar = new Scalar(value)
  if (style) scalar.type = style
  const text = stringify(scalar, { lineWidth: 0, blockQuote: false }).replace(/\n$/, '')
  return text.includes('\n') || !Object.is(readBack(text), value) ? JSON.stringify(value) : text
}

function readBack(text: string): unknown {
  try {
    return (parse(`k: ${text}\n`, { logLevel: 'silent' }) as Record<string, unknown>).k
  } catch {
    return undefined
  }
}

const keyStart = (pair: Pair): number => (pair.key as Node).range![0]

/** The lines of a pair, up to the end of the line on which its value ends. */
function linesOfPair(source: string, pair: Pair): Range {
  return {
    start: lineStart(source, keyStart(pair)),
    end: lineAt(source, valueEnd(source, pair)).next,
  }
}

function lineStart(source: string, at: number): number {
  let start = at
  while (start > 0 && !/[\r\n\ufeff]/.test(source[start - 1]!)) start--
  return start
}

function indentAt(source: string, at: number): string {
  const start = lineStart(source, at)
  return source.slice(start, skipBlanks(source, start))
}

/** Where the value of a pair ends, without the blank lines below a block scalar. */
function valueEnd(source: string, pair: Pair): number {
  const colon = colonOf(source, pair)
  const from = isNode(pair.value) ? pair.value.range![1] : colon + 1
  let end = Math.max(from, colon + 1)
  while (end > colon + 1 && /\s/.test(source[end - 1]!)) end--
  return isBlockScalar(pair.value) ? skipBlanks(source, end) : end
}

/**
 * Where the `:` of a pair is, or the last character of a key without one. Blanks, line ends and
 * comments may precede it.
 */
function colonOf(source: string, pair: Pair): number {
  const rest = /(?:\s|(?<=\s)#[^\r\n]*)*/y
  const end = (pair.key as Node).range![1]
  rest.lastIndex = end
  const at = end + rest.exec(source)![0].length
  return source[at] === ':' ? at : end - 1
}

const isBlockScalar = (node: unknown): node is Scalar =>
  isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')

/**
 * Returns whether the value of a pair includes the blank lines below it: a block scalar with `+` in
 * its header.
 */
function keepsBlankLines(source: string, { value }: Pair): boolean {
  if (!isBlockScalar(value)) return false
  const { start, end } = lineAt(source, value.range![0])
  return source.slice(start, end).split('#')[0]!.includes('+')
}

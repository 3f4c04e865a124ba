import { isDeepStrictEqual } from 'node:util'
import {
  isMap,
  isNode,
  isScalar,
  type Pair,
  parseDocument,
  type Scalar,
  stringify,
  type YAMLMap,
} from 'yaml'
import { Fault } from '../../errors.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { eolOf, isBlank, type Splice, splice } from '../text/lines.ts'
import { nestsTooDeep } from '../text/yaml.ts'
import {
  indentOf,
  insertPairs,
  isShared,
  removePair,
  replaceValue,
  startOfPair,
  writeScalar,
} from '../text/yaml-edit.ts'

/** The values that a key can be set to; `null` removes the key. */
type FrontMatterValue = string | number | boolean | null | object

/** The known keys in the order in which they are written; unknown keys come before them. */
const order = [
  'title',
  'description',
  'hidden',
  'noIndex',
  'noRobotsIndex',
  'icon',
  'emoji',
  'cover',
  'coverDark',
  'coverY',
  'coverHeight',
  'layout',
  'tags',
  'if',
  'metaLinks',
  'vars',
]

/** The width in characters above which a new text is folded. */
const wide = 80

/**
 * Returns the text with keys of its front matter set, or removed where the value is null;
 * `condition` stands for the key `if`. Other keys, comments, order and quoting are preserved. Adds
 * a block if there is none, and removes one that has become empty. Throws `invalid` if the front
 * matter is broken.
 */
export function editFrontMatter(
  text: string,
  set: Record<string, FrontMatterValue | undefined>,
): string {
  const { yaml: range } = splitFrontMatter(text)
  const yaml = range ? text.slice(range.start, range.end) : ''
  const map = readMap(yaml)
  const eol = eolOf(text)
  const changes = Object.entries(set)
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : changeOf(yaml, map, name === 'condition' ? 'if' : name, value, eol),
    )

  return changes.length === 0 ? text : withFrontMatter(text, splice(yaml, ...changes), eol)
}

/**
 * Returns a page with this YAML in place of its front matter; without the block if the YAML is
 * blank.
 */
function withFrontMatter(text: string, yaml: string, eol: string): string {
  const { block, yaml: range, body } = splitFrontMatter(text)
  if (!block || !range)
    return `${text.slice(0, body)}---${eol}${yaml}---${eol}${body < text.length ? eol : ''}${text.slice(body)}`
  if (!isBlank(yaml, 0, yaml.length))
    return text.slice(0, range.start) + yaml + text.slice(range.end)
  const after = text.slice(block.end)
  return text.slice(0, block.start) + after.replace(/^(?:\r\n|\n|\r)/, '')
}

function changeOf(
  yaml: string,
  map: YAMLMap | null,
  key: string,
  value: FrontMatterValue,
  eol: string,
): Splice[] {
  const pair = map?.items.find(item => keyOf(item) === key)
  if (map && pair) return changeOfPair(yaml, map, pair, value)
  if (value === null) return []
  const text = valueText(key, value)
  const line = `${writeScalar(key)}:${text.startsWith('\n') ? '' : ' '}${text}`
  const indent = map ? indentOf(yaml, map) : ''
  return [insertPairs(yaml, placeFor(yaml, map, key), [line], { indent, eol })]
}

function changeOfPair(yaml: string, map: YAMLMap, pair: Pair, value: FrontMatterValue): Splice[] {
  const node = pair.value
  if (value !== null && isDeepStrictEqual(currentValue(node), value)) return []

  if (isShared(map, pair))
    throw new Fault(
      'content_not_editable',
      `The value of "${keyOf(pair)}" in the front matter has an anchor that another key refers to: change it with Git.`,
    )

  if (value === null) return [removePair(yaml, map, pair)]

  const style = isScalar(node) && node.value !== null ? (node.type ?? 'PLAIN') : undefined

  return [replaceValue(yaml, pair, valueText(keyOf(pair), value, style))]
}

/** Returns the YAML of a value, with LF between its lines; a map or a list starts with LF. */
function valueText(key: string, value: NonNullable<FrontMatterValue>, style?: string): string {
  if (typeof value === 'object') {
    const block = stringify(value, { lineWidth: 0, indent: 2 }).replace(/\n$/, '')
    const isEmpty = block === '{}' || block === '[]'
    return isEmpty ? block : `\n${block.replace(/^(?=.)/gm, '  ')}`
  }

  if (typeof value !== 'string') return String(value)
  if (/[\n\r\t]/.test(value)) return JSON.stringify(value)
  if (isFolded(key, value, style)) return fold(value)

  const isQuoted = style === 'QUOTE_DOUBLE' || style === 'QUOTE_SINGLE'

  return writeScalar(value, isQuoted ? (style as Scalar.Type) : undefined)
}

/**
 * Returns whether a text is written as a folded block: if it was one before, or if it is new and
 * too long for a line.
 */
function isFolded(key: string, value: string, style: string | undefined): boolean {
  const canFold =
    /^[^\s](?:[^\s]| (?! ))*$/.test(value) && value.includes(' ') && !value.endsWith(' ')
  const isLong = key.length + 2 + value.length > wide
  return canFold && (style === 'BLOCK_FOLDED' || (isLong && style === undefined))
}

function fold(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 3 > wide) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }

  return ['>-', ...lines, line].join('\n  ')
}

const keyOf = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : '')

function currentValue(node: unknown): unknown {
  if (isScalar(node)) return node.value
  try {
    return isNode(node) ? node.toJSON() : null
  } catch {
    // It holds an alias: different from every value.
    return undefined
  }
}

/**
 * Returns where a new key is inserted: before the first key that is written after it, or at the
 * end.
 */
function placeFor(yaml: string, map: YAMLMap | null, key: string): number {
  const rank = order.indexOf(key)
  const later = map?.items.find(pair => rank !== -1 && order.indexOf(keyOf(pair)) > rank)
  return later ? startOfPair(yaml, later) : yaml.length
}

function readMap(yaml: string): YAMLMap | null {
  if (nestsTooDeep(yaml))
    throw new Fault(
      'content_not_editable',
      'The front matter of this page is nested too deeply to be edited.',
    )
  const document = parseDocument(yaml, {
    uniqueKeys: false,
    merge: false,
    schema: 'core',
    logLevel: 'silent',
  })
  const [error] = document.errors

  if (error) {
    const line = (error.linePos?.[0].line ?? 0) + 1
    throw new Fault(
      'content_not_editable',
      `The front matter of this page is not valid YAML (line ${line}): correct it first.`,
      {
        line,
      },
    )
  }

  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return null
  if (isMap(contents) && !contents.flow) return contents
  throw new Fault(
    'content_not_editable',
    'The front matter of this page is not a block of keys and values: correct it first.',
  )
}

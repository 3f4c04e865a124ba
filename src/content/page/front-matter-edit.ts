import { isDeepStrictEqual } from 'node:util'
import {
  isMap,
  isNode,
  isScalar,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  stringify,
  type YAMLMap,
} from 'yaml'
import { invalid } from '../../errors.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { eolOf, isBlank, lineAt, type Splice, splice } from '../text/lines.ts'
import { nestsTooDeep } from '../text/yaml-depth.ts'

/** What can be put under a key; `null` takes the key away. */
export type FrontMatterValue = string | number | boolean | null | object

/** The keys in the order in which they are written; others stand before them. */
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

const wide = 80

const oneWay = (value: FrontMatterValue, type?: Scalar.Type): string => {
  const scalar = new Scalar(value)
  if (type) scalar.type = type
  return stringify(scalar, { lineWidth: 0 }).replace(/\n$/, '')
}

const fold = (text: string): string => {
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

/** Gives what stands behind `key:`, from the blank on, with LF as line end. */
const valueText = (key: string, value: FrontMatterValue, type?: string): string => {
  if (typeof value === 'object') {
    const block = stringify(value, { lineWidth: 0, indent: 2 }).replace(/\n$/, '')
    const empty = block === '{}' || block === '[]'
    return empty ? ` ${block}` : `\n${block.replace(/^(?=.)/gm, '  ')}`
  }
  if (typeof value !== 'string') return ` ${String(value)}`
  if (/[\n\r\t]/.test(value)) return ` ${JSON.stringify(value)}`
  const foldable = /^[^\s](?:[^\s]| (?! ))*$/.test(value) && value.includes(' ') && !value.endsWith(' ')
  const long = key.length + 2 + value.length > wide
  if (foldable && (type === 'BLOCK_FOLDED' || (long && type === undefined))) return ` ${fold(value)}`
  if (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') return ` ${oneWay(value, type)}`
  return ` ${oneWay(value)}`
}

const keyOf = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : '')

/** Gives the lines of a key: up to the end of its value's last line, comments behind it included. */
const linesOfPair = (yaml: string, pair: Pair): { start: number; end: number } => {
  const keyStart = (pair.key as Node).range![0]
  let start = keyStart
  while (start > 0 && !/[\r\n]/.test(yaml[start - 1]!)) start--
  let end = valueEnd(yaml, pair)
  end = lineAt(yaml, end).next
  return { start, end }
}

const valueEnd = (yaml: string, pair: Pair): number => {
  const from = (pair.key as Node).range![1]
  let end = isNode(pair.value) ? Math.max(pair.value.range![1], from) : from
  while (end > from && /\s/.test(yaml[end - 1]!)) end--
  const colon = yaml.indexOf(':', from)
  return Math.max(end, colon + 1)
}

const currentValue = (node: unknown): unknown => {
  if (isScalar(node)) return node.value
  try {
    return isNode(node) ? node.toJSON() : null
  } catch {
    return undefined // an alias inside: never the same
  }
}

const setPair = (yaml: string, pair: Pair, value: FrontMatterValue): Splice | null => {
  const node = pair.value
  if (isDeepStrictEqual(currentValue(node), value)) return null
  const scalar = isScalar(node) && node.value !== null ? node : null
  const text = valueText(keyOf(pair), value, scalar ? (scalar.type ?? 'PLAIN') : undefined)
  const end = valueEnd(yaml, pair)
  // A plain replacement keeps the blanks before the value; a tag or an anchor goes with the old value.
  const inPlace = scalar?.range && !scalar.tag && !scalar.anchor && text.startsWith(' ')
  const start = inPlace ? scalar.range![0] : yaml.indexOf(':', (pair.key as Node).range![1]) + 1
  return { start, end, text: (inPlace ? text.slice(1) : text).replaceAll('\n', eolOf(yaml)) }
}

/** Gives where a new key goes: before the first key that is written after it, else at the end. */
const placeFor = (yaml: string, map: YAMLMap | null, key: string): number => {
  const rank = order.indexOf(key)
  const later = map?.items.find(pair => rank !== -1 && order.indexOf(keyOf(pair)) > rank)
  return later ? linesOfPair(yaml, later as Pair).start : yaml.length
}

const parse = (yaml: string): YAMLMap | null => {
  if (nestsTooDeep(yaml)) throw invalid('The front matter of this page is too deeply nested to be edited.')
  const document = parseDocument(yaml, {
    uniqueKeys: false,
    merge: false,
    schema: 'core',
    logLevel: 'silent',
  })
  const [error] = document.errors
  if (error) {
    const line = (error.linePos?.[0].line ?? 0) + 1
    throw invalid(`The front matter of this page is not valid YAML (line ${line}); mend it first.`, { line })
  }
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return null
  if (isMap(contents) && !contents.flow) return contents
  throw invalid('The front matter of this page is not a list of keys and values; mend it first.')
}

/**
 * Gives the text with keys of its front matter set, or taken away where the value is null; `condition` means the
 * key `if`. Other keys, comments, order and quoting stay as they are. Makes a block where there is none, and
 * takes one away that has become empty. Throws `invalid` where the front matter is broken.
 */
export const editFrontMatter = (text: string, set: Record<string, FrontMatterValue | undefined>): string => {
  const { block, yaml: range, body } = splitFrontMatter(text)
  const yaml = range ? text.slice(range.start, range.end) : ''
  const eol = eolOf(text)
  const map = parse(yaml)
  const changes: Splice[] = []
  const sorted = Object.entries(set).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  for (const [name, value] of sorted) {
    if (value === undefined) continue
    const key = name === 'condition' ? 'if' : name
    const pair = map?.items.find(item => keyOf(item as Pair) === key) as Pair | undefined
    if (pair && value === null) changes.push({ ...linesOfPair(yaml, pair), text: '' })
    else if (pair) {
      const change = setPair(yaml, pair, value!)
      if (change) changes.push(change)
    } else if (value !== null) {
      const at = placeFor(yaml, map, key)
      const line = `${oneWay(key)}:${valueText(key, value)}\n`.replaceAll('\n', eol)
      changes.push({ start: at, end: at, text: line })
    }
  }
  if (changes.length === 0) return text
  const edited = splice(yaml, ...changes)
  if (!block)
    return `${text.slice(0, body)}---${eol}${edited}---${eol}${body < text.length ? eol : ''}${text.slice(body)}`
  if (!isBlank(edited, 0, edited.length)) return text.slice(0, range!.start) + edited + text.slice(range!.end)
  const after = text.slice(block.end)
  return text.slice(0, block.start) + after.replace(/^(?:\r\n|\n|\r)/, '')
}

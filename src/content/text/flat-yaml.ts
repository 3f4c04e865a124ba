import { Document, LineCounter, Pair, Scalar, YAMLMap } from 'yaml'
import type { YamlFile } from './yaml.ts'

/** A blank line or a comment. */
const ignored = /^ *(?:#.*)?$/

/** A text in quotes, without quotes and escapes in it. */
const quoted = /'[ !#-&(-[\]-~]*'|"[ !#-&(-[\]-~]*"/.source

/**
 * A key and perhaps a value: in quotes, or of characters that have no meaning for YAML where they
 * stand.
 */
const setting = new RegExp(
  `^( *)([A-Za-z0-9_][A-Za-z0-9_./%+~-]*|${quoted}):(?: +([A-Za-z0-9_./](?:[A-Za-z0-9_./%+~#?&=@:-]*[A-Za-z0-9_./%+~#?&=@-])?|${quoted}))? *$`,
)

/** Plain words that stand for no value, as a key or a value. */
const nothing = /^null$/i

/** YAML refuses keys that end after so many characters. */
const longestLine = 1_000

/** The lines of a text that are read so far. */
type Lines = { text: string; map: YAMLMap; below: Open | undefined }

/** A key without a value, with the lines that are indented below it so far. */
type Open = { pair: Pair; map: YAMLMap | undefined; indent: number }

/**
 * Reads YAML that is a map of names to texts on one line, or to maps of those: some hundred lines
 * of settings take the parser of all YAML 20 ms in a new process. Returns what `readYaml` returns
 * for it; undefined for any other YAML.
 */
export function readFlatYaml(text: string): YamlFile | undefined {
  const counter = new LineCounter()
  const lines: Lines = { text, map: new YAMLMap(), below: undefined }
  for (let start = 0; start <= text.length; ) {
    counter.addNewLine(start)
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    if (end - start > longestLine || !readLine(lines, start, end)) return undefined
    start = end + 1
  }

  const document = new Document() as Document

  document.contents = lines.map

  return { document, issues: [], lineAt: offset => counter.linePos(offset).line }
}

/** Reads a line. Returns false for one that is not of this form. */
function readLine(lines: Lines, start: number, end: number): boolean {
  const line = lines.text.slice(start, end)
  if (ignored.test(line)) return true
  const found = setting.exec(line)
  if (!found) return false

  const [, { length: indent } = '', name = '', value] = found
  if (nothing.test(name) || (value !== undefined && nothing.test(value))) return false

  const key = new Scalar(unquoted(name))

  key.range = [start + indent, start + indent + name.length, start + indent + name.length]
  const pair = new Pair<unknown, unknown>(
    key,
    new Scalar(value === undefined ? null : unquoted(value)),
  )

  if (indent === 0) {
    lines.map.items.push(pair)
    lines.below = value === undefined ? { pair, map: undefined, indent: 0 } : undefined
    return true
  }

  return lines.below !== undefined && addBelow(lines.below, pair, indent)
}

const unquoted = (text: string): string => (/^['"]/.test(text) ? text.slice(1, -1) : text)

/** Adds a line below a key. Returns false if it is indented otherwise than those before it. */
function addBelow(below: Open, pair: Pair, indent: number): boolean {
  if (!below.map) {
    below.map = new YAMLMap()
    below.indent = indent
    below.pair.value = below.map
  }
  below.map.items.push(pair)
  return indent === below.indent
}

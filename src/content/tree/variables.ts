import { isMap, isScalar, type Pair, parse, type Scalar, stringify } from 'yaml'
import { invalid } from '../../errors.ts'
import { decode } from '../text/bytes.ts'
import type { Issue } from '../text/issues.ts'
import { entriesOf, readYaml, scalarText, type YamlFile } from '../text/yaml.ts'

/** A space's variables by name; without a prototype, so that no name finds what is not there. */
export type Variables = Record<string, string | number | boolean>

/** Where the variables stand, from the root. */
export const variablesPath = '.gitbook/vars.yaml'

const limit = 65_536
const longest = 256
const nameForm = /^[A-Za-z][A-Za-z0-9_]*$/

/** Reads `.gitbook/vars.yaml`; undefined is no such file. What is not a name with a string, number or boolean is an issue. */
export function readVariables(bytes: Uint8Array | undefined): { variables: Variables; issues: Issue[] } {
  const variables: Variables = Object.create(null)
  if (!bytes) return { variables, issues: [] }
  const { text, exact } = decode(bytes)
  const file = readYaml(text, limit)
  if (!exact) file.issues.push({ message: 'The file is not valid UTF-8.' })
  const contents = file.document?.contents
  if (contents && !isMap(contents) && !(isScalar(contents) && contents.value === null))
    file.issues.push({ message: 'The file is not a map of variables.' })
  for (const { key, value, line } of entriesOf(contents, file)) {
    const read = variableOf(value)
    if (!nameForm.test(key))
      file.issues.push({ message: `"${key.slice(0, 100)}" is not a name for a variable.`, line })
    else if (read === undefined)
      file.issues.push({
        message: `The variable "${key.slice(0, 100)}" is not a string of up to ${longest} characters, a number or a boolean.`,
        line,
      })
    else variables[key] = read
  }
  return { variables, issues: file.issues }
}

/** A node's value when a variable can have it. */
function variableOf(node: unknown): string | number | boolean | undefined {
  if (!isScalar(node)) return undefined
  const { value } = node
  if (typeof value === 'string') return value.length <= longest ? value : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'boolean' ? value : undefined
}

type Splice = { start: number; end: number; text: string }

/**
 * The file with these variables in place of those it has: only the lines of changed, new and removed ones differ, and
 * what is no variable stays. Throws `invalid` for names and values that the file cannot hold and for a file that is
 * not a map in valid YAML.
 */
export function writeVariables(oldText: string, variables: Readonly<Variables>): string {
  for (const [name, value] of Object.entries(variables)) {
    const fits =
      typeof value === 'string'
        ? value.length <= longest
        : typeof value === 'boolean' || Number.isFinite(value)
    if (!nameForm.test(name) || !fits)
      throw invalid(`"${name.slice(0, 100)}" cannot be a variable with this value.`)
  }
  const file = readYaml(oldText, limit)
  const contents = file.document?.contents ?? null
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null && !contents.source)
  if (!file.document || file.issues.length > 0 || !(isEmpty || isMap(contents)))
    throw invalid(`The file "${variablesPath}" is not a valid map; mend it first.`, { issues: file.issues })

  const pairs = isMap(contents) ? (contents.items as Pair[]) : []
  if (isMap(contents) && contents.flow) return rewriteFlow(oldText, contents.range!, pairs, variables)
  const eol = /\r\n|\n|\r/.exec(oldText)?.[0] ?? '\n'
  const splices: Splice[] = []
  const written = new Set<string>()
  let end = 0
  for (const pair of pairs) {
    const lines = linesOf(oldText, pair)
    end = Math.max(end, lines.end)
    splices.push(...spliceOf(oldText, pair, lines, variables, written))
  }
  const added = Object.entries(variables).filter(([name]) => !written.has(name))
  if (added.length === 0) return apply(oldText, splices)
  const at = pairs.length > 0 ? end : placeForFirst(oldText, file)
  const before =
    at > 0 && !/[\r\n]$/.test(oldText.slice(0, at)) && oldText.slice(0, at) !== '\ufeff' ? eol : ''
  const indent = ' '.repeat(pairs.length > 0 ? columnOf(oldText, pairs[0]!) : 0)
  const text = added.map(([name, value]) => `${indent}${name}: ${scalarOf(value)}${eol}`).join('')
  return apply(oldText, [...splices, { start: at, end: at, text: before + text }])
}

/** What becomes of one pair: nothing, another value, or no lines at all. Marks the names that need no new line. */
function spliceOf(
  text: string,
  pair: Pair,
  lines: { start: number; end: number },
  variables: Readonly<Variables>,
  written: Set<string>,
): Splice[] {
  const name = scalarText(pair.key)
  const old = variableOf(pair.value)
  const isVariable = name !== undefined && nameForm.test(name)
  const wanted = isVariable && Object.hasOwn(variables, name) ? variables[name] : undefined
  if (!isVariable || (wanted === undefined && old === undefined)) return []
  if (wanted === undefined || written.has(name)) return [{ ...lines, text: '' }]
  written.add(name)
  if (Object.is(old, wanted)) return []
  const value = pair.value as Scalar | null
  const colon = text.indexOf(':', (pair.key as Scalar).range![1])
  const range = value?.range
  if (!range || range[0] === range[1])
    return [{ start: colon + 1, end: colon + 1, text: ` ${scalarOf(wanted)}` }]
  // A block scalar's range takes its last line end with it.
  const tail = /[\r\n]*$/.exec(text.slice(range[0], range[1]))![0]
  const start = isAnchored(value) ? colon + 1 : range[0]
  const lead = isAnchored(value) ? ' ' : ''
  return [{ start, end: range[1] - tail.length, text: lead + scalarOf(wanted) }]
}

const isAnchored = (value: Scalar | null): boolean => Boolean(value && (value.anchor || value.tag))

/** The whole lines of a pair; comments above it and blank lines below it are not its own. */
function linesOf(text: string, pair: Pair): { start: number; end: number } {
  const key = pair.key as Scalar
  const value = pair.value as Scalar | null
  const start =
    Math.max(text.lastIndexOf('\n', key.range![0] - 1), text.lastIndexOf('\r', key.range![0] - 1)) + 1
  const last = value?.range && value.range[1] > value.range[0] ? value.range[1] : key.range![1]
  const from = /[\r\n]/.test(text[last - 1] ?? '') ? last - 1 : last
  const found = /\r\n|\n|\r/g
  found.lastIndex = from
  const eol = found.exec(text)
  const bom = text.startsWith('\ufeff') && start === 0 ? 1 : 0
  return { start: start + bom, end: eol ? Math.max(eol.index + eol[0].length, last) : text.length }
}

function columnOf(text: string, pair: Pair): number {
  const offset = (pair.key as Scalar).range![0]
  return /[^\r\n\ufeff]*$/.exec(text.slice(0, offset))![0].length
}

/** Where the first variable of a file without any goes: behind the comments and the opening marker. */
function placeForFirst(text: string, file: YamlFile): number {
  const end = /^\.\.\.[ \t]*$/m.exec(text)
  return file.document && end ? end.index : text.length
}

/** A flow map becomes one variable a line; what it held beside variables would be lost, and is refused. */
function rewriteFlow(
  text: string,
  range: readonly [number, number, number],
  pairs: Pair[],
  variables: Readonly<Variables>,
): string {
  const held = pairs.map(pair => [scalarText(pair.key), variableOf(pair.value)] as const)
  if (held.some(([name, value]) => name === undefined || !nameForm.test(name) || value === undefined))
    throw invalid(`The file "${variablesPath}" holds more than variables; mend it first.`)
  const names = Object.keys(variables)
  if (
    names.length === held.length &&
    held.every(([name, value]) => Object.hasOwn(variables, name!) && Object.is(variables[name!], value))
  )
    return text
  const lines = names.map(name => `${name}: ${scalarOf(variables[name]!)}`).join('\n')
  return text.slice(0, range[0]) + (lines === '' ? '{}' : lines) + text.slice(range[1])
}

/** A value in one line of YAML, quoted only where it must be. */
function scalarOf(value: string | number | boolean): string {
  const text = stringify(value, { lineWidth: 0, blockQuote: false }).replace(/\n$/, '')
  return text.includes('\n') || !Object.is(read(text), value) ? JSON.stringify(value) : text
}

function read(text: string): unknown {
  try {
    return (parse(`k: ${text}\n`, { logLevel: 'silent' }) as Record<string, unknown>).k
  } catch {
    return undefined
  }
}

const apply = (text: string, splices: Splice[]): string =>
  [...splices]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((out, { start, end, text: piece }) => out.slice(0, start) + piece + out.slice(end), text)

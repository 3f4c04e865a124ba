import { isMap, isScalar, type Pair, type YAMLMap } from 'yaml'
import { Fault, invalid } from '../../errors.ts'
import { decode } from '../text/bytes.ts'
import type { Issue } from '../text/issues.ts'
import { type Splice, spliceAll } from '../text/lines.ts'
import { entriesOf, readYaml, scalarText } from '../text/yaml.ts'
import {
  endOfDocument,
  endOfPair,
  indentOf,
  insertPairs,
  isShared,
  removePair,
  replaceValue,
  writeScalar,
} from '../text/yaml-edit.ts'

/** The variables of a space by name, without a prototype: an inherited name must not be found. */
export type Variables = Record<string, string | number | boolean>

/** The path of the file with the variables, relative to the root. */
export const variablesPath = '.gitbook/vars.yaml'

const limit = 65_536
const longest = 256
const nameForm = /^[A-Za-z][A-Za-z0-9_]*$/

/**
 * Reads `.gitbook/vars.yaml`; `bytes` is undefined if there is none. Entries that are not variables
 * become issues.
 */
export function readVariables(bytes: Uint8Array | undefined): {
  variables: Variables
  issues: Issue[]
} {
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
      file.issues.push({ message: `"${key.slice(0, 100)}" is not a valid variable name.`, line })
    else if (read === undefined)
      file.issues.push({
        message: `The variable "${key.slice(0, 100)}" must be a string of up to ${longest} characters, a number or a boolean.`,
        line,
      })
    else variables[key] = read
  }

  return { variables, issues: file.issues }
}

/** Returns the value of a node if a variable can have it. */
function variableOf(node: unknown): string | number | boolean | undefined {
  if (!isScalar(node)) return undefined
  const { value } = node
  if (typeof value === 'string') return value.length <= longest ? value : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'boolean' ? value : undefined
}

type Value = Variables[string]

/**
 * Returns the file with exactly these variables: only the lines of changed, new and removed ones
 * differ, and entries that are not variables are preserved. Throws `invalid` for names and values
 * that the file cannot hold, and for a file that is not a map in valid YAML.
 */
export function writeVariables(oldText: string, variables: Readonly<Variables>): string {
  for (const [name, value] of Object.entries(variables)) checkVariable(name, value)
  const map = mapOf(oldText)
  if (map?.flow) return rewriteFlow(oldText, map, variables)

  const kept = new Set<string>()
  const splices = (map?.items ?? []).flatMap(pair =>
    changesOf(oldText, map!, pair, variables, kept),
  )
  const added = Object.entries(variables)
    .filter(([name]) => !kept.has(name))
    .map(([name, value]) => `${name}: ${writeScalar(value)}`)
  if (added.length === 0) return spliceAll(oldText, splices)

  const last = map?.items.at(-1)
  const at = last ? endOfPair(oldText, last) : endOfDocument(oldText)
  const indent = map ? indentOf(oldText, map) : ''

  return spliceAll(oldText, [...splices, insertPairs(oldText, at, added, { indent })])
}

function checkVariable(name: string, value: Value): void {
  const fits =
    typeof value === 'string'
      ? value.length <= longest
      : typeof value === 'boolean' || Number.isFinite(value)
  if (!nameForm.test(name) || !fits)
    throw invalid(
      `"${name.slice(0, 100)}" cannot be a variable with this value: a name has letters, digits and "_", a value is a string of up to ${longest} characters, a number or a boolean.`,
    )
}

/** Returns the map of a file; null for an empty file. */
function mapOf(text: string): YAMLMap | null {
  const { document, issues } = readYaml(text, limit)
  const contents = document?.contents ?? null
  if (document && issues.length === 0) {
    if (isMap(contents)) return contents as YAMLMap
    if (contents === null || (isScalar(contents) && contents.value === null && !contents.source))
      return null
  }

  throw new Fault(
    'content_not_editable',
    `The file "${variablesPath}" is not a map in valid YAML: correct it first.`,
    {
      issues,
    },
  )
}

/**
 * Returns the change of one pair: none, another value, or its removal. Adds the names that stay in
 * the file to `kept`.
 */
function changesOf(
  text: string,
  map: YAMLMap,
  pair: Pair,
  variables: Readonly<Variables>,
  kept: Set<string>,
): Splice[] {
  const name = scalarText(pair.key)
  if (name === undefined || !nameForm.test(name)) return []
  const old = variableOf(pair.value)
  const wanted = Object.hasOwn(variables, name) ? variables[name] : undefined
  if (wanted === undefined && old === undefined) return []

  const isFirst = !kept.has(name)
  if (wanted !== undefined) kept.add(name)
  if (isFirst && wanted !== undefined && Object.is(old, wanted)) return []

  if (isShared(map, pair))
    throw new Fault(
      'content_not_editable',
      `The variable "${name}" has an anchor that another entry of "${variablesPath}" refers to: change it with Git.`,
    )

  return wanted === undefined || !isFirst
    ? [removePair(text, map, pair)]
    : [replaceValue(text, pair, writeScalar(wanted))]
}

/**
 * Writes a flow map as one variable per line. Throws `invalid` if it has other entries, which would
 * be lost.
 */
function rewriteFlow(text: string, map: YAMLMap, variables: Readonly<Variables>): string {
  const held = map.items.map(pair => [scalarText(pair.key), variableOf(pair.value)] as const)
  if (
    held.some(([name, value]) => name === undefined || !nameForm.test(name) || value === undefined)
  )
    throw new Fault(
      'content_not_editable',
      `The file "${variablesPath}" has entries that are not variables: correct it first.`,
    )

  const names = Object.keys(variables)
  const isSame = held.every(
    ([name, value]) => Object.hasOwn(variables, name!) && Object.is(variables[name!], value),
  )
  if (isSame && names.length === held.length) return text

  const lines = names.map(name => `${name}: ${writeScalar(variables[name]!)}`).join('\n')
  const [start, end] = map.range!

  return text.slice(0, start) + (lines === '' ? '{}' : lines) + text.slice(end)
}

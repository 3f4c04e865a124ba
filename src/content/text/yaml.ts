import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from 'yaml'
import type { Issue } from './issues.ts'

/** A key of a YAML map with the node of its value. `line` counts from 1. */
export type YamlEntry = { key: string; value: Node | null; line: number }

/**
 * A small YAML file of a repository with its issues. `document` is undefined if it cannot be parsed
 * at all.
 */
export type YamlFile = {
  document: Document | undefined
  issues: Issue[]
  lineAt: (offset: number) => number
}

const deepest = 32
const mostNodes = 10_000
const mostIssues = 20

const mostBrackets = 64
const mostColons = 200

/**
 * Reports whether YAML may nest so deeply that the parser would crash the process: it builds
 * patterns and recurses as deep as the text nests. Call this before every parse of foreign YAML.
 */
export function nestsTooDeep(yaml: string): boolean {
  let depth = 0
  for (let at = 0; at < yaml.length; at++) {
    const char = yaml[at]
    if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && depth > 0) depth--
    if (depth > mostBrackets) return true
  }

  if (/(?:[-?][ \t]+){32}/.test(yaml)) return true

  return yaml.split(/[\r\n]+/).some(line => line.split(/:[ \t]/).length > mostColons)
}

/**
 * Reads YAML and never throws: faults become issues. A text longer than `limit` characters is not
 * read.
 */
export function readYaml(text: string, limit: number): YamlFile {
  const lines = new LineCounter()
  const lineAt = (offset: number) => lines.linePos(offset).line
  if (text.length > limit)
    return {
      document: undefined,
      issues: [{ message: `The file is longer than ${limit} characters.` }],
      lineAt,
    }

  if (nestsTooDeep(text))
    return { document: undefined, issues: [{ message: 'This YAML is nested too deeply.' }], lineAt }

  try {
    // Pretty errors quote their line, which is quadratic for a long line with an error at every
    // word.
    const options = {
      uniqueKeys: false,
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
    } as const
    const document = parseDocument(text, options)
    const issues = new Map<number, Issue>()

    for (const { message, pos } of document.errors) {
      const line = lineAt(pos[0])
      if (issues.size < mostIssues && !issues.has(line))
        issues.set(line, {
          message: `This is not valid YAML: ${message.replace(/[.:]$/, '').slice(0, 200)}.`,
          line,
        })
    }

    return { document, issues: [...issues.values()], lineAt }
  } catch {
    return { document: undefined, issues: [{ message: 'This YAML cannot be read.' }], lineAt }
  }
}

/**
 * Returns the entries of a map node. A duplicate key, or one that is not a scalar, is ignored and
 * becomes an issue.
 */
export function entriesOf(node: unknown, file: YamlFile): YamlEntry[] {
  if (!isMap(node)) return []
  const seen = new Set<string>()
  const entries: YamlEntry[] = []

  for (const pair of node.items) {
    const key = scalarText(pair.key)
    const line = file.lineAt((pair.key as Node | null)?.range?.[0] ?? node.range?.[0] ?? 0)
    if (key === undefined)
      file.issues.push({ message: 'A key here is not a plain name and is ignored.', line })
    else if (seen.has(key))
      file.issues.push({ message: `The key "${key}" is duplicated; the first one is used.`, line })
    else {
      seen.add(key)
      entries.push({ key, value: (pair.value ?? null) as Node | null, line })
    }
  }

  return entries
}

/**
 * Returns the text of a scalar, numbers and booleans as written; undefined for null and for other
 * nodes.
 */
export function scalarText(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
}

/**
 * Returns a node's value as JSON data. Aliases, keys that are not names, and values nested too
 * deeply are left out and become issues.
 */
export function plainData(node: unknown, file: YamlFile): unknown {
  let nodes = 0
  const refuse = (message: string) => {
    if (nodes <= mostNodes + 1 && file.issues.length < mostIssues) file.issues.push({ message })
    return undefined
  }

  const convert = (value: unknown, depth: number): unknown => {
    nodes++
    if (nodes > mostNodes || depth > deepest)
      return refuse('This YAML is too large or nested too deeply.')
    if (isAlias(value)) return refuse(`The alias "*${value.source}" is not supported.`)
    if (isSeq(value)) return value.items.map(item => convert(item, depth + 1) ?? null)

    if (isMap(value)) {
      const pairs: [string, unknown][] = []
      for (const { key, value: child } of entriesOf(value, file)) {
        const plain = key === '__proto__' ? undefined : convert(child, depth + 1)
        if (plain !== undefined) pairs.push([key, plain])
      }
      return Object.fromEntries(pairs)
    }

    return isScalar(value) ? plainScalar(value) : null
  }

  return convert(node, 0)
}

/** Returns the value of a scalar if JSON has it, otherwise its source. */
function plainScalar({ value, source }: Scalar): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  return typeof value === 'number' && Number.isFinite(value) ? value : (source ?? null)
}

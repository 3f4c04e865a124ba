import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import type { Issue } from './issues.ts'
import { nestsTooDeep } from './yaml-depth.ts'

/** A key of a YAML map with its value's node, the first of its name. `line` counts from 1. */
export type YamlEntry = { key: string; value: Node | null; line: number }

/** A small YAML file of the repository, read as far as it can be. */
export type YamlFile = { document: Document | undefined; issues: Issue[]; lineAt: (offset: number) => number }

const deepest = 32
const mostNodes = 10_000
const mostIssues = 20

/** Reads YAML without failing: what is wrong with it comes as issues. `limit` is in characters; a longer text is not read. */
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
    // Pretty errors quote their line: with an error at every word of a long line that is quadratic.
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

/** The entries of a map node. A key that comes twice or is not a plain name becomes an issue; the first one counts. */
export function entriesOf(node: unknown, file: YamlFile): YamlEntry[] {
  if (!isMap(node)) return []
  const seen = new Set<string>()
  const entries: YamlEntry[] = []
  for (const pair of node.items) {
    const key = scalarText(pair.key)
    const line = file.lineAt((pair.key as Node | null)?.range?.[0] ?? node.range?.[0] ?? 0)
    if (key === undefined)
      file.issues.push({ message: 'A key here is not a plain name; it is passed over.', line })
    else if (seen.has(key))
      file.issues.push({ message: `The key "${key}" comes a second time; the first one counts.`, line })
    else {
      seen.add(key)
      entries.push({ key, value: (pair.value ?? null) as Node | null, line })
    }
  }
  return entries
}

/** The text of a scalar as it is written (a number or boolean too); undefined for null and everything else. */
export function scalarText(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
}

/** A node's value as plain data fit for JSON. Aliases, odd keys and what lies too deep become undefined and an issue. */
export function plainData(node: unknown, file: YamlFile): unknown {
  let nodes = 0
  const refuse = (message: string) => {
    if (nodes <= mostNodes + 1 && file.issues.length < mostIssues) file.issues.push({ message })
    return undefined
  }
  const convert = (value: unknown, depth: number): unknown => {
    nodes++
    if (nodes > mostNodes || depth > deepest) return refuse('This YAML is too large or nested too deeply.')
    if (isAlias(value)) return refuse(`The alias "*${value.source}" is not followed.`)
    if (isSeq(value)) return value.items.map(item => convert(item, depth + 1) ?? null)
    if (isMap(value)) {
      const pairs: [string, unknown][] = []
      for (const { key, value: child } of entriesOf(value, file)) {
        const plain = key === '__proto__' ? undefined : convert(child, depth + 1)
        if (plain !== undefined) pairs.push([key, plain])
      }
      return Object.fromEntries(pairs)
    }
    if (!isScalar(value)) return null
    if (typeof value.value === 'string' || typeof value.value === 'boolean' || value.value === null)
      return value.value
    return typeof value.value === 'number' && Number.isFinite(value.value)
      ? value.value
      : (value.source ?? null)
  }
  return convert(node, 0)
}

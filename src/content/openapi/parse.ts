import { parse as parseYaml } from 'yaml'
import type { SpecProblem } from './files.ts'
import { schemaCheck, specVersions } from './schema-check.ts'

/** A file that is not an OpenAPI spec. The message says why, in one sentence. */
export class SpecError extends Error {}

type Values = Record<string, unknown>

const mostLines = 500_000
const mostValues = 1_000_000
const mostDepth = 200
/** A text with more open brackets than this was not written for an API. */
const mostBrackets = 1_000
const mostAliases = 10_000
const mostProblems = 10

const strict = new TextDecoder('utf-8', { fatal: true })

/**
 * Returns the value in the bytes of a JSON or YAML file. Aliases of YAML and nesting are bounded.
 * Throws SpecError. Call it in a separate thread: it may take seconds and a large amount of memory.
 */
export function parseSpec(bytes: Uint8Array): unknown {
  const text = decoded(bytes)
  const value = /^\s*[{[]/.test(text) ? fromJson(text) : fromYaml(text)
  measure(value)
  return value
}

function decoded(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    throw new SpecError('The file is not text in UTF-8.')
  }
}

/**
 * Parses a text that starts like JSON. It may still be YAML, such as JSON with comments; the error
 * is that of JSON.
 */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (text.length > 1_000_000) throw notValid('JSON', error)
    try {
      return fromYaml(text)
    } catch {
      throw notValid('JSON', error)
    }
  }
}

function fromYaml(text: string): unknown {
  checkYaml(text)
  try {
    // Checking for duplicate keys takes quadratic time. Without the check, the last duplicate wins.
    const options = {
      uniqueKeys: false,
      prettyErrors: false,
      merge: true,
      maxAliasCount: mostAliases,
    } as const
    return parseYaml(text, options) as unknown
  } catch (error) {
    throw notValid('YAML', error)
  }
}

function notValid(format: string, error: unknown): SpecError {
  const reason = (error instanceof Error ? error.message : '').replace(/\s+/g, ' ').slice(0, 200)
  return new SpecError(`The file is not valid ${format}${reason && `: ${reason}`}.`)
}

/** Refuses a text that would keep the YAML parser busy for minutes. */
function checkYaml(text: string): void {
  let depth = 0
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a) lines++
    else if (code === 0x5b || code === 0x7b) depth++
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--
    if (depth > mostBrackets) throw new SpecError('The file is nested too deeply.')
  }

  if (lines > mostLines) throw new SpecError(`The file has more than ${mostLines} lines.`)
  if (/(?:[-?][ \t]+){64}/.test(text)) throw new SpecError('The file is nested too deeply.')
}

/**
 * Throws when there are too many values, or a value contains itself, as an alias of YAML may. An
 * aliased value counts each time, because later code walks it each time.
 */
function measure(root: unknown): void {
  if (containsItself(root))
    throw new SpecError('The file has an alias to a value that contains the alias.')

  const queue: [value: unknown, depth: number][] = [[root, 0]]
  let count = 0
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [value, depth] = next
    if (++count > mostValues) throw new SpecError(`The file has more than ${mostValues} values.`)
    if (typeof value !== 'object' || value === null) continue
    if (depth > mostDepth) throw new SpecError('The file is nested too deeply.')
    for (const inner of Object.values(value)) queue.push([inner, depth + 1])
  }
}

/** Returns whether a value contains itself. Linear in the number of distinct values. */
function containsItself(root: unknown): boolean {
  const around = new Set<unknown>()
  const done = new Set<unknown>()
  const stack: { value: unknown; leaves: boolean }[] = [{ value: root, leaves: false }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, leaves } = next
    if (leaves) {
      around.delete(value)
      done.add(value)
      continue
    }
    if (typeof value !== 'object' || value === null || done.has(value)) continue
    if (around.has(value)) return true
    around.add(value)
    stack.push({ value, leaves: true })
    for (const inner of Object.values(value)) stack.push({ value: inner, leaves: false })
  }

  return false
}

/**
 * Returns the document as an OpenAPI spec, with its version as a string. Throws SpecError when it
 * is not an object, has an unknown version, has no `info`, has nothing to describe, or has another
 * type of value where its operations should be.
 */
export function asSpec(document: unknown): Values {
  if (!isObject(document)) throw new SpecError('The file is not an OpenAPI spec.')

  // YAML reads an unquoted version as a number.
  for (const name of ['openapi', 'swagger']) {
    const version = document[name]
    if (typeof version === 'number')
      document[name] = Number.isInteger(version) ? `${version}.0` : String(version)
  }

  const { openapi, swagger } = document
  if (swagger === undefined && openapi === undefined)
    throw new SpecError('The file is not an OpenAPI spec: it has neither "openapi" nor "swagger".')

  const known =
    swagger === '2.0' || (typeof openapi === 'string' && /^3\.[0-2](?:\.\d+)?/.test(openapi))

  if (!known)
    throw new SpecError(
      'The version is not supported. Use OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0.',
    )

  if (!isObject(document.info)) throw new SpecError('The spec has no "info".')

  const parts = ['paths', 'components', 'webhooks', 'definitions', 'x-webhooks']
  if (!parts.some(name => isObject(document[name])))
    throw new SpecError('The spec has no "paths", "components" or "webhooks".')

  // A slip that loses all operations must not replace the previous version.
  const wrong = parts.find(name => document[name] != null && !isObject(document[name]))
  if (wrong !== undefined) throw new SpecError(`"${wrong}" must be an object.`)

  return document
}

/** Returns where a spec violates the OpenAPI schema. References are not followed. */
export function validateSpec(document: Values): SpecProblem[] {
  const named = document.swagger === '2.0' ? '2.0' : String(document.openapi).slice(0, 3)
  const version = specVersions.find(each => each === named)
  if (version === undefined) throw new Error(`No schema of OpenAPI ${named} is known.`)
  const check = schemaCheck(version)
  if (check(document)) return []

  const found = (check.errors ?? []).map(({ instancePath, message }) =>
    `${instancePath || 'The spec'} ${message ?? 'is not valid'}`.slice(0, 300),
  )

  return [...new Set(found)]
    .slice(0, mostProblems)
    .map(message => ({ code: 'INVALID', message: `${message}.` }))
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

import { parse as parseYaml } from 'yaml'

/** A file that is no description of an API: one sentence that says why. */
export class DescriptionError extends Error {}

const mostLines = 500_000
const mostValues = 1_000_000
const mostDepth = 200
/** A text with more open brackets than this is none that anybody wrote. */
const mostBrackets = 1_000
const mostAliases = 10_000

const strict = new TextDecoder('utf-8', { fatal: true })

/**
 * The value that the bytes of a JSON or YAML file hold. Aliases of YAML and nesting are bounded. Throws DescriptionError;
 * may take seconds, and as much memory as there is: to be called in a thread of its own.
 */
export function parseDescription(bytes: Uint8Array): unknown {
  const text = decoded(bytes)
  const value = /^\s*[{[]/.test(text) ? fromJson(text) : fromYaml(text)
  measure(value)
  return value
}

function decoded(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    throw new DescriptionError('The file is not text in UTF-8.')
  }
}

/** What begins like JSON may be YAML all the same, e.g. with comments; what neither takes is told of as JSON. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
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
    // Keys are not compared with each other, which takes the square of their number: of two the later one holds.
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

const notValid = (what: string, error: unknown): DescriptionError => {
  const reason = (error instanceof Error ? error.message : '').replace(/\s+/g, ' ').slice(0, 200)
  return new DescriptionError(`The file is not valid ${what}${reason && `: ${reason}`}.`)
}

/** Refuses what the parser would take minutes for, before it begins. */
function checkYaml(text: string): void {
  let depth = 0
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a) lines++
    else if (code === 0x5b || code === 0x7b) depth++
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--
    if (depth > mostBrackets) throw new DescriptionError('The file is nested too deeply.')
  }
  if (lines > mostLines) throw new DescriptionError(`The file has more than ${mostLines} lines.`)
  if (/(?:[-?][ \t]+){64}/.test(text)) throw new DescriptionError('The file is nested too deeply.')
}

/** Counts the values as if what YAML names twice stood there twice: whoever walks through them must come to an end. */
function measure(root: unknown): void {
  const queue: [value: unknown, depth: number][] = [[root, 0]]
  let count = 0
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [value, depth] = next
    if (++count > mostValues) throw new DescriptionError(`The file has more than ${mostValues} values.`)
    if (typeof value !== 'object' || value === null) continue
    if (depth > mostDepth) throw new DescriptionError('The file is nested too deeply.')
    for (const inner of Object.values(value)) queue.push([inner, depth + 1])
  }
}

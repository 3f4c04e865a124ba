import { clip, isObject } from './value.ts'

/** How many values may still be written. */
export type ValueBudget = { values: number }

const deepest = 24

/**
 * Returns a value of a spec as JSON, indented by two spaces, cut where it is too deep or the budget
 * is used up. Names such as `__proto__` are ordinary names.
 */
export function jsonText(value: unknown, left: ValueBudget, indent = 0): string {
  if (--left.values < 0 || indent > deepest) return '"…"'
  if (typeof value === 'string') return JSON.stringify(clip(value, 2000))

  if (Array.isArray(value)) {
    return wrapped(
      ['[', ']'],
      pieces(value, left, each => jsonText(each, left, indent + 1)),
      indent,
    )
  }

  if (!isObject(value)) return JSON.stringify(value) ?? 'null'

  const member = ([name, each]: [string, unknown]) =>
    memberText(name, jsonText(each, left, indent + 1))

  return wrapped(['{', '}'], pieces(Object.entries(value), left, member), indent)
}

function pieces<Value>(
  values: readonly Value[],
  left: ValueBudget,
  write: (value: Value) => string,
): string[] {
  const written: string[] = []
  for (const value of values) {
    if (left.values <= 0) break
    written.push(write(value))
  }
  return written
}

/** Returns a member of a JSON object. */
export const memberText = (name: string, value: string): string =>
  `${JSON.stringify(clip(name, 200))}: ${value}`

/** Returns elements or members between brackets, each on its own line. */
export function wrapped(
  [open, close]: readonly [string, string],
  parts: string[],
  indent: number,
): string {
  if (parts.length === 0) return `${open}${close}`
  const blanks = '  '.repeat(indent + 1)
  return `${open}\n${parts.map(part => blanks + part).join(',\n')}\n${'  '.repeat(indent)}${close}`
}

/** Returns a value as one line of at most 100 characters, for a default or an allowed value. */
export function shortJson(value: unknown): string {
  const text =
    typeof value === 'string' ? value : jsonText(value, { values: 20 }).replace(/\n\s*/g, ' ')
  return clip(text, 100) || '""'
}

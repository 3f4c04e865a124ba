import type { z } from 'zod'

/** What a value of each kind is called. */
const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const mostNamed = 20

/** What is said of a value that fits no alternative of a union, unless the union has a sentence of its own. */
export const noForm = 'does not match any form that this operation accepts; /docs describes them'

/**
 * What a value takes that was sent otherwise, for the middle of the sentence that names it; undefined leaves it to Zod.
 * Schemas with a message of their own are not asked here.
 */
export const issueSentence: z.core.$ZodErrorMap = issue => {
  const takes = takesOf(issue)
  if (takes === undefined) return undefined
  const isWhole = issue.path === undefined || issue.path.length === 0
  return issue.input === undefined && !isWhole && isAboutValue(issue) ? `must be there: ${takes}` : takes
}

const isAboutValue = ({ code }: z.core.$ZodRawIssue): boolean =>
  code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union'

function takesOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      const kind = kinds[issue.expected]
      return kind && `takes ${kind}${issue.input === null ? ', not null' : ''}`
    }
    case 'invalid_value':
      return `takes ${oneOf(issue.values.map(String))}`
    case 'too_small':
      return `takes ${amount('at least', Number(issue.minimum), issue.origin)}`
    case 'too_big':
      return `takes ${amount('up to', Number(issue.maximum), issue.origin)}`
    case 'invalid_format':
      return formats[issue.format]
    case 'unrecognized_keys':
      return `has ${issue.keys.slice(0, mostNamed).map(quoted).join(', ')}, which is not taken here`
    case 'invalid_key':
      return 'has a key that is not taken'
    case 'invalid_union':
      if (Array.isArray(issue.options)) return `takes ${oneOf(issue.options.map(String))}`
      return noForm
    default:
      return undefined
  }
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'takes a time such as 2026-01-31T12:00:00Z',
  url: 'takes a whole address such as https://example.org/',
}

const amount = (bound: string, count: number, origin: string): string => {
  const number = count.toLocaleString('en-US')
  if (origin === 'string') return `${bound} ${number} ${count === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `${bound} ${number} ${count === 1 ? 'item' : 'items'}`
  return bound === 'up to' ? `a number up to ${number}` : `a number from ${number}`
}

function oneOf(values: readonly string[]): string {
  if (values.length > mostNamed)
    return `one of ${values.length} words, such as ${values.slice(0, 3).join(', ')}; all are described at /docs`
  const last = values.at(-1) ?? ''
  return values.length === 1 ? quoted(last) : `${values.slice(0, -1).join(', ')} or ${last}`
}

const quoted = (text: string): string => `"${text.slice(0, 60)}"`

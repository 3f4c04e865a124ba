import type { z } from 'zod'

/** The name of each JSON type. */
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

/** The message for a value that fits no alternative of a union without a message of its own. */
export const noForm = 'does not match any form that this operation accepts; /docs describes them'

/** The message for a value that a check without a message of its own refuses. */
const noValue = 'has a value that this operation does not accept; /docs describes it'

/**
 * Returns what a value must be, to follow its name in a sentence. Schemas with a message of their own
 * do not come here.
 */
export const issueSentence: z.core.$ZodErrorMap = issue => {
  const takes = takesOf(issue) ?? noValue
  const isWhole = issue.path === undefined || issue.path.length === 0
  return issue.input === undefined && !isWhole && isAboutValue(issue)
    ? `must be there: ${takes}`
    : takes
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
      return `has ${issue.keys.slice(0, mostNamed).map(quoted).join(', ')}, which this operation does not know`
    case 'invalid_key':
      return 'has a key that is not allowed'
    case 'invalid_union':
      if (Array.isArray(issue.options)) return `takes ${oneOf(issue.options.map(String))}`
      return noForm
    default:
      return undefined
  }
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'takes a time such as 2026-01-31T12:00:00Z',
  url: 'takes a URL such as https://example.org/',
}

function amount(bound: string, count: number, origin: string): string {
  const number = count.toLocaleString('en-US')
  if (origin === 'string') return `${bound} ${number} ${count === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `${bound} ${number} ${count === 1 ? 'item' : 'items'}`
  return bound === 'up to' ? `a number up to ${number}` : `a number from ${number}`
}

function oneOf(values: readonly string[]): string {
  if (values.length > mostNamed)
    return `one of ${values.length} values, such as ${values.slice(0, 3).join(', ')}; /docs lists them all`
  const last = values.at(-1) ?? ''
  return values.length === 1 ? quoted(last) : `${values.slice(0, -1).join(', ')} or ${last}`
}

const quoted = (text: string): string => `"${text.slice(0, 60)}"`

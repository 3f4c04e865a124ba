import type { z } from 'zod'
import { Fault } from '../../errors.ts'
import { issueSentence } from '../../http/input/issue-sentence.ts'
import { invalidInput } from '../../http/input/parse-input.ts'

/** Returns the output of the schema of a form. Throws 'invalid' with a sentence for each field. */
export function parseForm<Schema extends z.ZodType>(
  schema: Schema,
  values: ReadonlyMap<string, string>,
): z.output<Schema> {
  const parsed = schema.safeParse(Object.fromEntries(values), { error: issueSentence })
  if (parsed.success) return parsed.data
  throw invalidInput('body', parsed.error)
}

/** Returns the fault of one field of a form: the sentence stands at the field. */
export const fieldProblem = (name: string, message: string): Fault =>
  new Fault('invalid_input', `"${name}": ${message}`, {
    where: 'body',
    issues: [{ path: name, message }],
  })

/** Returns the sentences that a fault has for fields. The fields of lists are named `name.0`. */
export function problemsIn(error: unknown): Record<string, string> {
  const { where, issues } = (error instanceof Fault && error.detail) || {}
  if (where !== 'body' || !Array.isArray(issues)) return {}
  const problems: Record<string, string> = {}
  for (const { path, message } of issues.toReversed())
    problems[String(path).split('.')[0] as string] = sentence(String(message))
  return problems
}

/** The sentences of schemas begin in the middle: "must have at least 1 character". */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

import type { z } from 'zod'
import { Fault } from '../../errors.ts'
import { closestIssues } from './closest-issues.ts'
import { issueSentence } from './issue-sentence.ts'

type Where = 'path' | 'query' | 'body'

/** Returns the output of a schema for a part of a request. Throws 'invalid' with its problems. */
export function parseInput<Schema extends z.ZodType>(
  where: Where,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: issueSentence })
  if (!parsed.success) throw invalidInput(where, parsed.error)
  return parsed.data
}

/** Returns a Fault with the first problem as its message, and up to 20 problems as details. */
export function invalidInput(where: Where, error: z.ZodError): Fault {
  // An issue may quote input as long as a body.
  const issues = closestIssues(error.issues.slice(0, 20))
    .slice(0, 20)
    .map(issue => ({
      path: issue.path.map(String).join('.').slice(0, 200),
      message: issue.message.slice(0, 500),
    }))
  const first = issues[0]
  const name = first?.path ? `"${first.path}" in the ${where}` : `The ${where}`

  return new Fault('invalid_input', `${name}: ${first?.message ?? 'is not valid'}.`, {
    where,
    issues,
  })
}

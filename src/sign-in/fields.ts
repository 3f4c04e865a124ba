import type { z } from 'zod'
import { issueSentence } from '../http/input/issue-sentence.ts'

/** Fields of a form that were read with a schema. */
export type Fields<Output> = {
  /** The fields; undefined if one does not fit. */
  fields: Output | undefined
  /** A sentence for each field that does not fit; undefined if all do. */
  problems: Record<string, string> | undefined
  /** The fields as they were typed, to show them again. */
  values: Record<string, string>
}

/** Reads fields of a form with the schema that the API has for them. */
export function readFields<Schema extends z.ZodObject>(
  schema: Schema,
  form: ReadonlyMap<string, string>,
): Fields<z.output<Schema>> {
  const values = Object.fromEntries(
    Object.keys(schema.shape).map(name => [name, form.get(name) ?? '']),
  )
  const parsed = schema.safeParse(values, { error: issueSentence })
  if (parsed.success) return { fields: parsed.data, problems: undefined, values }
  const problems: Record<string, string> = {}
  for (const { path, message } of parsed.error.issues.toReversed())
    problems[String(path[0])] = message
  return { fields: undefined, problems, values }
}

import type { z } from 'zod'
import { issueSentence } from './issue-sentence.ts'
import { invalidInput, parseInput } from './parse-input.ts'

/** The most names that the header lists, and the most characters of one. */
const mostNamed = 20
const longestName = 60

/**
 * Returns the query of a request, and the names in it that the operation does not know, sorted. A
 * newer client may send parameters that this version lacks, and links gain words for statistics:
 * they are ignored and named in the answer. Throws 'invalid' for wrong values.
 */
export function parseQuery(
  schema: z.ZodType | undefined,
  given: Readonly<Record<string, unknown>>,
): { query: unknown; ignored: readonly string[] } {
  if (!schema) return { query: undefined, ignored: Object.keys(given).sort() }
  const { success, data, error } = schema.safeParse(given, { error: issueSentence })
  if (success) return { query: data, ignored: [] }
  const unknown = new Set(error.issues.flatMap(unknownIn))
  if (unknown.size === 0) throw invalidInput('query', error)
  const known = Object.fromEntries(Object.entries(given).filter(([name]) => !unknown.has(name)))

  return { query: parseInput('query', schema, known), ignored: [...unknown].sort() }
}

const unknownIn = (issue: z.core.$ZodIssue): string[] =>
  issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : []

/** Returns the header that names ignored parameters. */
export const ignoredHeader = (names: readonly string[]): Record<string, string> => ({
  'Stemma-Ignored': names
    .slice(0, mostNamed)
    .map(name => encodeURIComponent(name.toWellFormed().slice(0, longestName).toWellFormed()))
    .join(', '),
})

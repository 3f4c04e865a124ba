import type { z } from 'zod'
import { noForm } from './issue-sentence.ts'

type Issue = z.core.$ZodIssue

/** Further problems of one alternative do not change its distance. */
const mostCounted = 20

/**
 * Replaces the problem of a union by the problems of its closest alternative: a caller who sends
 * `{"markdown": 5}` means the alternative that takes "markdown". A union with a message of its own
 * keeps it.
 */
export function closestIssues(issues: readonly Issue[]): Issue[] {
  return issues.flatMap(issue => {
    if (
      issue.code !== 'invalid_union' ||
      issue.errors.length === 0 ||
      !issue.message.endsWith(noForm)
    )
      return [issue]

    const branches = issue.errors.map(branch => closestIssues(branch))
    const kinds = kindsOf(branches)
    if (kinds) return [{ ...issue, message: issue.message.replace(noForm, kinds) }]

    const [closest = []] = branches.sort((one, other) => distanceOf(one) - distanceOf(other))

    return closest.map(inner => ({ ...inner, path: [...issue.path, ...inner.path] }))
  })
}

/**
 * Returns the types that the alternatives take, such as "takes a text or a list", when the value
 * has none of these types.
 */
function kindsOf(branches: readonly Issue[][]): string | undefined {
  const kinds = new Set<string>()
  for (const [first] of branches) {
    if (first?.path.length !== 0 || first.code !== 'invalid_type') return undefined
    const kind = /^takes (.+?)(?:, not null)?$/.exec(first.message)?.[1]
    if (kind === undefined) return undefined
    kinds.add(kind)
  }
  return `takes ${[...kinds].join(' or ')}`
}

/**
 * Returns how far a value is from an alternative: a wrong type or constant weighs most, then
 * unknown keys.
 */
function distanceOf(issues: readonly Issue[]): number {
  let distance = 0
  for (const issue of issues.slice(0, mostCounted)) {
    if (issue.path.length === 0 && issue.code !== 'unrecognized_keys') distance += 1000
    else if (issue.code === 'invalid_value') distance += 100
    else if (issue.code === 'unrecognized_keys') distance += 30 * issue.keys.length
    else if (issue.code === 'invalid_type' && isAbsent(issue)) distance += 10
    else distance += 1
  }

  return distance
}

const isAbsent = ({ message }: Issue): boolean => message.startsWith('must be there')

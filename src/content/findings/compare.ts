import type { Finding } from './kinds.ts'

/**
 * Returns the findings that an older list does not have. Lines may have moved: the file, the kind
 * and the sentence count, as often as the older list has them.
 */
export function addedFindings(now: readonly Finding[], before: readonly Finding[]): Finding[] {
  const left = new Map<string, number>()
  for (const each of before) left.set(keyOf(each), (left.get(keyOf(each)) ?? 0) + 1)

  return now.filter(each => {
    const key = keyOf(each)
    const known = left.get(key) ?? 0
    if (known > 0) left.set(key, known - 1)
    return known === 0
  })
}

const keyOf = ({ file, kind, message }: Finding): string => `${kind}\n${file ?? ''}\n${message}`

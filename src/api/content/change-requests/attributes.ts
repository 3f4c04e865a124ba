import { isDeepStrictEqual } from 'node:util'

type Pair<Value> = { before?: Value; after?: Value }

type Pairs<Fields> = { [Name in keyof Fields]?: Pair<NonNullable<Fields[Name]>> }

/**
 * Returns the fields that differ, each with its value before and after, where there is one;
 * undefined when none differs.
 */
export function differing<Fields extends Record<string, unknown>>(
  before: Fields,
  after: Fields,
): Pairs<Fields> | undefined {
  const pairs: Record<string, Pair<unknown>> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]]
    if (isDeepStrictEqual(was, is)) continue
    pairs[name] = {
      ...(was !== undefined && { before: was }),
      ...(is !== undefined && { after: is }),
    }
  }

  return Object.keys(pairs).length > 0 ? (pairs as Pairs<Fields>) : undefined
}

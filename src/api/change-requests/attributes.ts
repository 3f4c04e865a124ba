import { isDeepStrictEqual } from 'node:util'

type Pair<Value> = { before?: Value; after?: Value }

type Pairs<Fields> = { [Name in keyof Fields]?: Pair<NonNullable<Fields[Name]>> }

/** The fields that differ, each with what it was and what it is; a side that has none says nothing. Undefined: none does. */
export function differing<Fields extends Record<string, unknown>>(
  before: Fields,
  after: Fields,
): Pairs<Fields> | undefined {
  const pairs: Record<string, Pair<unknown>> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]]
    if (isDeepStrictEqual(was, is)) continue
    pairs[name] = { ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) }
  }
  return Object.keys(pairs).length > 0 ? (pairs as Pairs<Fields>) : undefined
}

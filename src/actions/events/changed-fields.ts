import { isDeepStrictEqual } from 'node:util'

/**
 * Returns what an update changed, for the audit log: the names of the changed fields, with old and
 * new values of those in `shown`; undefined if nothing changed. Never show text that users wrote.
 */
export function changedFields<Row extends object>(
  before: Row,
  after: Row,
  shown: readonly (keyof Row & string)[] = [],
): Record<string, unknown> | undefined {
  const changed = Object.keys(after).filter(
    name =>
      name !== 'updated_at' &&
      before[name as keyof Row] !== undefined &&
      !isDeepStrictEqual(before[name as keyof Row], after[name as keyof Row]),
  )
  if (changed.length === 0) return undefined
  const values = changed
    .filter(name => shown.includes(name as keyof Row & string))
    .map(name => [camel(name), { from: before[name as keyof Row], to: after[name as keyof Row] }])

  return { changed: changed.map(camel), ...Object.fromEntries(values) }
}

const camel = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Filters in one `combine`. */
const mostFilters = 8

/**
 * Returns whether a filter of a partial clone is served: `blob:none`, `blob:limit`, `object:type`,
 * `tree` of depth 0 or 1, and combinations of them. Deeper trees and `sparse:oid` would cost the
 * server a walk of every commit.
 */
export function isServedFilter(filter: string): boolean {
  if (!filter.startsWith('combine:')) return isSimple(filter)
  const parts = filter.slice('combine:'.length).split('+')
  return parts.length <= mostFilters && parts.every(part => isSimple(decoded(part)))
}

const isSimple = (filter: string): boolean =>
  /^(?:blob:none|blob:limit=\d{1,12}[kmg]?|object:type=(?:blob|tree|commit|tag)|tree:[01])$/.test(
    filter,
  )

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

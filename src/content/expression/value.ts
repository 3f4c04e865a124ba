/** What an expression works with: plain data. Lists and records come from outside and are looked into by `ownValue` alone. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly unknown[]
  | Readonly<Record<string, unknown>>

/** Texts, numbers and the like: all that is no list and no record. */
export type Plain = Exclude<Value, object>

/** Whether a value is no list and no record. */
export const isPlain = (value: Value): value is Plain => value === null || typeof value !== 'object'

/** Whether a value is a list. */
export const isList = (value: Value): value is readonly unknown[] => Array.isArray(value)

/** How a sentence names a value. */
export const nameOf = (value: Value): string => {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'string') return 'a text'
  if (isList(value)) return 'a list'
  return typeof value === 'object' ? 'a record' : `a ${typeof value}`
}

/**
 * What lies under an own key of plain data, `length` and indices for texts and lists; undefined for all else, so that
 * nothing that is inherited, computed by a getter, or no data (functions, dates) is ever reached.
 */
export function ownValue(of: Value, key: string): Value {
  if (of === null || of === undefined || typeof of === 'boolean' || typeof of === 'number') return undefined
  const holder = typeof of === 'string' ? Object(of) : of
  return asData(Object.getOwnPropertyDescriptor(holder, key)?.value)
}

function asData(value: unknown): Value {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value
  if (typeof value !== 'object') return undefined
  if (Array.isArray(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype ? (value as Record<string, unknown>) : undefined
}

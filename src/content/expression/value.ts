import { type Budget, failure, scan, spend } from './budget.ts'

/** Plain data. Lists and records come from the caller and are accessed through `ownValue` only. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly unknown[]
  | Readonly<Record<string, unknown>>

/** Every value except lists and records. */
type Plain = Exclude<Value, object>

/** Returns whether a value is neither a list nor a record. */
const isPlain = (value: Value): value is Plain => value === null || typeof value !== 'object'

/** Returns whether a value is a list. */
export const isList = (value: Value): value is readonly unknown[] => Array.isArray(value)

/** Returns the name of a value's type for messages. */
export function nameOf(value: Value): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'string') return 'a text'
  if (isList(value)) return 'a list'
  return typeof value === 'object' ? 'a record' : `a ${typeof value}`
}

/**
 * Returns a value that is neither a list nor a record. Throws 'invalid' for those; `what` names the
 * operation.
 */
export function plain(budget: Budget, value: Value, what: string): Plain {
  if (!isPlain(value)) throw failure(budget, `${what} cannot take ${nameOf(value)}`)
  return value
}

/**
 * Returns the value of an own key of plain data; texts and lists also have `length` and indices.
 * Everything else is undefined, so that nothing inherited, computed by a getter or other than data
 * (functions, dates) is ever reached.
 */
export function ownValue(of: Value, key: string): Value {
  if (of === null || of === undefined || typeof of === 'boolean' || typeof of === 'number')
    return undefined
  const holder = typeof of === 'string' ? Object(of) : of
  return asData(Object.getOwnPropertyDescriptor(holder, key)?.value)
}

function asData(value: unknown): Value {
  if (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    typeof value === 'string'
  )
    return value

  if (typeof value !== 'object') return undefined
  if (Array.isArray(value)) return value

  const prototype: unknown = Object.getPrototypeOf(value)

  return prototype === null || prototype === Object.prototype
    ? (value as Record<string, unknown>)
    : undefined
}

/**
 * Returns what `...` spreads into a list: the items of a list, the characters of a text. Throws
 * 'invalid' otherwise.
 */
export function itemsOf(budget: Budget, value: Value): Value[] {
  if (typeof value !== 'string' && !isList(value))
    throw failure(budget, `"..." cannot take ${nameOf(value)}`)
  spend(budget, value.length)
  return typeof value === 'string' ? [...value] : ownItems(value)
}

/** Returns the items of a list; those that are not data are undefined. Takes no steps. */
export const ownItems = (list: readonly unknown[]): Value[] =>
  Array.from({ length: list.length }, (_, index) => ownValue(list, String(index)))

/**
 * Returns what `...` spreads into a record: the entries of a record, none for nothing. Throws
 * 'invalid' otherwise.
 */
export function entriesOf(budget: Budget, value: Value): [string, Value][] {
  if (value === null || value === undefined) return []
  if (isPlain(value) || isList(value))
    throw failure(budget, `"..." cannot take ${nameOf(value)} here`)
  const keys = Object.keys(value)
  spend(budget, keys.length)
  return keys.map(key => [key, ownValue(value, key)])
}

/** Implements `===`: lists and records are equal only if they are the same object. */
export function strictEquals(budget: Budget, left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) {
    scan(budget, left)
  }
  return left === right
}

/**
 * Implements `==`. Throws 'invalid' if exactly one side is a list or a record and neither is
 * nothing.
 */
export function looseEquals(budget: Budget, left: Value, right: Value): boolean {
  const isNothing = (value: Value) => value === null || value === undefined
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right)
  if (isPlain(left) !== isPlain(right)) {
    throw failure(budget, `"==" cannot compare ${nameOf(left)} and ${nameOf(right)}`)
  }
  if (typeof left === typeof right) return strictEquals(budget, left, right)
  return toNumber(budget, left, '"=="') === toNumber(budget, right, '"=="')
}

/**
 * Returns the index of a value in a list, or -1. With `nan`, `NaN` is found too, as by `includes`.
 */
export function indexIn(
  budget: Budget,
  list: readonly unknown[],
  value: Value,
  nan: boolean,
): number {
  for (let index = 0; index < list.length; index++) {
    spend(budget, 1)
    const item = ownValue(list, String(index))
    if (strictEquals(budget, item, value) || (nan && Number.isNaN(item) && Number.isNaN(value)))
      return index
  }
  return -1
}

/**
 * Implements `in`: whether a list contains a value, or a record has a key. Throws 'invalid' for
 * other values.
 */
export function contains(budget: Budget, value: Value, of: Value): boolean {
  if (isList(of)) return indexIn(budget, of, value, true) >= 0
  if (isPlain(of))
    throw failure(budget, `"in" needs a list or a record on its right, not ${nameOf(of)}`)
  const key = String(plain(budget, value, 'A key'))
  scan(budget, key)
  return Object.hasOwn(of, key)
}

/**
 * Implements `<`, `<=`, `>` and `>=`: texts by code unit, other values by number. False for `NaN`.
 */
export function isOrdered(budget: Budget, operator: string, left: Value, right: Value): boolean {
  const [a, b] =
    typeof left === 'string' && typeof right === 'string'
      ? [left, right]
      : [toNumber(budget, left, `"${operator}"`), toNumber(budget, right, `"${operator}"`)]
  scan(budget, a)
  if (operator === '<') return a < b
  if (operator === '<=') return a <= b
  return operator === '>' ? a > b : a >= b
}

/**
 * Converts a text, a boolean or nothing to a number as JavaScript does. Throws 'invalid' for lists
 * and records.
 */
export function toNumber(budget: Budget, value: Value, what: string): number {
  scan(budget, value)
  return Number(plain(budget, value, what))
}

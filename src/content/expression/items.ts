import { type Budget, failure, spend } from './budget.ts'
import { isList, isPlain, nameOf, ownValue, type Value } from './value.ts'

/** What `...` makes of a value in a list: the items of a list, the signs of a text. Throws 'invalid' for all else. */
export function itemsOf(budget: Budget, value: Value): Value[] {
  if (typeof value !== 'string' && !isList(value)) throw failure(budget, `"..." cannot take ${nameOf(value)}`)
  spend(budget, value.length)
  return typeof value === 'string' ? [...value] : ownItems(value)
}

/** The items of a list, without what is no data. Takes no steps. */
export const ownItems = (list: readonly unknown[]): Value[] =>
  Array.from({ length: list.length }, (_, index) => ownValue(list, String(index)))

/** What `...` makes of a value in a record: the entries of a record, none of nothing. Throws 'invalid' for all else. */
export function entriesOf(budget: Budget, value: Value): [string, Value][] {
  if (value === null || value === undefined) return []
  if (isPlain(value) || isList(value)) throw failure(budget, `"..." cannot take ${nameOf(value)} here`)
  const keys = Object.keys(value)
  spend(budget, keys.length)
  return keys.map(key => [key, ownValue(value, key)])
}

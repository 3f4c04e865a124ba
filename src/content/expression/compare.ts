import { type Budget, failure, plain, scan, spend } from './budget.ts'
import { isList, isPlain, nameOf, ownValue, type Value } from './value.ts'

/** `===`: lists and records are the same only when they are one. */
export function same(budget: Budget, left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) {
    scan(budget, left)
  }
  return left === right
}

/** `==`, which no list or record can be asked beside a text, a number or a boolean: throws 'invalid' then. */
export function alike(budget: Budget, left: Value, right: Value): boolean {
  const nothing = (value: Value) => value === null || value === undefined
  if (nothing(left) || nothing(right)) return nothing(left) && nothing(right)
  if (isPlain(left) !== isPlain(right)) {
    throw failure(budget, `"==" cannot take ${nameOf(left)} and ${nameOf(right)}`)
  }
  if (typeof left === typeof right) return same(budget, left, right)
  return toNumber(budget, left, '"=="') === toNumber(budget, right, '"=="')
}

/** Where a list has this value, from 0; -1 when nowhere. `NaN` is found where `nan` says so, as `includes` has it. */
export function indexIn(budget: Budget, list: readonly unknown[], value: Value, nan: boolean): number {
  for (let index = 0; index < list.length; index++) {
    spend(budget, 1)
    const item = ownValue(list, String(index))
    if (same(budget, item, value) || (nan && Number.isNaN(item) && Number.isNaN(value))) return index
  }
  return -1
}

/** `in`: a list has the value, or a record has the key. Throws 'invalid' for all else. */
export function isIn(budget: Budget, value: Value, of: Value): boolean {
  if (isList(of)) return indexIn(budget, of, value, true) >= 0
  if (isPlain(of)) throw failure(budget, `"in" looks into a list or a record, not into ${nameOf(of)}`)
  const key = String(plain(budget, value, 'A key'))
  scan(budget, key)
  return Object.hasOwn(of, key)
}

/** `<` and its like: texts by their code units, all else by number. `NaN` is in no order. */
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

/** A text, a boolean or nothing as the number that JavaScript takes it for. Throws 'invalid' for lists and records. */
export function toNumber(budget: Budget, value: Value, what: string): number {
  scan(budget, value)
  return Number(plain(budget, value, what))
}

import { type Budget, failure, spend } from './budget.ts'
import { isList, nameOf, ownItems, ownValue, plain, type Value } from './value.ts'

/** A function of an expression: returns its result for the given values. */
export type Ask = (...values: Value[]) => Value

type Method = (on: readonly unknown[], ask: Ask, budget: Budget, given: readonly Value[]) => Value

/** Returns the first item, from either end, for which the function is true. */
function found(on: readonly unknown[], ask: Ask, budget: Budget, back: boolean) {
  for (let step = 0; step < on.length; step++) {
    spend(budget, 1)
    const index = back ? on.length - 1 - step : step
    const item = ownValue(on, String(index))
    if (ask(item, index)) return { item, index }
  }
  return undefined
}

function reduce(
  items: [Value, number][],
  ask: Ask,
  budget: Budget,
  given: readonly Value[],
): Value {
  const rest = [...items]
  const first = given.length > 0 ? given[0] : rest.shift()?.[0]
  if (given.length === 0 && items.length === 0)
    throw failure(budget, 'An empty list needs an initial value')
  return rest.reduce<Value>((before, [item, index]) => {
    spend(budget, 1)
    return ask(before, item, index)
  }, first)
}

function indexed(on: readonly unknown[], budget: Budget): [Value, number][] {
  spend(budget, on.length)
  return ownItems(on).map((item, index) => [item, index])
}

const methods: Readonly<Record<string, Method>> = {
  every: (on, ask, budget) => !found(on, (...values) => !ask(...values), budget, false),
  filter: (on, ask, budget) =>
    indexed(on, budget).flatMap(([item, index]) => (ask(item, index) ? [item] : [])),
  find: (on, ask, budget) => found(on, ask, budget, false)?.item,
  findIndex: (on, ask, budget) => found(on, ask, budget, false)?.index ?? -1,
  findLast: (on, ask, budget) => found(on, ask, budget, true)?.item,
  findLastIndex: (on, ask, budget) => found(on, ask, budget, true)?.index ?? -1,
  flatMap: (on, ask, budget) =>
    indexed(on, budget).flatMap(([item, index]) => {
      const result = ask(item, index)
      if (!isList(result)) return [result]
      spend(budget, result.length)
      return ownItems(result)
    }),
  map: (on, ask, budget) => indexed(on, budget).map(([item, index]) => ask(item, index)),
  reduce: (on, ask, budget, given) => reduce(indexed(on, budget), ask, budget, given),
  reduceRight: (on, ask, budget, given) =>
    reduce(indexed(on, budget).reverse(), ask, budget, given),
  some: (on, ask, budget) => found(on, ask, budget, false) !== undefined,
  sort: (on, ask, budget) => {
    const items = indexed(on, budget).map(([item]) => item)
    return items.sort((a, b) => {
      spend(budget, 1)
      return Number(plain(budget, ask(a, b), '"sort"'))
    })
  },
}

/**
 * Calls a method of lists that takes a function. The function gets an item and its index, two items
 * (`sort`), or the result so far, an item and its index (`reduce`). Throws 'invalid' for values
 * other than lists.
 */
export function callWithFunction(
  budget: Budget,
  on: Value,
  method: string,
  ask: Ask,
  given: readonly Value[],
): Value {
  const name = method === 'toSorted' ? 'sort' : method
  if (!isList(on) || !Object.hasOwn(methods, name)) {
    throw failure(budget, `"${method}" cannot be called on ${nameOf(on)}`)
  }
  return methods[name]!(on, ask, budget, given)
}

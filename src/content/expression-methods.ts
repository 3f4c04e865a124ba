import { type Budget, failure, newText, plain, scan, spend } from './expression-budget.ts'
import { indexIn } from './expression-compare.ts'
import { isList, nameOf, ownValue, type Value } from './expression-value.ts'

/** Every method that may be called, with the least and the most values that it takes. */
const arities: Readonly<Record<string, readonly [number, number]>> = {
  at: [1, 1],
  charAt: [1, 1],
  endsWith: [1, 1],
  every: [1, 1],
  filter: [1, 1],
  find: [1, 1],
  includes: [1, 1],
  indexOf: [1, 1],
  join: [0, 1],
  map: [1, 1],
  replace: [2, 2],
  slice: [0, 2],
  some: [1, 1],
  split: [1, 1],
  startsWith: [1, 1],
  toLowerCase: [0, 0],
  toUpperCase: [0, 0],
  trim: [0, 0],
}

/** The least and the most values that a method takes; undefined for one that may not be called. */
export const arityOf = (method: string): readonly [number, number] | undefined =>
  Object.hasOwn(arities, method) ? arities[method] : undefined

const ofFunctions = new Set(['every', 'filter', 'find', 'map', 'some'])

/** Whether a method takes a function that is asked about each item of a list. */
export const takesFunction = (method: string): boolean => ofFunctions.has(method)

type Method<On> = (on: On, given: readonly Value[], budget: Budget) => Value

const ofTexts: Readonly<Record<string, Method<string>>> = {
  at: (on, [index], budget) => on.at(number(index, budget) ?? 0),
  charAt: (on, [index], budget) => on.charAt(number(index, budget) ?? 0),
  endsWith: (on, [end], budget) => on.endsWith(text(end, budget)),
  includes: (on, [part], budget) => on.includes(text(part, budget)),
  indexOf: (on, [part], budget) => on.indexOf(text(part, budget)),
  // As a function, so that "$&" and its like are not replaced in turn.
  replace: (on, [from, to], budget) => {
    const by = text(to, budget)
    return newText(
      budget,
      on.replace(text(from, budget), () => by),
    )
  },
  slice: (on, [from, to], budget) => newText(budget, on.slice(number(from, budget), number(to, budget))),
  split: (on, [by], budget) => {
    const parts = on.split(text(by, budget), budget.steps + 1)
    spend(budget, parts.length)
    newText(budget, on)
    return parts
  },
  startsWith: (on, [start], budget) => on.startsWith(text(start, budget)),
  toLowerCase: (on, _none, budget) => newText(budget, on.toLowerCase()),
  toUpperCase: (on, _none, budget) => newText(budget, on.toUpperCase()),
  trim: (on, _none, budget) => newText(budget, on.trim()),
}

const ofLists: Readonly<Record<string, Method<readonly unknown[]>>> = {
  at: (on, [index], budget) => {
    const from = Math.trunc(number(index, budget) || 0)
    return ownValue(on, String(from < 0 ? on.length + from : from))
  },
  includes: (on, [value], budget) => indexIn(budget, on, value, true) >= 0,
  indexOf: (on, [value], budget) => indexIn(budget, on, value, false),
  join: (on, [by], budget) => {
    const between = by === undefined ? ',' : text(by, budget)
    let joined = ''
    for (let index = 0; index < on.length; index++) {
      spend(budget, 1)
      const item = plain(budget, ownValue(on, String(index)), '"join"') ?? ''
      joined += newText(budget, `${index > 0 ? between : ''}${item}`)
    }
    return joined
  },
  slice: (on, [from, to], budget) => {
    spend(budget, on.length)
    return Array.from({ length: on.length }, (_, index) => ownValue(on, String(index))).slice(
      number(from, budget),
      number(to, budget),
    )
  },
}

/** What a method gives, called on a text or a list. Throws 'invalid' when it has none of that name, or takes other values. */
export function callMethod(budget: Budget, on: Value, method: string, given: readonly Value[]): Value {
  scan(budget, on, ...given)
  if (typeof on === 'string' && Object.hasOwn(ofTexts, method)) return ofTexts[method]!(on, given, budget)
  if (isList(on) && Object.hasOwn(ofLists, method)) return ofLists[method]!(on, given, budget)
  throw noMethod(budget, on, method)
}

/**
 * What a method gives that asks `ask` about each item of a list and its index. Throws 'invalid' when it is called on
 * something else.
 */
export function callWithFunction(
  budget: Budget,
  on: Value,
  method: string,
  ask: (item: Value, index: number) => Value,
): Value {
  if (!isList(on)) throw noMethod(budget, on, method)
  const kept: Value[] = []
  for (let index = 0; index < on.length; index++) {
    spend(budget, 1)
    const item = ownValue(on, String(index))
    const said = ask(item, index)
    if (method === 'map') kept.push(said)
    else if (method === 'every' ? !said : said) {
      if (method === 'filter') kept.push(item)
      else return method === 'find' ? item : method === 'some'
    }
  }
  if (method === 'find') return undefined
  return method === 'map' || method === 'filter' ? kept : method === 'every'
}

const noMethod = (budget: Budget, on: Value, method: string) =>
  failure(budget, `"${method}" cannot be called on ${nameOf(on)}`)

function text(value: Value, budget: Budget): string {
  if (typeof value !== 'string') throw failure(budget, `A text is needed here, not ${nameOf(value)}`)
  return value
}

function number(value: Value, budget: Budget): number | undefined {
  if (value === undefined || typeof value === 'number') return value
  throw failure(budget, `A number is needed here, not ${nameOf(value)}`)
}

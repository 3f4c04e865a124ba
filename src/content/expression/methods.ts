import { type Budget, failure, newText, scan, spend, tooMuch } from './budget.ts'
import { indexIn, isList, itemsOf, nameOf, ownValue, plain, type Value } from './value.ts'

/** The methods that expressions may call, with the minimum and maximum number of arguments. */
const arities: Readonly<Record<string, readonly [number, number]>> = {
  at: [1, 1],
  charAt: [1, 1],
  charCodeAt: [1, 1],
  codePointAt: [1, 1],
  concat: [0, 64],
  endsWith: [1, 2],
  every: [1, 1],
  filter: [1, 1],
  find: [1, 1],
  findIndex: [1, 1],
  findLast: [1, 1],
  findLastIndex: [1, 1],
  flat: [0, 1],
  flatMap: [1, 1],
  includes: [1, 2],
  indexOf: [1, 2],
  join: [0, 1],
  lastIndexOf: [1, 1],
  map: [1, 1],
  padEnd: [1, 2],
  padStart: [1, 2],
  reduce: [1, 2],
  reduceRight: [1, 2],
  repeat: [1, 1],
  replace: [2, 2],
  replaceAll: [2, 2],
  reverse: [0, 0],
  slice: [0, 2],
  some: [1, 1],
  sort: [0, 1],
  split: [1, 2],
  startsWith: [1, 2],
  substring: [1, 2],
  toFixed: [0, 1],
  toLowerCase: [0, 0],
  toReversed: [0, 0],
  toSorted: [0, 1],
  toString: [0, 0] as const,
  toUpperCase: [0, 0],
  trim: [0, 0],
  trimEnd: [0, 0],
  trimStart: [0, 0],
}

/**
 * Returns the minimum and maximum number of arguments of a method; undefined for an unknown method.
 */
export const arityOf = (method: string): readonly [number, number] | undefined =>
  Object.hasOwn(arities, method) ? arities[method] : undefined

/** The maximum number of parameters of the function that a method takes. */
const names: Readonly<Record<string, number>> = {
  every: 2,
  filter: 2,
  find: 2,
  findIndex: 2,
  findLast: 2,
  findLastIndex: 2,
  flatMap: 2,
  map: 2,
  reduce: 3,
  reduceRight: 3,
  some: 2,
  sort: 2,
  toSorted: 2,
}

/** Returns whether a method takes a function. */
export const takesFunction = (method: string): boolean => Object.hasOwn(names, method)

/**
 * Returns the maximum number of parameters of the function that a method takes; 0 if it takes none.
 */
export const namesOf = (method: string): number => (takesFunction(method) ? names[method]! : 0)

type Method<On> = (on: On, given: readonly Value[], budget: Budget) => Value

/**
 * Throws 'invalid' if fewer than this many characters are left, before a text of that length is
 * created.
 */
function roomFor(characters: number, budget: Budget): void {
  if (!(characters <= budget.characters)) throw tooMuch(budget)
}

function padded(size: Value, by: Value, budget: Budget) {
  const length = number(size, budget) ?? 0
  roomFor(length, budget)
  return [length, by === undefined ? ' ' : text(by, budget)] as const
}

const ofTexts: Readonly<Record<string, Method<string>>> = {
  at: (on, [index], budget) => on.at(number(index, budget) ?? 0),
  charAt: (on, [index], budget) => on.charAt(number(index, budget) ?? 0),
  charCodeAt: (on, [index], budget) => on.charCodeAt(number(index, budget) ?? 0),
  codePointAt: (on, [index], budget) => on.codePointAt(number(index, budget) ?? 0),
  concat: (on, given, budget) =>
    newText(budget, on + given.map(each => `${plain(budget, each, '"concat"')}`).join('')),
  endsWith: (on, [end, to], budget) => on.endsWith(text(end, budget), number(to, budget)),
  includes: (on, [part, from], budget) => on.includes(text(part, budget), number(from, budget)),
  indexOf: (on, [part, from], budget) => on.indexOf(text(part, budget), number(from, budget)),
  lastIndexOf: (on, [part], budget) => on.lastIndexOf(text(part, budget)),
  padEnd: (on, [size, by], budget) => newText(budget, on.padEnd(...padded(size, by, budget))),
  padStart: (on, [size, by], budget) => newText(budget, on.padStart(...padded(size, by, budget))),
  repeat: (on, [count], budget) => {
    const times = number(count, budget) ?? 0
    if (!(times >= 0)) throw failure(budget, 'A text cannot be repeated a negative number of times')
    roomFor(on.length * Math.trunc(times), budget)
    return on === '' ? '' : newText(budget, on.repeat(times))
  },
  // A function, so that patterns such as "$&" are not expanded.
  replace: (on, [from, to], budget) => {
    const by = text(to, budget)
    return newText(
      budget,
      on.replace(text(from, budget), () => by),
    )
  },
  replaceAll: (on, [from, to], budget) => {
    const [what, by] = [text(from, budget), text(to, budget)]
    const parts = on.split(what, budget.steps + 1)
    spend(budget, parts.length)
    roomFor(on.length + (parts.length + 1) * by.length, budget)
    return newText(
      budget,
      on.replaceAll(what, () => by),
    )
  },
  slice: (on, [from, to], budget) =>
    newText(budget, on.slice(number(from, budget), number(to, budget))),
  split: (on, [by, most], budget) => {
    const limit = number(most, budget)
    const parts = on.split(text(by, budget), budget.steps + 1)
    spend(budget, parts.length)
    newText(budget, on)
    return limit === undefined ? parts : parts.slice(0, limit >>> 0)
  },
  startsWith: (on, [start, from], budget) =>
    on.startsWith(text(start, budget), number(from, budget)),
  substring: (on, [from, to], budget) =>
    newText(budget, on.substring(number(from, budget) ?? 0, number(to, budget))),
  toLowerCase: (on, _none, budget) => newText(budget, on.toLowerCase()),
  toString: (on: string) => on,
  toUpperCase: (on, _none, budget) => newText(budget, on.toUpperCase()),
  trim: (on, _none, budget) => newText(budget, on.trim()),
  trimEnd: (on, _none, budget) => newText(budget, on.trimEnd()),
  trimStart: (on, _none, budget) => newText(budget, on.trimStart()),
}

const ofNumbers: Readonly<Record<string, Method<number>>> = {
  toFixed: (on, [digits], budget) => {
    const places = number(digits, budget) ?? 0
    if (!(places >= 0 && places <= 100))
      throw failure(budget, 'A number can have 0 to 100 decimal places')
    return on.toFixed(places)
  },
  toString: (on: number) => `${on}`,
}

const reversed: Method<readonly unknown[]> = (on, _none, budget) => itemsOf(budget, on).reverse()
/** Sorts items as texts; undefined comes last. */
function sorted(on: readonly unknown[], _none: readonly Value[], budget: Budget): Value {
  const items = itemsOf(budget, on)
  spend(budget, items.length * Math.ceil(Math.log2(items.length + 1)))
  for (const item of items) scan(budget, plain(budget, item, '"sort"'))
  return items.sort()
}

const flattened = (on: readonly unknown[], depth: number, budget: Budget): Value[] =>
  itemsOf(budget, on).flatMap(item =>
    isList(item) && depth >= 1 ? flattened(item, depth - 1, budget) : [item],
  )

const ofLists: Readonly<Record<string, Method<readonly unknown[]>>> = {
  at: (on, [index], budget) => {
    const from = Math.trunc(number(index, budget) || 0)
    return ownValue(on, String(from < 0 ? on.length + from : from))
  },
  concat: (on, given, budget) =>
    [on, ...given].flatMap(each => (isList(each) ? itemsOf(budget, each) : [each])),
  flat: (on, [depth], budget) => flattened(on, number(depth, budget) ?? 1, budget),
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
  lastIndexOf: (on, [value], budget) => {
    const at = indexIn(budget, itemsOf(budget, on).reverse(), value, false)
    return at < 0 ? -1 : on.length - 1 - at
  },
  reverse: reversed,
  slice: (on, [from, to], budget) =>
    itemsOf(budget, on).slice(number(from, budget), number(to, budget)),
  sort: sorted,
  toReversed: reversed,
  toSorted: sorted,
}

/**
 * Calls a method of a text, a number, a boolean or a list. None of them changes its value: `sort`
 * and `reverse` return a new list. Throws 'invalid' for an unknown method and for arguments of
 * another type.
 */
export function callMethod(
  budget: Budget,
  on: Value,
  method: string,
  given: readonly Value[],
): Value {
  scan(budget, on, ...given)
  if (typeof on === 'string' && Object.hasOwn(ofTexts, method))
    return ofTexts[method]!(on, given, budget)
  if (isList(on) && Object.hasOwn(ofLists, method)) return ofLists[method]!(on, given, budget)
  if (typeof on === 'number' && Object.hasOwn(ofNumbers, method))
    return ofNumbers[method]!(on, given, budget)
  if (typeof on === 'boolean' && method === 'toString') return String(on)
  throw failure(budget, `"${method}" cannot be called on ${nameOf(on)}`)
}

function text(value: Value, budget: Budget): string {
  if (typeof value !== 'string')
    throw failure(budget, `This argument must be a text, not ${nameOf(value)}`)
  return value
}

function number(value: Value, budget: Budget): number | undefined {
  if (value === undefined || typeof value === 'number') return value
  throw failure(budget, `This argument must be a number, not ${nameOf(value)}`)
}

import { Fault } from '../../errors.ts'
import { type Budget, failure, type Limits, newText, scan, spend, usualLimits } from './budget.ts'
import { type Ask, callWithFunction } from './functions.ts'
import { callMethod } from './methods.ts'
import { type Expression, type Part, spread } from './parse.ts'
import {
  contains,
  entriesOf,
  isOrdered,
  itemsOf,
  looseEquals,
  nameOf,
  ownValue,
  plain,
  strictEquals,
  toNumber,
  type Value,
} from './value.ts'

/**
 * The names in scope of a part: the parameters of functions from the innermost outwards, then the
 * scope.
 */
type Names =
  | { name: string; value: Value; outer: Names }
  | { scope: Readonly<Record<string, unknown>> }

type Run = { budget: Budget; names: Names }

/**
 * The value of a chain in which a `?.` was applied to nothing: the rest of the chain is skipped.
 */
const skipped = Symbol('skipped')

/**
 * Returns the value of an expression over the plain data of its scope. Unknown names and members
 * are undefined, and so are members of undefined; a call on undefined is an error. Pure: the same
 * expression and scope have the same value. Throws 'invalid', with `detail.position`, for an
 * operation that a value does not support, and when a limit is reached.
 */
export function evaluate(
  expression: Expression,
  scope: Readonly<Record<string, unknown>>,
  limits: Limits = usualLimits,
): Value {
  const result = attempt(expression, scope, limits)
  if ('fault' in result) throw result.fault
  return result.value
}

/**
 * Evaluates an expression without throwing: returns the value or the fault, and the part of the
 * limits it used.
 */
export function attempt(
  { root }: Expression,
  scope: Readonly<Record<string, unknown>>,
  limits: Limits,
): { taken: Limits } & ({ value: Value } | { fault: Fault }) {
  const budget: Budget = { ...limits, limits, at: 0 }
  const taken = () => ({
    steps: limits.steps - budget.steps,
    characters: limits.characters - budget.characters,
  })

  try {
    return { value: evaluatePart(root, { budget, names: { scope } }), taken: taken() }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { fault: error, taken: taken() }
  }
}

function evaluatePart(part: Part, run: Run): Value {
  const value = evaluateChainLink(part, run)
  return value === skipped ? undefined : value
}

/** Evaluates a part that may be a link of a chain. */
function evaluateChainLink(part: Part, run: Run): Value | typeof skipped {
  run.budget.at = part.at
  spend(run.budget, 1)
  const evaluator = evaluators[part.kind] as (part: Part, run: Run) => Value | typeof skipped
  return evaluator(part, run)
}

type Evaluators = { [K in Part['kind']]: (part: Kind<K>, run: Run) => Value | typeof skipped }

const evaluators: Evaluators = {
  literal: part => part.value,
  name: (part, { names }) => lookUp(part.name, names),
  template: fill,
  list: listOf,
  record: recordOf,
  member: follow,
  call: follow,
  each: follow,
  chain: (part, run) => evaluatePart(part.of, run),
  unary,
  binary,
  logical,
  choice: ({ test, met, unmet }, run) => evaluatePart(evaluatePart(test, run) ? met : unmet, run),
  sequence: ({ parts }, run) => parts.map(each => evaluatePart(each, run)).at(-1),
}

function logical({ operator, left, right }: Kind<'logical'>, run: Run): Value {
  const value = evaluatePart(left, run)
  const isEnough =
    operator === '??'
      ? value !== null && value !== undefined
      : Boolean(value) === (operator === '||')
  return isEnough ? value : evaluatePart(right, run)
}

type Kind<K extends Part['kind']> = Part & { kind: K }

function lookUp(name: string, names: Names): Value {
  let at = names
  while ('outer' in at) {
    if (at.name === name) return at.value
    at = at.outer
  }
  return ownValue(at.scope, name)
}

function fill({ texts, parts, at }: Kind<'template'>, run: Run): string {
  let filled = texts[0] ?? ''
  for (const [index, part] of parts.entries()) {
    const value = evaluatePart(part, run)
    run.budget.at = at
    const shown = plain(run.budget, value, 'A template')
    filled += newText(run.budget, `${shown}${texts[index + 1] ?? ''}`)
  }
  return filled
}

function listOf({ items }: Kind<'list'>, run: Run): Value {
  const list: Value[] = []
  for (const { of, spread } of items) {
    const value = evaluatePart(of, run)
    run.budget.at = of.at
    if (spread) for (const item of itemsOf(run.budget, value)) list.push(item)
    else list.push(value)
  }
  return list
}

function recordOf({ entries }: Kind<'record'>, run: Run): Value {
  // Without a prototype, "__proto__" is an ordinary key.
  const record: Record<string, Value> = Object.create(null)
  for (const { key, value: of } of entries) {
    const value = evaluatePart(of, run)
    run.budget.at = of.at
    if (key === spread) for (const [name, each] of entriesOf(run.budget, value)) record[name] = each
    else record[key] = value
  }

  return record
}

function follow(part: Kind<'member' | 'call' | 'each'>, run: Run): Value | typeof skipped {
  const { budget } = run
  const of = evaluateChainLink(part.of, run)
  if (of === skipped || (part.optional && (of === null || of === undefined))) return skipped

  if (part.kind === 'member') {
    const key = evaluatePart(part.key, run)
    budget.at = part.at
    if (typeof key !== 'string' && typeof key !== 'number') {
      throw failure(budget, `A key must be a text or a number, not ${nameOf(key)}`)
    }
    scan(budget, key)
    return ownValue(of, String(key))
  }

  if (part.kind === 'call') {
    const given = part.given.map(each => evaluatePart(each, run))
    budget.at = part.at
    return callMethod(budget, of, part.method, given)
  }

  const given = part.given.map(each => evaluatePart(each, run))
  const ask: Ask = (...values) => {
    let names = run.names
    for (const [index, name] of part.names.entries())
      names = { name, value: values[index], outer: names }
    return evaluatePart(part.body, { budget, names })
  }

  budget.at = part.at

  return callWithFunction(budget, of, part.method, ask, given)
}

function unary({ operator, of, at }: Kind<'unary'>, run: Run): Value {
  const value = evaluatePart(of, run)
  run.budget.at = at
  if (operator === '!') return !value
  if (operator === 'typeof') return typeof value
  if (operator === 'void') return undefined
  const number = toNumber(run.budget, value, `"${operator}"`)
  if (operator === '-') return -number
  return operator === '~' ? ~number : number
}

function binary({ operator, left, right, at }: Kind<'binary'>, run: Run): Value {
  const { budget } = run
  const a = evaluatePart(left, run)
  const b = evaluatePart(right, run)
  budget.at = at

  switch (operator) {
    case '===':
      return strictEquals(budget, a, b)
    case '!==':
      return !strictEquals(budget, a, b)
    case '==':
      return looseEquals(budget, a, b)
    case '!=':
      return !looseEquals(budget, a, b)
    case 'in':
      return contains(budget, a, b)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(budget, operator, a, b)
    case '+':
      if (typeof a === 'string' || typeof b === 'string') {
        return newText(budget, `${plain(budget, a, '"+"')}${plain(budget, b, '"+"')}`)
      }
  }

  const name = `"${operator}"`

  return calculations[operator]!(toNumber(budget, a, name), toNumber(budget, b, name))
}

const calculations: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<<': (a, b) => a << b,
  '>>': (a, b) => a >> b,
  '>>>': (a, b) => a >>> b,
}

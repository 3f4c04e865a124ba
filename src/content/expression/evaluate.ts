import { Fault } from '../../errors.ts'
import { type Budget, failure, type Limits, newText, plain, scan, spend, usualLimits } from './budget.ts'
import { alike, isIn, isOrdered, same, toNumber } from './compare.ts'
import { type Ask, callWithFunction } from './functions.ts'
import { entriesOf, itemsOf } from './items.ts'
import { callMethod } from './methods.ts'
import { type Expression, type Part, spread } from './parse.ts'
import { nameOf, ownValue, type Value } from './value.ts'

/** The names that surround a part: those of functions from within, then the scope. */
type Names = { name: string; value: Value; outer: Names } | { scope: Readonly<Record<string, unknown>> }

type Run = { budget: Budget; names: Names }

/** What a chain is worth once a `?.` in it has met nothing. */
const cut = Symbol('cut')

/**
 * What an expression is worth over the plain data of its scope. A name or a member that is not there is undefined, and so
 * are members of undefined; a call on it is not. Pure: the same expression and scope give the same value. Throws
 * 'invalid', with a sentence and `detail.position`, when something is asked of a value that it cannot do, and when the
 * limits are reached.
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

/** The same without throwing: the value or the fault, and how much of the limits was taken. */
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
    return { value: worthOf(root, { budget, names: { scope } }), taken: taken() }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { fault: error, taken: taken() }
  }
}

function worthOf(part: Part, run: Run): Value {
  const value = linkOf(part, run)
  return value === cut ? undefined : value
}

/** The value of a part that may be a link of a chain. */
function linkOf(part: Part, run: Run): Value | typeof cut {
  const { budget } = run
  budget.at = part.at
  spend(budget, 1)
  switch (part.kind) {
    case 'literal':
      return part.value
    case 'name':
      return lookUp(part.name, run.names)
    case 'template':
      return fill(part, run)
    case 'list':
      return listOf(part, run)
    case 'record':
      return recordOf(part, run)
    case 'member':
    case 'call':
    case 'each':
      return follow(part, run)
    case 'chain':
      return worthOf(part.of, run)
    case 'unary':
      return unary(part, run)
    case 'binary':
      return binary(part, run)
    case 'logical': {
      const left = worthOf(part.left, run)
      const enough =
        part.operator === '??'
          ? left !== null && left !== undefined
          : Boolean(left) === (part.operator === '||')
      return enough ? left : worthOf(part.right, run)
    }
    case 'choice':
      return worthOf(worthOf(part.test, run) ? part.met : part.unmet, run)
    case 'sequence':
      return part.parts.map(each => worthOf(each, run)).at(-1)
  }
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
    const value = worthOf(part, run)
    run.budget.at = at
    const said = plain(run.budget, value, 'A template')
    filled += newText(run.budget, `${said}${texts[index + 1] ?? ''}`)
  }
  return filled
}

function listOf({ items }: Kind<'list'>, run: Run): Value {
  const list: Value[] = []
  for (const { of, spread } of items) {
    const value = worthOf(of, run)
    run.budget.at = of.at
    if (spread) for (const item of itemsOf(run.budget, value)) list.push(item)
    else list.push(value)
  }
  return list
}

function recordOf({ entries }: Kind<'record'>, run: Run): Value {
  // Without a prototype "__proto__" is a key like any other.
  const record: Record<string, Value> = Object.create(null)
  for (const { key, value: of } of entries) {
    const value = worthOf(of, run)
    run.budget.at = of.at
    if (key === spread) for (const [name, each] of entriesOf(run.budget, value)) record[name] = each
    else record[key] = value
  }
  return record
}

function follow(part: Kind<'member' | 'call' | 'each'>, run: Run): Value | typeof cut {
  const { budget } = run
  const of = linkOf(part.of, run)
  if (of === cut || (part.optional && (of === null || of === undefined))) return cut
  if (part.kind === 'member') {
    const key = worthOf(part.key, run)
    budget.at = part.at
    if (typeof key !== 'string' && typeof key !== 'number') {
      throw failure(budget, `A key is a text or a number, not ${nameOf(key)}`)
    }
    scan(budget, key)
    return ownValue(of, String(key))
  }
  if (part.kind === 'call') {
    const given = part.given.map(each => worthOf(each, run))
    budget.at = part.at
    return callMethod(budget, of, part.method, given)
  }
  const given = part.given.map(each => worthOf(each, run))
  const ask: Ask = (...values) => {
    let names = run.names
    for (const [index, name] of part.names.entries()) names = { name, value: values[index], outer: names }
    return worthOf(part.body, { budget, names })
  }
  budget.at = part.at
  return callWithFunction(budget, of, part.method, ask, given)
}

function unary({ operator, of, at }: Kind<'unary'>, run: Run): Value {
  const value = worthOf(of, run)
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
  const a = worthOf(left, run)
  const b = worthOf(right, run)
  budget.at = at
  switch (operator) {
    case '===':
      return same(budget, a, b)
    case '!==':
      return !same(budget, a, b)
    case '==':
      return alike(budget, a, b)
    case '!=':
      return !alike(budget, a, b)
    case 'in':
      return isIn(budget, a, b)
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

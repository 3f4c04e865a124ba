import { Fault } from '../../errors.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { expressionFault, type Limits, usualLimits } from '../expression/budget.ts'
import { attempt } from '../expression/evaluate.ts'
import { type Expression, type Part, parseExpression } from '../expression/parse.ts'
import type { Variables } from '../tree/variables.ts'
import type { Claims } from './claims.ts'

/**
 * The names that a condition may read: `visitor`, and for site spaces also `space.vars` of their
 * space.
 */
type ConditionRoots = 'visitor' | 'visitor+space'

/**
 * Checks a condition before it is stored. Throws 'invalid', with `detail.position`, for text that
 * is not an expression of at most 1,024 characters, or that reads other names than `roots`.
 */
export function checkCondition(source: string, roots: ConditionRoots): void {
  const unusable = source.search(
    /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
  )
  if (unusable >= 0)
    throw expressionFault(
      'A condition cannot contain a NUL character or half a surrogate pair',
      unusable,
    )

  const { root, freeNames } = parseExpression(source)
  const ofSpace = roots === 'visitor+space' ? variablesRead(root) : new Set()
  const stray = freeNames.find(
    ({ name, at }) => name !== 'visitor' && !(name === 'space' && ofSpace.has(at)),
  )
  if (!stray) return

  const known = roots === 'visitor' ? '"visitor.claims"' : '"visitor.claims" and "space.vars"'
  const shown = stray.name.slice(0, 100)

  throw expressionFault(`A condition cannot read "${shown}" here. It can read ${known}`, stray.at)
}

/** Returns the offsets of `space` in every `space.vars` of a part. */
function variablesRead(part: Part): Set<number> {
  const found = new Set<number>()
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    const { kind, of, key } = value as Partial<Extract<Part, { kind: 'member' }>>
    if (kind === 'member' && of?.kind === 'name' && key?.kind === 'literal')
      if (of.name === 'space' && key.value === 'vars') found.add(of.at)
    for (const inner of Object.values(value)) walk(inner)
  }

  walk(part)

  return found
}

/** The limits that all conditions of one request share. */
const requestLimits: Limits = { steps: 50_000, characters: 1_000_000 }

/**
 * Expressions parsed before, by their source and within a total number of characters: parsing takes
 * most of the time.
 */
const parsed = new BoundedCache<string, Expression>(200_000)

/** The reader for whom conditions are judged, and the limits that all of them share. */
type Judged = { claims: Claims; limits?: Limits }

export type ConditionJudge = {
  /**
   * Returns whether a condition is met; no condition always is. One that fails, reaches a limit, or
   * reads the variables of a space where `spaceVars` is absent is not met.
   */
  isMet: (source: string | null | undefined, spaceVars?: Readonly<Variables>) => boolean
}

/**
 * Returns a judge for the conditions of one request. Equal conditions over the same variables,
 * compared by identity, are evaluated once.
 */
export function conditionJudge({ claims, limits = requestLimits }: Judged): ConditionJudge {
  const left = { ...limits }
  const known = new Map<Readonly<Variables> | undefined, Map<string, boolean>>()

  function evaluateNew(expression: Expression, vars: Readonly<Variables> | undefined): boolean {
    const within = {
      steps: Math.min(usualLimits.steps, left.steps),
      characters: Math.min(usualLimits.characters, left.characters),
    }
    if (within.steps <= 0 || within.characters <= 0) return false
    const scope = { visitor: { claims }, ...(vars && { space: { vars } }) }
    const { taken, ...result } = attempt(expression, scope, within)

    left.steps -= taken.steps
    left.characters -= taken.characters

    return 'value' in result && Boolean(result.value)
  }

  function isMet(source: string | null | undefined, spaceVars?: Readonly<Variables>): boolean {
    if (!source?.trim()) return true
    const expression = parse(source)
    if (!expression) return false

    const readsSpace = expression.freeNames.some(({ name }) => name === 'space')
    if (readsSpace && !spaceVars) return false

    const vars = readsSpace ? spaceVars : undefined
    const results = known.get(vars) ?? new Map<string, boolean>()

    known.set(vars, results)
    const result = results.get(source) ?? evaluateNew(expression, vars)

    results.set(source, result)

    return result
  }

  return { isMet }
}

function parse(source: string): Expression | undefined {
  const before = parsed.get(source)
  if (before) return before

  try {
    const expression = parseExpression(source)
    parsed.set(source, expression, source.length)
    return expression
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

import { Fault } from '../../errors.ts'
import { type Limits, usualLimits } from '../expression/budget.ts'
import { attempt } from '../expression/evaluate.ts'
import { type Expression, parseExpression } from '../expression/parse.ts'
import type { Value } from '../expression/value.ts'
import type { Variables } from '../tree/variables.ts'

/** The names that expressions on a page can read, as plain data. */
export type PageScope = {
  space: { vars: Readonly<Variables> }
  /** Absent if the page has no variables of its own. */
  page?: { vars: Readonly<Variables> }
  visitor: { claims: Readonly<Record<string, unknown>> }
}

/** The claims of an unknown visitor. */
const noClaims: PageScope['visitor']['claims'] = { unsigned: {} }

/**
 * Returns the scope of a page: the variables of the space and of the page, and the claims of the
 * visitor.
 */
export const pageScope = (
  ofSpace: Readonly<Variables>,
  ofPage: Readonly<Variables> | undefined,
  claims = noClaims,
): PageScope => ({
  space: { vars: ofSpace },
  ...(ofPage && Object.keys(ofPage).length > 0 && { page: { vars: ofPage } }),
  visitor: { claims },
})

/**
 * `deterministic-only` leaves expressions that depend on the visitor as written. `reader` shows
 * nothing of the source: an expression that fails is empty, and comments are removed. `preview` is
 * for the author: it keeps text that a condition hides from readers, and names the condition.
 */
export type Mode = 'all' | 'reader' | 'preview' | 'deterministic-only'

/** The limits that the expressions of one page share. Parsing takes one step per character. */
const pageLimits: Limits = { steps: 1_000_000, characters: 2_000_000 }

/** The result of an expression: left as written, failed, or a value. */
type Result = 'left' | 'failed' | { value: Value }

export type PageEvaluator = {
  /**
   * Returns the text of an expression's value; `{{…}}` with the expression if it fails, or '' for a
   * reader; undefined if it is left as written.
   */
  valueOf: (source: string) => string | undefined
  /**
   * Returns whether a condition holds: an empty one does, a failing one does not. Undefined if it
   * is left as written.
   */
  conditionHolds: (source: string) => boolean | undefined
  /** Returns the number of steps taken so far. */
  taken: () => number
}

/**
 * Returns an evaluator for the expressions of one page, over one scope and within shared limits.
 * Beyond the limits, expressions fail or, with `deterministic-only`, are left as written. Equal
 * expressions are evaluated once.
 */
export function pageEvaluator(
  scope: PageScope,
  mode: Mode,
  limits: Limits = pageLimits,
): PageEvaluator {
  const left = { ...limits }
  const known = new Map<string, Result>()
  const beyond: Result = mode === 'deterministic-only' ? 'left' : 'failed'

  function evaluateNew(source: string): Result {
    left.steps -= source.length
    const expression = parse(source)
    if (!expression) return 'failed'
    if (mode === 'deterministic-only' && readsVisitor(expression)) return 'left'

    const within = {
      steps: Math.min(usualLimits.steps, left.steps),
      characters: Math.min(usualLimits.characters, left.characters),
    }
    const { taken, ...result } = attempt(expression, scope, within)

    left.steps -= taken.steps
    left.characters -= taken.characters

    return 'value' in result ? result : 'failed'
  }

  function resultOf(source: string): Result {
    let result = known.get(source)
    if (result) return result
    if (left.steps <= source.length || left.characters <= 0) return beyond
    result = evaluateNew(source)
    known.set(source, result)
    return result
  }

  return {
    valueOf(source) {
      left.steps--
      if (source.trim() === '') return ''
      const result = resultOf(source)
      if (result === 'left') return undefined

      const text = result === 'failed' ? undefined : textOf(result.value)

      // A long value counts each time it is shown.
      if (text === undefined || text.length > left.characters)
        return mode === 'reader' ? '' : `{{${source}}}`
      left.characters -= text.length

      return text
    },
    conditionHolds(source) {
      left.steps--
      if (source.trim() === '') return true
      const result = resultOf(source)
      return result === 'left' ? undefined : result !== 'failed' && Boolean(result.value)
    },
    taken: () => limits.steps - left.steps,
  }
}

/**
 * Returns texts unchanged, numbers and booleans as JavaScript prints them, and '' for all other
 * values.
 */
function textOf(value: Value): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function parse(source: string): Expression | undefined {
  try {
    return parseExpression(source)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

const readsVisitor = ({ freeNames }: Expression): boolean =>
  freeNames.some(({ name }) => name === 'visitor')

import { Fault } from '../../errors.ts'
import { type Limits, usualLimits } from '../expression/budget.ts'
import { attempt } from '../expression/evaluate.ts'
import { type Expression, parseExpression } from '../expression/parse.ts'
import type { Value } from '../expression/value.ts'
import type { PageScope } from './scope.ts'

/** `deterministic-only` leaves as they are written what depends on who reads. */
export type Mode = 'all' | 'deterministic-only'

/** What the expressions of one page may do together. Reading one takes a step for every character. */
export const pageLimits: Limits = { steps: 1_000_000, characters: 2_000_000 }

/** An expression that is left as it is written, one that fails, or what it is worth. */
type Found = 'left' | 'failed' | { value: Value }

export type Judge = {
  /** What an expression shows; `{{…}}` around itself when it fails, undefined when it is to stay as it is written. */
  shown: (source: string) => string | undefined
  /** Whether a condition is met: an empty one is, one that fails is not. Undefined when it is to stay as it is written. */
  isMet: (source: string) => boolean | undefined
  /** The steps that were taken so far. */
  taken: () => number
}

/**
 * Judges the expressions of one page, over one scope and within limits for all of them: behind those they fail, and in
 * the mode `deterministic-only` they stay as they are written. The same expression is looked at once.
 */
export function openJudge(scope: PageScope, mode: Mode, limits: Limits = pageLimits): Judge {
  const left = { ...limits }
  const known = new Map<string, Found>()
  const beyond: Found = mode === 'all' ? 'failed' : 'left'

  const find = (source: string): Found => {
    left.steps -= source.length
    const expression = parse(source)
    if (!expression) return 'failed'
    if (mode === 'deterministic-only' && isOfVisitor(expression)) return 'left'
    const within = {
      steps: Math.min(usualLimits.steps, left.steps),
      characters: Math.min(usualLimits.characters, left.characters),
    }
    const { taken, ...result } = attempt(expression, scope, within)
    left.steps -= taken.steps
    left.characters -= taken.characters
    return 'value' in result ? result : 'failed'
  }
  const look = (source: string): Found => {
    let found = known.get(source)
    if (found) return found
    if (left.steps <= source.length || left.characters <= 0) return beyond
    found = find(source)
    known.set(source, found)
    return found
  }

  return {
    shown(source) {
      left.steps--
      if (source.trim() === '') return ''
      const found = look(source)
      if (found === 'left') return undefined
      const text = found === 'failed' ? undefined : textOf(found.value)
      // What is worth much is not shown a thousand times.
      if (text === undefined || text.length > left.characters) return `{{${source}}}`
      left.characters -= text.length
      return text
    },
    isMet(source) {
      left.steps--
      if (source.trim() === '') return true
      const found = look(source)
      return found === 'left' ? undefined : found !== 'failed' && Boolean(found.value)
    },
    taken: () => limits.steps - left.steps,
  }
}

/** Texts as they are, numbers and booleans as JavaScript writes them, and nothing for all else. */
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

const isOfVisitor = ({ freeNames }: Expression): boolean => freeNames.some(({ name }) => name === 'visitor')

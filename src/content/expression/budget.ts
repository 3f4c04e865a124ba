import { type Fault, invalid } from '../../errors.ts'

/**
 * The limits of an evaluation: `steps`, one for each part and item visited, and `characters` of new
 * text.
 */
export type Limits = { steps: number; characters: number }

export const usualLimits: Limits = { steps: 10_000, characters: 100_000 }

/** The remaining budget of an evaluation, and the position of the part that it evaluates. */
export type Budget = { readonly limits: Limits; steps: number; characters: number; at: number }

/**
 * Returns the fault of an expression; its message counts characters from 1, `detail.position` from
 * 0.
 */
export const expressionFault = (sentence: string, position: number): Fault =>
  invalid(`${sentence}, at character ${position + 1}.`, { position })

/** Returns the fault of the part that is being evaluated. */
export const failure = ({ at }: Budget, sentence: string): Fault => expressionFault(sentence, at)

/** Takes steps from the budget. Throws 'invalid' if too few are left. */
export function spend(budget: Budget, steps: number): void {
  budget.steps -= steps
  if (budget.steps < 0) {
    throw failure(budget, `The expression takes more than ${budget.limits.steps} steps`)
  }
}

/** Takes the steps for scanning texts: one per 64 characters. */
export function scan(budget: Budget, ...values: unknown[]): void {
  for (const value of values) if (typeof value === 'string') spend(budget, value.length >> 6)
}

/**
 * Takes the length of a text from the budget and returns the text. Throws 'invalid' if too few
 * characters are left.
 */
export function newText(budget: Budget, text: string): string {
  budget.characters -= text.length
  if (budget.characters < 0) throw tooMuch(budget)
  return text
}

/** Returns the fault of an expression that creates more text than its limit. */
export const tooMuch = (budget: Budget): Fault =>
  failure(budget, `The expression creates more than ${budget.limits.characters} characters of text`)

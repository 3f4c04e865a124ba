import type { Fault } from '../../errors.ts'
import { expressionFault } from './fault.ts'
import { isPlain, nameOf, type Plain, type Value } from './value.ts'

/** How much an evaluation may do: `steps`, one for each part and item that is looked at, and characters of new text. */
export type Limits = { steps: number; characters: number }

export const usualLimits: Limits = { steps: 10_000, characters: 100_000 }

/** What is left to an evaluation, and at which part it is. */
export type Budget = { readonly limits: Limits; steps: number; characters: number; at: number }

/** The fault of the part at which the evaluation is. */
export const failure = ({ at }: Budget, sentence: string): Fault => expressionFault(sentence, at)

/** Takes steps from what is left. Throws 'invalid' when there are none. */
export function spend(budget: Budget, steps: number): void {
  budget.steps -= steps
  if (budget.steps < 0) {
    throw failure(budget, `The expression takes more than ${budget.limits.steps} steps`)
  }
}

/** Takes the steps for reading through texts: one for every 64 characters. */
export const scan = (budget: Budget, ...texts: Value[]): void => {
  for (const text of texts) if (typeof text === 'string') spend(budget, text.length >> 6)
}

/** The text, once its length is taken from what is left. Throws 'invalid' when that is too little. */
export function newText(budget: Budget, text: string): string {
  budget.characters -= text.length
  if (budget.characters < 0) throw tooMuch(budget)
  return text
}

/** The fault of an expression that makes more text than it may. */
export const tooMuch = (budget: Budget): Fault =>
  failure(budget, `The expression makes more than ${budget.limits.characters} characters of text`)

/** The value, unless it is a list or a record: for those it throws 'invalid', saying what does not take them. */
export function plain(budget: Budget, value: Value, what: string): Plain {
  if (!isPlain(value)) throw failure(budget, `${what} cannot take ${nameOf(value)}`)
  return value
}

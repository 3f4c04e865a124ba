import type { Problem } from '../actions/upkeep/verify-repository.ts'
import { Failure } from './failure.ts'
import { counted, oneLine, print } from './print.ts'

/** How many problems with one remedy are shown: a lost pack is hundreds of them. */
const most = 3

/**
 * Prints what is wrong for a person: under each space what was found, the first few where one remedy is for many, and then
 * the remedy, once. Gives the sentence that counts them all.
 */
export function printProblems(problems: readonly Problem[]): string {
  const groups = new Map<string, Problem[]>()
  for (const problem of problems) {
    const key = `${placeOf(problem)}\n${problem.remedy}`
    const group = groups.get(key)
    if (group) group.push(problem)
    else groups.set(key, [problem])
  }
  for (const group of groups.values()) {
    const [first] = group as [Problem, ...Problem[]]
    print(`${placeOf(first)}:`)
    for (const { what } of group.slice(0, most)) print(`  ${oneLine(what)}`)
    if (group.length > most) print(`  … and ${group.length - most} more.`)
    print(`  To do: ${oneLine(first.remedy)}`)
  }
  return `${counted(problems.length, 'problem was', 'problems were')} found.`
}

function placeOf({ space, organization }: Problem): string {
  if (space !== undefined) return `space ${space}`
  return organization === undefined ? 'data folder' : `descriptions of ${organization}`
}

/**
 * Prints what a check found, or `allWell` when there is nothing to say; with `json` nothing, because the command has printed
 * it as JSON. Throws Failure when something is wrong; what is harmless is shown and does not fail the check.
 */
export function reportProblems(
  problems: readonly Problem[],
  { json, allWell }: { json: boolean; allWell: string | undefined },
): void {
  const isWrong = problems.some(({ harmless }) => !harmless)
  const sentence = json || problems.length === 0 ? '' : printProblems(problems)
  if (isWrong) throw new Failure(sentence)
  if (json) return
  if (problems.length > 0) print('Nothing is damaged.')
  else if (allWell !== undefined) print(allWell)
}

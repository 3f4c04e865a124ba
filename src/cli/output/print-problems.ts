import type { Problem } from '../../actions/upkeep/verify-repository.ts'
import { Failure } from './failure.ts'
import { counted, oneLine, print } from './print.ts'

/** How many problems with the same remedy are shown: a lost pack causes hundreds. */
const most = 3

/**
 * Prints problems grouped by space and remedy: the first few of each group, then the remedy once.
 * Returns a sentence with the total.
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

  return `${counted(problems.length, 'problem')} found.`
}

function placeOf({ space, organization }: Problem): string {
  if (space !== undefined) return `space ${space}`
  return organization === undefined ? 'data folder' : `specs of ${organization}`
}

/**
 * Prints the problems of a check, or `allWell` if there are none; with `json` it prints nothing,
 * since the command has printed JSON. Throws Failure if anything is damaged; harmless problems are
 * shown but do not fail the check.
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

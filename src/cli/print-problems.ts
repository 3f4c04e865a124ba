import type { Problem } from '../actions/verify-repository.ts'
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

import type { App } from '../support/app.ts'
import { collectGarbage, cpuTime } from '../support/cpu-time.ts'
import type { Parser } from './parsers/parser.ts'

/** What an input costs at a quarter of the limit of size and at the limit, in milliseconds of CPU. */
export type ParserCost = { form: string; small: number; large: number; problem?: string }

/** Costs below this many milliseconds are noise. */
const noise = 25
/** The most that four times as much may cost. */
const mostRatio = 5

/**
 * Returns the least CPU of three runs: what else the process does slows some of them, seldom all. A run that costs at most
 * `enough` is the last.
 */
async function leastCost(work: () => unknown, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && least > enough; run++) {
    const before = cpuTime()
    await work()
    least = Math.min(least, cpuTime() - before)
  }
  return least
}

/** Measures every form of input of a parser. A form has a problem only if it has it in each of three attempts. */
export async function costsOfParser(
  app: App,
  { most, forms, parse, mostMs = Number.POSITIVE_INFINITY }: Parser,
): Promise<ParserCost[]> {
  const costs: ParserCost[] = []
  for (const [form, make] of Object.entries(forms)) {
    const [small, large] = [make(most / 4) as never, make(most) as never]
    await parse(small, app) // compiles what it calls
    let cost: ParserCost = { form, small: 0, large: 0 }
    for (let attempt = 0; attempt < 3; attempt++) {
      if (attempt > 0) collectGarbage()
      const less = await leastCost(() => parse(small, app), 1)
      cost = { form, small: less, large: await leastCost(() => parse(large, app), mostOf(less, mostMs)) }
      const problem = problemOf(cost, mostMs)
      if (problem === undefined) break
      cost.problem = problem
    }
    costs.push(cost)
  }
  return costs
}

/** Returns the most that an input may cost, given the cost of a quarter of it. */
const mostOf = (small: number, mostMs: number): number =>
  Math.min(mostMs, mostRatio * Math.max(small, noise / mostRatio))

function problemOf({ small, large }: ParserCost, mostMs: number): string | undefined {
  if (large <= mostOf(small, mostMs)) return undefined
  return large > mostMs
    ? `more than ${mostMs} ms`
    : `${(large / Math.max(small, noise / mostRatio)).toFixed(1)} times`
}

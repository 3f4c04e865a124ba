import type { App } from '../support/app.ts'
import { collectGarbage, cpuTime } from '../support/cpu-time.ts'
import type { Parser } from './parsers/parser.ts'

/** What an input costs at a quarter of the limit of size and at the limit, in milliseconds of CPU. */
export type ParserCost = { form: string; small: number; large: number; problem?: string }

/** Costs below this many milliseconds are noise. */
const noise = 25
/** The most that four times as much may cost. */
const mostRatio = 5

/** Returns the least CPU of some runs: what else the process does slows some of them, seldom all. */
async function leastCost(work: () => unknown, runs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && least > 1; run++) {
    const before = cpuTime()
    await work()
    least = Math.min(least, cpuTime() - before)
  }
  return least
}

/** Measures every form of input of a parser. A form has a problem only if it has it in each of three attempts. */
export async function costsOfParser(app: App, { most, forms, parse, mostMs }: Parser): Promise<ParserCost[]> {
  const costs: ParserCost[] = []
  for (const [form, make] of Object.entries(forms)) {
    const [small, large] = [make(most / 4) as never, make(most) as never]
    await parse(small, app) // compiles what it calls
    let cost: ParserCost = { form, small: 0, large: 0 }
    for (let attempt = 0; attempt < 3; attempt++) {
      if (attempt > 0) collectGarbage()
      cost = {
        form,
        small: await leastCost(() => parse(small, app), 3),
        large: await leastCost(() => parse(large, app), 3),
      }
      const problem = problemOf(cost, mostMs)
      if (problem === undefined) break
      cost.problem = problem
    }
    costs.push(cost)
  }
  return costs
}

function problemOf({ small, large }: ParserCost, mostMs = Number.POSITIVE_INFINITY): string | undefined {
  const ratio = large / Math.max(small, noise / mostRatio)
  if (ratio > mostRatio) return `${ratio.toFixed(1)} times`
  return large > mostMs ? `more than ${mostMs} ms` : undefined
}

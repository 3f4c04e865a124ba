import type { App } from '../support/app.ts'
import { collectGarbage, cpuTime } from '../support/cpu-time.ts'
import type { Parser } from './parsers/parser.ts'

/**
 * What four inputs of a quarter of the limit of size cost, and one at the limit, in milliseconds of
 * CPU.
 */
export type ParserCost = { form: string; quarters: number; whole: number; problem?: string }

/** Costs below this many milliseconds are noise. */
const noise = 25
/**
 * The most that an input may cost, as a multiple of four inputs of a quarter of its size. A cost in
 * proportion to the size gives 1, a cost that grows with the square of the size 4.
 */
const mostRatio = 2

/**
 * Returns the least CPU of three runs: what else the process does slows some of them, seldom all. A
 * run that costs at most `enough` is the last.
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

/**
 * Measures every form of input of a parser. A form has a problem only if it has it in each of three
 * attempts.
 */
export async function costsOfParser(
  app: App,
  { most, forms, parse, mostMs = Number.POSITIVE_INFINITY }: Parser,
): Promise<ParserCost[]> {
  const costs: ParserCost[] = []
  for (const [form, make] of Object.entries(forms)) {
    const [quarter, whole] = [make(most / 4) as never, make(most) as never]
    // The four results are kept until the last one is there: the garbage collector moves as much as
    // for one large result.
    const parseQuarters = async () => [
      await parse(quarter, app),
      await parse(quarter, app),
      await parse(quarter, app),
      await parse(quarter, app),
    ]

    await parse(quarter, app) // compiles what it calls
    let cost: ParserCost = { form, quarters: 0, whole: 0 }

    for (let attempt = 0; attempt < 3; attempt++) {
      if (attempt > 0) collectGarbage()
      const quarters = await leastCost(parseQuarters, 1)
      cost = {
        form,
        quarters,
        whole: await leastCost(() => parse(whole, app), mostOf(quarters, mostMs)),
      }
      const problem = problemOf(cost, mostMs)
      if (problem === undefined) break
      cost.problem = problem
    }

    costs.push(cost)
  }

  return costs
}

/** Returns the most that an input may cost, given the cost of its four quarters. */
const mostOf = (quarters: number, mostMs: number): number =>
  Math.min(mostMs, Math.max(noise, mostRatio * quarters))

function problemOf({ quarters, whole }: ParserCost, mostMs: number): string | undefined {
  if (whole <= mostOf(quarters, mostMs)) return undefined
  return whole > mostMs ? `more than ${mostMs} ms` : `${(whole / quarters).toFixed(1)} times`
}

import type { App } from '../support/app.ts'
import { type Costs, compareQuarters } from '../support/cpu-time.ts'
import type { Parser } from './parsers/parser.ts'

/** What a form of input costs at the limit of size, and in quarters of it. */
export type ParserCost = Costs & { form: string; problem?: string }

/** Measures every form of input of a parser. */
export async function costsOfParser(
  app: App,
  { most: bytes, forms, parse, mostMs = Number.POSITIVE_INFINITY }: Parser,
): Promise<ParserCost[]> {
  const all: ParserCost[] = []
  for (const [form, make] of Object.entries(forms)) {
    const costs = await compareQuarters(
      bytes,
      size => make(size) as never,
      input => parse(input, app),
      mostMs,
    )
    const problem = problemOf(costs, mostMs)
    all.push({ form, ...costs, ...(problem !== undefined && { problem }) })
  }

  return all
}

function problemOf({ quarters, whole, most }: Costs, mostMs: number): string | undefined {
  if (whole <= most) return undefined
  return whole > mostMs ? `more than ${mostMs} ms` : `${(whole / quarters).toFixed(1)} times`
}

import { cpuTime } from '../../support/cpu-time.ts'
import { median } from '../figure.ts'
import { comparedKinds } from './compared.ts'
import { pageAt, withContext } from './rendering.ts'

/** The processor time in milliseconds of a comparison, and of both of its pages. */
export type ComparisonCost = { comparison: number; pages: number }

const [dataDir = '', base = '', former = '', later = '', rounds = '1'] = process.argv.slice(2)

/** The compiler is busy with the first rounds, which do not count. */
const warmRounds = 2

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = cpuTime()
  await work()
  return cpuTime() - before
}

const costs = await withContext(dataDir, async ctx => {
  const found: ComparisonCost[] = []
  for (const at of Object.keys(comparedKinds).keys()) {
    const taken = { comparison: [] as number[], pages: [] as number[] }
    for (let round = 0; round < Number(rounds) + warmRounds; round++) {
      const comparison = await timed(() =>
        pageAt(ctx, `${base}~/compare/${former}...${later}/kind-${at}`),
      )
      const pages = await timed(async () => {
        await pageAt(ctx, `${base}~/revisions/${former}/kind-${at}`)
        await pageAt(ctx, `${base}~/revisions/${later}/kind-${at}`)
      })
      if (round < warmRounds) continue
      taken.comparison.push(comparison)
      taken.pages.push(pages)
    }

    found.push({ comparison: median(taken.comparison), pages: median(taken.pages) })
  }

  return found
})
process.send?.(costs)
process.disconnect?.()

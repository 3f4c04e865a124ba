import { forgetDerived } from '../derived.ts'
import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { importSpaces } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

const shape = { pages: 1_070, bytes: 4_000, commits: 1 }

/**
 * The links of a space: the first request ever, for which every page is parsed, after a restart,
 * and warm.
 */
export const links = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [shape])
    const path = `${space!.path}/links?limit=1000`
    const first = async (stemmaNow: Stemma): Promise<number> => {
      // The page tree is measured by another row.
      await stemmaNow.caller.call('GET', `${space!.path}/content/pages`)
      return (await stemmaNow.caller.call('GET', path)).ms
    }
    const { stats } = await stemma.caller.json('GET', path)
    if (!(stats.total > shape.pages)) throw new Error(`There are ${stats.total} links.`)

    const ms = await interleave(pace.rounds, {
      dropped: async () => {
        await stemma.restart(() => forgetDerived(stemma))
        return first(stemma)
      },
      kept: async () => {
        await stemma.restart()
        return first(stemma)
      },
      all: () => typical(20, async () => (await stemma.caller.call('GET', path)).ms),
      broken: () =>
        typical(
          50,
          async () => (await stemma.caller.call('GET', `${space!.path}/links?status=broken`)).ms,
        ),
    })
    const work = `links of a space of ${shape.pages} pages, ${stats.total} in all`
    const target = { of: 'figure', is: 'under', value: 50 } as const

    return [
      { work: `${work}, a thousand of them, warm, p50`, value: ms.all, unit: 'ms', target },
      { work: `${work}, the broken ones, warm, p50`, value: ms.broken, unit: 'ms', target },
      { work: `${work}, first after a restart`, value: ms.kept, unit: 'ms' },
      { work: `${work}, first ever`, value: ms.dropped, unit: 'ms' },
    ]
  })

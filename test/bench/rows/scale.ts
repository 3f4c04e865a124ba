import {
  type Change,
  checkEdited,
  editPrimary,
  isNotThere,
  merge,
  openChanged,
} from '../editing.ts'
import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { importSpaces, type Space } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

const sizes = [100, 1_000, 10_000]

type Work = {
  name: string
  /** How many times slower a large space may be. */
  most?: number
  measure: (stemma: Stemma, space: Space, round: number) => Promise<number>
}

const get = async ({ caller }: Stemma, path: string, headers = {}, status = 200) =>
  (await caller.call('GET', path, { headers, status })).ms

const pageOf = (space: Space, index: number) => space.pages[index % space.pages.length]!

const works: Work[] = [
  {
    name: 'page read, warm',
    most: 1.2,
    measure: (stemma, space) =>
      typical(100, () => get(stemma, `${space.path}/content/page/${space.pages[7]!.id}`)),
  },
  {
    name: 'page read, each page for the first time',
    most: 1.2,
    measure: (stemma, space, round) =>
      typical(15, time =>
        get(stemma, `${space.path}/content/page/${pageOf(space, 10 + round * 15 + time).id}`),
      ),
  },
  {
    name: 'page list, If-None-Match',
    most: 1.2,
    measure: async (stemma, space) => {
      const path = `${space.path}/content/pages`
      const { headers } = await stemma.caller.call('GET', path)
      return typical(50, () => get(stemma, path, { 'if-none-match': String(headers.etag) }, 304))
    },
  },
  {
    name: 'page list, whole',
    measure: (stemma, space) => typical(20, () => get(stemma, `${space.path}/content/pages`)),
  },
  {
    name: 'edit',
    measure: (stemma, space, round) =>
      typical(5, time => editPrimary(stemma, space, pageOf(space, 55 + round * 5 + time))),
  },
  {
    name: 'page read right after an edit',
    measure: (stemma, space, round) =>
      typical(3, async time => {
        const page = pageOf(space, 55 + round * 3 + time)
        await editPrimary(stemma, space, page)
        const ms = await get(stemma, `${space.path}/content/page/${page.id}`)
        await checkEdited(stemma, space, page)
        return ms
      }),
  },
  {
    name: 'merge',
    measure: async (stemma, space, round) => {
      const changes: Change[] = []
      for (let time = 0; time < 3; time++)
        changes.push(await openChanged(stemma, space, pageOf(space, 55 + round * 3 + time)))
      return typical(3, time => merge(stemma, changes[time]!))
    },
  },
  {
    name: 'page read right after a merge',
    measure: async (stemma, space, round) => {
      const page = pageOf(space, 55 + round)
      await merge(stemma, await openChanged(stemma, space, page))
      return get(stemma, `${space.path}/content/page/${page.id}`)
    },
  },
]

/** The same work in a small, a large and a very large space. */
export const scale = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const spaces = await importSpaces(
      stemma,
      sizes.map(pages => ({ pages, bytes: 1_500, commits: 1 })),
    )
    const figures: Figure[] = []
    for (const work of works)
      figures.push(...(await measure(stemma, spaces, work, Math.min(5, pace.rounds))))
    return figures
  })

async function measure(
  stemma: Stemma,
  spaces: Space[],
  work: Work,
  rounds: number,
): Promise<Figure[]> {
  const each = spaces.map((space, index) => [
    String(sizes[index]),
    (round: number) => work.measure(stemma, space, round),
  ])
  try {
    const ms: Record<string, number> = await interleave(rounds, Object.fromEntries(each))
    const first = { what: `the same of ${sizes[0]} pages`, value: ms[String(sizes[0])]! }
    return sizes.map(size => ({
      work: `${work.name}, ${size} pages, p50`,
      value: ms[String(size)]!,
      unit: 'ms',
      ...(size !== sizes[0] && {
        reference: first,
        ...(work.most !== undefined && {
          target: { of: 'ratio', is: 'at most', value: work.most } as const,
        }),
      }),
    }))
  } catch (error) {
    if (!isNotThere(error)) throw error
    console.error(`scale: ${work.name} is not measured: ${(error as Error).message}`)
    return []
  }
}

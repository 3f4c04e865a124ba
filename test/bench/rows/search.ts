import { setTimeout as sleep } from 'node:timers/promises'
import { editChange, editPrimary, openChange } from '../editing.ts'
import { clocked, type Figure, interleave, type Pace, typical } from '../figure.ts'
import { importSpaces, type Space } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

const shapes = [
  { pages: 2_000, bytes: 2_000, commits: 1, under: 10 },
  { pages: 90_000, bytes: 1_500, commits: 1, under: 30 },
]
const perRound = 20

/** The queries, and the number of hits on the first page of results. */
const questions = [
  { what: 'a word that some pages have', query: 'brazefi', items: 0 },
  { what: 'a word that every page has', query: 'see', items: 50 },
  { what: 'a word that every title has', query: 'page', items: 50 },
  { what: 'the beginning of many words', query: 'qua', items: 50 },
  { what: 'two words and a title', query: 'page 1234', items: 1 },
]

/**
 * Searches in spaces with many and very many pages, and the cost of the first search after an edit.
 */
export const search = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const figures: Figure[] = []
    for (const { under, ...shape } of shapes) {
      const [space] = await importSpaces(stemma, [shape])
      const seconds = (await clocked(() => untilIndexed(stemma, space!))) / 1000
      const of = `a space of ${shape.pages} pages`
      figures.push({ work: `${of} is indexed after its import`, value: seconds, unit: 's' })

      for (const question of questions)
        figures.push(
          await ask(
            stemma,
            space!,
            `${of} is searched for ${question.what}, p50`,
            question,
            under,
            pace,
          ),
        )

      figures.push(...(await afterEdits(stemma, space!, of, pace)))
    }

    return figures
  })

const addressOf = (path: string, query: string): string =>
  `${path}/search?query=${encodeURIComponent(query)}`

/**
 * Waits until the newest revision is indexed: earlier searches use the previous, empty revision.
 */
export async function untilIndexed(
  { caller }: Stemma,
  { path }: Pick<Space, 'path'>,
  word = 'page',
): Promise<void> {
  const { revision } = await caller.json('GET', path)
  for (;;) {
    const { headers } = await caller.call('GET', addressOf(path, word), { status: [200, 503] })
    if (headers['stemma-revision'] === revision) return
    await sleep(200)
  }
}

async function ask(
  { caller }: Stemma,
  { path }: Space,
  work: string,
  { query, items }: (typeof questions)[number],
  under: number,
  pace: Pace,
): Promise<Figure> {
  const address = addressOf(path, query)
  const { count } = await caller.json('GET', address)
  if (count < items) throw new Error(`"${query}" found ${count} pages, not ${items}.`)
  const send = async () => (await caller.call('GET', address)).ms
  const { ms } = await interleave(pace.rounds, { ms: () => typical(perRound, send) })
  return { work, value: ms, unit: 'ms', target: { of: 'figure', is: 'under', value: under } }
}

/** Measures the first search after an edit, which updates the index. */
async function afterEdits(stemma: Stemma, space: Space, of: string, pace: Pace): Promise<Figure[]> {
  const { caller } = stemma
  const change = await openChange(stemma, space)
  const pageAt = (time: number) => space.pages[60 + ((time * 7) % 900)]!
  const find = async (path: string) => (await caller.call('GET', addressOf(path, 'qua'))).ms
  const { primary, branch } = await interleave(pace.rounds, {
    primary: () =>
      typical(5, async time => {
        await editPrimary(stemma, space, pageAt(time))
        return find(space.path)
      }),
    branch: () =>
      typical(5, async time => {
        await editChange(stemma, space, change, pageAt(time + 5))
        return find(change.path)
      }),
  })

  return [
    {
      work: `the first search of ${of} after an edit of one page, p50`,
      value: primary,
      unit: 'ms',
    },
    { work: `the same in a change request, p50`, value: branch, unit: 'ms' },
  ]
}

import { type Caller, openCaller } from '../caller.ts'
import { type Figure, interleave, type Pace } from '../figure.ts'
import { importSpaces, type Space } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

const shape = { pages: 96, bytes: 2_000, commits: 1 }
const spaces = 10
const clients = 32
/** How much longer than others a round is: in a short one, each client makes only two or three edits. */
const longer = 4

/** The throughput and latency of concurrent edits. */
type Load = { perSecond: number; p99: number }

/**
 * Many clients that edit pages without a pause, one edit at a time: all in one space, and spread
 * over ten.
 */
export const editors = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const all = await importSpaces(
      stemma,
      Array.from({ length: spaces }, () => shape),
    )
    const callers = Array.from({ length: clients }, () => openCaller(stemma.url, stemma.headers))
    const loads: Record<'one' | 'ten', Load[]> = { one: [], ten: [] }
    const measure = async (name: 'one' | 'ten', among: readonly Space[]) => {
      const load = await editTogether(stemma, callers, among, pace.seconds * longer)
      loads[name].push(load)
      return load.perSecond
    }

    try {
      for (const among of [all.slice(0, 1), all])
        await editTogether(stemma, callers, among, pace.seconds / 2)
      const perSecond = await interleave(Math.min(pace.rounds, 3), {
        one: () => measure('one', all.slice(0, 1)),
        ten: () => measure('ten', all),
      })
      return figuresOf(perSecond, Math.min(...loads.one.map(({ p99 }) => p99)))
    } finally {
      for (const caller of callers) caller.close()
    }
  })

/** Throws if a response is not 200: no two clients edit the same page. */
async function editTogether(
  stemma: Stemma,
  callers: readonly Caller[],
  among: readonly Space[],
  seconds: number,
): Promise<Load> {
  const took: number[] = []
  const began = performance.now()
  const edit = async (caller: Caller, client: number) => {
    const { path, pages } = among[client % among.length]!
    const page = pages[(client * 3) % pages.length]!
    const read = await stemma.caller.json('GET', `${path}/content/page/${page.id}`)

    while (performance.now() - began < seconds * 1000) {
      const document = {
        markdown: `${read.markdown}\nEdit of client ${client}, ${performance.now()}.\n`,
      }
      const body = { changes: [{ operation: 'update_page', page: page.id, document }] }
      const { ms } = await caller.call('POST', `${path}/content`, { body })
      took.push(ms)
    }
  }

  await Promise.all(callers.map(edit))
  const sorted = took.toSorted((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY

  return { perSecond: took.length / ((performance.now() - began) / 1000), p99 }
}

const figuresOf = (perSecond: Record<'one' | 'ten', number>, p99: number): Figure[] => [
  {
    work: `one-page edits of one space, ${clients} clients`,
    value: perSecond.one,
    unit: 'edits/s',
    target: { of: 'figure', is: 'at least', value: 60 },
  },
  {
    work: `one-page edits of one space, ${clients} clients, p99`,
    value: p99,
    unit: 'ms',
    target: { of: 'figure', is: 'under', value: 500 },
    note: 'of the best round',
  },
  {
    work: `one-page edits of ${spaces} spaces, ${clients} clients`,
    value: perSecond.ten,
    unit: 'edits/s',
    target: { of: 'figure', is: 'at least', value: 100 },
  },
]

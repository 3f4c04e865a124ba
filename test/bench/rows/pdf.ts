import { setTimeout as sleep } from 'node:timers/promises'
import { clocked, type Figure, median, type Pace } from '../figure.ts'
import { residentOf } from '../resident.ts'
import { importSpaces } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

/**
 * A space of 100 pages as a PDF: the time to render it and to send it again, and the memory of the
 * server afterwards.
 */
export const pdf = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [{ pages: 100, bytes: 4_000, commits: 1 }])
    const path = `${space!.path}/pdf`
    const made: number[] = []

    for (let round = 0; round < Math.min(3, pace.rounds); round++) {
      // A new title requires a new PDF.
      await stemma.caller.json('PATCH', space!.path, { body: { title: `Bench ${round}` } })
      made.push(await clocked(async () => open(stemma, path)))
    }

    const again = await clocked(async () => open(stemma, path))

    await sleep(1_000)
    const { own, peak } = residentOf(stemma)
    const work = 'a PDF of 100 pages of 4 kB'

    return [
      {
        work: `${work}, made`,
        value: median(made),
        unit: 'ms',
        target: { of: 'figure', is: 'under', value: 10_000 },
      },
      { work: `${work}, made before`, value: again, unit: 'ms' },
      {
        work: `memory after ${made.length} of them`,
        value: own,
        unit: 'MB',
        target: { of: 'figure', is: 'under', value: 250 },
        note: `at most ${peak.toFixed(0)} MB`,
      },
    ]
  })

async function open({ caller, url }: Stemma, path: string): Promise<void> {
  const { url: address } = await caller.json('GET', path)
  const { bytes } = await caller.call('GET', String(address).replace(url, ''))
  if (bytes.length < 50_000) throw new Error(`The PDF has only ${bytes.length} bytes.`)
}

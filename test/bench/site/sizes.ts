import type { Figure, Pace } from '../figure.ts'
import { median } from '../figure.ts'
import type { Stemma } from '../stemma.ts'
import { runBundled } from './bundle.ts'
import { importDeep } from './deep-space.ts'
import { pathsOf, publish } from './publish.ts'
import type { Rendering } from './rendering.ts'

/**
 * The pages at each level of a small and of a very large space: a page lists 39 of them in both.
 */
const shapes = [
  [6, 33],
  [10, 9, 9, 11],
]
const bytesOfPage = 4_000
/** How many pages of each space are measured, from its middle. */
const measured = 100
const turns = 3

type Measured = { bytes: number; ms: number }

/**
 * A page of a very large space beside one of a small space: its bytes, and the time that it takes.
 */
export async function largeSpaces(stemma: Stemma, { rounds }: Pace): Promise<Figure[]> {
  const chosen: string[][] = []
  const bytes: number[] = []
  const counts: number[] = []

  for (const shape of shapes) {
    const space = await importDeep(stemma, shape, bytesOfPage)
    counts.push(space.pages.length)
    const paths = await pathsOf(stemma, await publish(stemma, [space]))
    const some = paths.slice(paths.length / 2 - measured / 2, paths.length / 2 + measured / 2)

    chosen.push(some)
    const sizes: number[] = []

    for (const path of some) {
      const answer = await stemma.caller.call('GET', path, { headers: { 'accept-encoding': 'br' } })
      sizes.push(answer.bytes.length)
    }

    bytes.push(median(sizes))
  }

  const ms: number[][] = [[], []]

  await stemma.restart(async () => {
    // The spaces take turns, so that other work on the machine slows both.
    for (let turn = 0; turn < turns; turn++)
      for (const [at, paths] of chosen.entries()) {
        const args = [stemma.dataDir, JSON.stringify(paths), String(rounds)]
        ms[at]!.push((await runBundled<Rendering>('rendering-child', args)).page)
      }
  })
  const [small, large] = bytes.map((size, at): Measured => ({ bytes: size, ms: median(ms[at]!) }))

  return figuresOf(small!, large!, counts)
}

function figuresOf(small: Measured, large: Measured, [few = 0, many = 0]: number[]): Figure[] {
  const figure = (what: string, unit: string, value: number, reference: number): Figure => ({
    work: `a page of a space of ${many.toLocaleString('en')}, ${what}`,
    value,
    unit,
    reference: { what: `of ${few}`, value: reference },
    target: { of: 'ratio', is: 'at most', value: 1.1 },
  })
  return [
    figure('brotli', 'bytes', large.bytes, small.bytes),
    figure('rendered, processor time', 'ms', large.ms, small.ms),
  ]
}

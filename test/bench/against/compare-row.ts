import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type Figure, median, type Pace } from '../figure.ts'
import type { Side } from './side.ts'

/** The head of the table. */
export const headAgainst = [
  '| work | here | there | here/there | quartiles | here/there, each by its reference |',
  '|---|--:|--:|--:|---|--:|',
].join('\n')

/**
 * How often a row is measured: processes of one version differ by several per cent from each other, for as
 * long as they run.
 */
const pairs = 3

/**
 * Measures a row of this checkout and of the one in `folder` at the same time, each with servers of its
 * own, so that what slows the machine down affects both. One of them works while the other waits: they
 * change after each turn of `interleave`. Returns a line of a table for each figure of both. The ratio of
 * a work that is measured in turns is the median of the ratios of its turns.
 */
export async function compareRow(row: string, pace: Pace, folder: string): Promise<string[]> {
  const measured: (readonly [Side, Side])[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const sides = ['.', folder].map(cwd => startSide(row, pace, cwd))
    const [here, there] = await measureBoth(sides)
    measured.push([here!, there!])
  }

  const works = measured.map(([here, there]) => [worksOf(here), worksOf(there)] as const)
  const [[here, there]] = works as [(typeof works)[number]]
  return [...here.keys()]
    .filter(work => there.has(work))
    .map(work =>
      lineOf(
        row,
        works.map(([here, there]) => [here.get(work)!, there.get(work)!]),
      ),
    )
}

/**
 * Returns the figures of a side by their texts, of which numbers are left out: some are sizes that differ.
 * Texts that are the same then get a number each.
 */
function worksOf(side: Side): Map<string, Measured> {
  const counts = new Map<string, number>()
  return new Map(
    side.figures.map(figure => {
      const text = figure.work.replace(/\d[\d.,]*/g, '')
      const same = counts.get(text) ?? 0
      counts.set(text, same + 1)
      return [`${text} #${same}`, [side, figure]]
    }),
  )
}

function startSide(row: string, { rounds, seconds }: Pace, cwd: string): ChildProcess {
  const args = [row, String(rounds), String(seconds)]
  return fork('test/bench/against/side.ts', args, { cwd, execArgv: ['--import', 'tsx'] })
}

/** Lets processes work in turn until each has sent its result. Each is the first every other time. */
async function measureBoth(sides: readonly ChildProcess[]): Promise<Side[]> {
  const results = new Map<ChildProcess, Side>()

  try {
    for (let order = sides; results.size < sides.length; order = order.toReversed())
      for (const side of order.filter(side => !results.has(side))) {
        const answer = await afterTurn(side)
        if (answer !== 'next') results.set(side, answer)
      }
  } finally {
    for (const side of sides) if (side.connected) side.disconnect()
  }

  return sides.map(side => results.get(side)!)
}

async function afterTurn(side: ChildProcess): Promise<Side | 'next'> {
  const ended = new AbortController()
  const { signal } = ended
  const exit = once(side, 'exit', { signal }).then(() => {
    throw new Error('one of the checkouts could not measure it')
  })
  side.send('go')

  try {
    const [answer] = await Promise.race([once(side, 'message', { signal }), exit])
    return answer
  } finally {
    exit.catch(() => {})
    ended.abort()
  }
}

/** A figure, and the side that has measured it. */
type Measured = readonly [Side, Figure]

/** Returns the line of a figure, given as both sides have measured it in each pair of processes. */
function lineOf(row: string, pairs: readonly (readonly [Measured, Measured])[]): string {
  const ratios = ratiosOf(pairs)
  const ofReferences = ratiosOf(
    pairs.flatMap(([here, there]) => {
      const [mine, theirs] = [referenceOf(here), referenceOf(there)]
      return mine && theirs ? [[mine, theirs] as const] : []
    }),
  )
  const part = (of: number) => ratios[Math.round((ratios.length - 1) * of)]!.toFixed(3)
  const { work, unit } = pairs[0]![0][1]
  const middle = (at: 0 | 1) => median(pairs.map(pair => pair[at][1].value))
  const cells = [
    `${row}: ${work}`,
    ...[middle(0), middle(1)].map(value => `${value.toPrecision(4)} ${unit}`),
    median(ratios).toFixed(3),
    `${part(0.25)} to ${part(0.75)}`,
    ofReferences.length > 0 ? (median(ratios) / median(ofReferences)).toFixed(3) : '',
  ]
  return `| ${cells.join(' | ')} |`
}

/** Returns the reference of a figure, as a figure of the same side. */
const referenceOf = ([side, figure]: Measured): Measured | undefined =>
  figure.reference && [side, { ...figure, value: figure.reference.value }]

/** Returns the sorted ratios of the turns of a figure, or those of its values if it is not measured in turns. */
const ratiosOf = (pairs: readonly (readonly [Measured, Measured])[]): number[] =>
  pairs
    .flatMap(([here, there]) => {
      const [mine, theirs] = [turnsOf(here), turnsOf(there)]
      return mine.length > 0 && mine.length === theirs.length
        ? mine.map((value, at) => value / theirs[at]!)
        : [here[1].value / there[1].value]
    })
    .toSorted((a, b) => a - b)

/** Returns the turns of which a figure is the median. */
const turnsOf = ([{ turns }, { value }]: Measured): readonly number[] =>
  turns.find(values => median(values) === value) ?? []

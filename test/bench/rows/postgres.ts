import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import {
  type Cost,
  costOf,
  startEmbedded,
  startNodes,
  withDatabases,
} from '../postgres/database.ts'
import { type Requests, requestsOf } from '../postgres/requests.ts'
import { importSpaces, type Space } from '../space.ts'
import type { Stemma } from '../stemma.ts'

const shape = { pages: 100, bytes: 4_000, commits: 1 }
const perRound = 8
const pauseMs = 80

const works = {
  edit: 'edit one page of 100, after another write, p50',
  comment: 'post a comment, p50',
  merge: 'merge a one-page change request, p50',
  firstRead: 'read a page after a write to its space, p50',
} as const
type Work = keyof typeof works
const names = Object.keys(works) as Work[]

type Place = { stemma: Stemma; space: Space; requests: Requests }

/**
 * What requests cost where the rows are in a durable PostgreSQL database, here and at the end of a network,
 * beside a server that keeps them in a file.
 */
export const postgres = (pace: Pace): Promise<Figure[]> =>
  withDatabases(async databases => {
    const { cluster, far } = databases
    const nearUrl = await cluster.create()
    const farUrl = far(await cluster.create())
    const [[near], [distant]] = [await startNodes(nearUrl, 1), await startNodes(farUrl, 1)]
    const servers = { file: await startEmbedded(), near: near!, far: distant! }
    try {
      const trips = { near: await databases.tripMs(nearUrl), far: await databases.tripMs(farUrl) }
      const places = {
        file: await placeOf(servers.file),
        near: await placeOf(servers.near),
        far: await placeOf(servers.far),
      }
      const figures: Figure[] = []
      for (const work of names) figures.push(...(await measure(pace, places, work, trips)))
      return figures
    } finally {
      for (const server of Object.values(servers)) await server.stop()
    }
  })

async function placeOf(stemma: Stemma): Promise<Place> {
  const [space] = (await importSpaces(stemma, [shape])) as [Space]
  return { stemma, space, requests: requestsOf(stemma, space) }
}

async function measure(
  { rounds }: Pace,
  places: Record<'file' | 'near' | 'far', Place>,
  work: Work,
  trips: Record<'near' | 'far', number>,
): Promise<Figure[]> {
  const costs: Cost[] = []
  const run = async ({ requests }: Place) =>
    typical(perRound, async time => {
      // The jobs of the request before have ended.
      await sleep(pauseMs)
      return requests[work](time)
    })
  for (const place of Object.values(places)) {
    if (work === 'merge') await place.requests.prepare(perRound * (rounds + 1))
    await run(place)
  }
  const before = await costOf(places.far.stemma)
  const ms = await interleave(rounds, {
    file: () => run(places.file),
    near: () => run(places.near),
    far: () => run(places.far),
  })
  costs.push(before, await costOf(places.far.stemma))
  return figuresOf(work, ms, trips, spent(costs[0]!, costs[1]!, rounds * perRound))
}

/** What one request costs, with the jobs that follow from it, and the longest wait of all. */
const spent = (from: Cost, to: Cost, requests: number): Cost => ({
  trips: (to.trips - from.trips) / requests,
  waitedMs: (to.waitedMs - from.waitedMs) / requests,
  longestMs: to.longestMs,
  repeats: (to.repeats - from.repeats) / requests,
})

function figuresOf(
  work: Work,
  ms: Record<'file' | 'near' | 'far', number>,
  trips: Record<'near' | 'far', number>,
  cost: Cost,
): Figure[] {
  const reference = { what: 'rows in a file', value: ms.file }
  const figure = (place: 'near' | 'far'): Figure => ({
    work: `${works[work]}, a statement takes ${trips[place].toFixed(2)} ms`,
    value: ms[place],
    unit: 'ms',
    reference,
  })
  const waited: Figure = {
    work: `time that the far database blocks, of each such request with its jobs`,
    value: cost.waitedMs,
    unit: 'ms',
    note: `${cost.trips.toFixed(1)} trips`,
  }
  const longest: Figure = {
    work: 'the longest block by the far database in all of these requests and their jobs',
    value: cost.longestMs,
    unit: 'ms',
  }
  if (work !== 'edit') return [figure('near'), figure('far'), waited, longest]
  return [
    figure('near'),
    { ...figure('far'), target: { of: 'ratio', is: 'at most', value: 1.5 } },
    { ...waited, target: { of: 'figure', is: 'at most', value: 10 } },
    { ...longest, target: { of: 'figure', is: 'at most', value: 10 } },
  ]
}

import { readFileSync } from 'node:fs'
import { type Figure, median, type Pace } from '../figure.ts'
import { type Flooder, openFlooder } from '../flood.ts'
import { costOf, startEmbedded, startNodes, withDatabases } from '../postgres/database.ts'
import { requestsOf } from '../postgres/requests.ts'
import { importSpaces, type Space } from '../space.ts'
import type { Stemma } from '../stemma.ts'

const shape = { pages: 100, bytes: 4_000, commits: 1 }
const writers = 8

/** What several nodes on one machine do: reads, edits, and transactions that get in each other's way. */
export const postgresNodes = (pace: Pace): Promise<Figure[]> =>
  withDatabases(async ({ cluster }) => {
    const servers: Stemma[] = []
    const flooders = [openFlooder(), openFlooder()]
    try {
      const embedded = await startEmbedded()
      servers.push(embedded)
      const nodes = await startNodes(await cluster.create(), writers)
      servers.push(...nodes)
      const [home] = (await importSpaces(embedded, [shape])) as [Space]
      const spaces = await importSpaces(nodes[0]!, Array(writers).fill(shape))
      return [
        ...(await readFigures(pace, flooders, [embedded, ...nodes.slice(0, 2)], home, spaces)),
        ...(await editFigures(pace, nodes, spaces)),
      ]
    } finally {
      for (const flooder of flooders) flooder.close()
      for (const server of servers) await server.stop()
    }
  })

async function readFigures(
  { rounds, seconds }: Pace,
  [first, second]: readonly Flooder[],
  [embedded, one, two]: readonly Stemma[],
  home: Space,
  [space]: readonly Space[],
): Promise<Figure[]> {
  const pathOf = ({ path, pages }: Space) => `${path}/content/page/${pages[42]!.id}`
  const flood = async (flooder: Flooder, stemma: Stemma, path: string) => {
    const { bytes } = await stemma.caller.call('GET', path)
    const before = cpuMsOf(stemma)
    const load = { connections: 16, status: 200, length: bytes.length, headers: stemma.headers }
    const rate = await flooder.flood({ ...load, url: stemma.url + path, seconds })
    return { rate, cpu: (cpuMsOf(stemma) - before) / (rate * seconds) }
  }
  const rates: Record<'file' | 'one' | 'both', number[]> = { file: [], one: [], both: [] }
  const cpu: Record<'file' | 'one', number[]> = { file: [], one: [] }
  for (let round = 0; round <= rounds; round++) {
    const file = await flood(first!, embedded!, pathOf(home))
    const alone = await flood(first!, one!, pathOf(space!))
    const both = await Promise.all([
      flood(first!, one!, pathOf(space!)),
      flood(second!, two!, pathOf(space!)),
    ])
    if (round === 0) continue
    rates.file.push(file.rate)
    rates.one.push(alone.rate)
    rates.both.push(both[0].rate + both[1].rate)
    cpu.file.push(file.cpu)
    cpu.one.push(alone.cpu)
  }
  return [
    {
      work: 'CPU time of a node for a warm page, with the look for what others changed',
      value: median(cpu.one),
      unit: 'ms',
      reference: { what: 'rows in a file', value: median(cpu.file) },
    },
    {
      work: 'warm pages of two nodes, which share the cores with their clients and PostgreSQL',
      value: median(rates.both),
      unit: 'requests/s',
      reference: { what: 'one node', value: median(rates.one) },
    },
  ]
}

type Edits = { perSecond: number; repeated: number }

async function editFigures(
  { rounds, seconds }: Pace,
  nodes: readonly Stemma[],
  spaces: readonly Space[],
): Promise<Figure[]> {
  const own = spaces.map((space, n) => ({ stemma: nodes[n]!, space }))
  const shared = nodes.map(stemma => ({ stemma, space: spaces[0]! }))
  const kinds = { one: own.slice(0, 1), two: own.slice(0, 2), all: own, shared }
  const found = {} as Record<keyof typeof kinds, Edits>
  for (const [name, places] of Object.entries(kinds)) {
    await editTogether(places, seconds / 2)
    found[name as keyof typeof kinds] = await editTogether(places, seconds * rounds)
  }
  const percent = ({ repeated }: Edits) => 100 * repeated
  return [
    {
      work: 'edits of two nodes, each in a space of its own, one after the other',
      value: found.two.perSecond,
      unit: 'edits/s',
      reference: { what: 'one node', value: found.one.perSecond },
    },
    {
      work: `repeats of transactions of ${writers} nodes, for 100 edits, each in a space of its own`,
      value: percent(found.all),
      unit: '%',
      target: { of: 'figure', is: 'at most', value: 1 },
      note: `${found.all.perSecond.toFixed(1)} edits/s`,
    },
    {
      work: `repeats of transactions of ${writers} nodes, for 100 edits, all in one space`,
      value: percent(found.shared),
      unit: '%',
      note: `${found.shared.perSecond.toFixed(1)} edits/s`,
    },
  ]
}

/** Edits one page at each place, one edit after the other. An edit that others overtake too often is 409. */
async function editTogether(
  places: readonly { stemma: Stemma; space: Space }[],
  seconds: number,
): Promise<Edits> {
  const repeats = async () => {
    let sum = 0
    for (const { stemma } of places) sum += (await costOf(stemma)).repeats
    return sum
  }
  const before = await repeats()
  const began = performance.now()
  let edits = 0
  const edit = async ({ stemma, space }: (typeof places)[number], at: number) => {
    const requests = requestsOf(stemma, space)
    while (performance.now() - began < seconds * 1000) {
      await requests.edit(at, [200, 409, 503])
      edits++
    }
  }
  await Promise.all(places.map(edit))
  const took = (performance.now() - began) / 1000
  return { perSecond: edits / took, repeated: ((await repeats()) - before) / edits }
}

/** The CPU time of a process, in milliseconds. */
function cpuMsOf({ pid }: Stemma): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

import { setTimeout } from 'node:timers/promises'
import { continueAll, freezeAll } from '../crash/processes.ts'
import { until } from '../support/until.ts'
import { findLosses } from './check.ts'
import type { Node } from './node.ts'
import { createSpace, type World } from './world.ts'
import { write } from './writers.ts'

/** What happens to a node or to the database in the middle of a round. Returns how it is repaired. */
type Failure = (world: World, node: Node) => Promise<() => Promise<unknown>>

/** How long a node sleeps, or has no database. */
const awayMs = 5_000

export const failures: Readonly<Record<string, Failure>> = {
  /** A machine is lost. */
  async kill(_world, node) {
    await node.destroy()
    return () => node.start()
  },
  /** The primary of the database is lost. */
  failover: async ({ database }) => await database.failOver(),
  /** A new version is installed. */
  async restart(_world, node) {
    const code = await node.stop()
    if (code !== 0) throw new Error(`${node.name} exited with ${code} on SIGTERM`)
    return () => node.start()
  },
  /** A virtual machine sleeps, perhaps between the lock and the commit. */
  async freeze(_world, node) {
    await freezeAll(node.server.pid)
    await setTimeout(awayMs)
    return () => Promise.resolve(continueAll(node.server.pid))
  },
  /** A node does not reach the database: its packets are lost. */
  async silence(_world, { relay }) {
    relay.freeze()
    await setTimeout(awayMs)
    return () => Promise.resolve(relay.restore())
  },
  /** A node does not reach the database: its connections are refused. */
  async cut(_world, { relay }) {
    relay.cut()
    await setTimeout(awayMs)
    return () => Promise.resolve(relay.restore())
  },
  /** The primary is lost while its standbys are behind. */
  async late({ database }) {
    database.holdReplication()
    await setTimeout(1_000)
    return database.failOver()
  },
}

const writers = 6
const newSpaces = 3
/** The newest spaces, to which a round writes. */
const current = 6

/** Returns how long after `since` each space was written to. */
const delaysSince = ({ written }: World, spaces: readonly string[], since: number): number[] =>
  spaces.flatMap(space => {
    const first = written.find(
      each => each.space === space && each.at > since && each.outcome === 'acknowledged',
    )
    return first ? [first.at - since] : []
  })

/** Plays one round: a failure under load, then a check of everything at both nodes. */
export async function playRound(world: World, kind: string): Promise<string[]> {
  const { nodes, spaces, writing, written, random } = world
  for (let n = 0; n < newSpaces; n++) await createSpace(world)
  const busy = spaces.slice(-current)
  let isOver = false
  const works = Array.from({ length: writers }, () => write(writing, busy, () => isOver))
  const isWrittenSince = (since: number) =>
    until('each space is written to', () =>
      delaysSince(world, busy, since).length === busy.length ? true : undefined,
    )

  try {
    const begun = performance.now()
    await isWrittenSince(begun)
    await setTimeout(random.below(1_000))
    const failed = performance.now()
    const repair = await failures[kind]!(world, random.pick(nodes))
    await isWrittenSince(failed)
    const delays = delaysSince(world, busy, failed)
    world.outages.set(kind, [...(world.outages.get(kind) ?? []), ...delays])
    await repair()
    await isWrittenSince(performance.now())
  } finally {
    isOver = true
    await Promise.all(works)
  }

  const losses = await Promise.all(nodes.map(node => findLosses(node, spaces, written)))
  return losses.flat().map(loss => `${kind}: ${loss}`)
}

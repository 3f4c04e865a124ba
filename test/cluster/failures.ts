import { strict as assert } from 'node:assert'
import { setTimeout } from 'node:timers/promises'
import { continueAll, freezeAll } from '../crash/processes.ts'
import { withShiftedClock } from '../support/clock/shifted-clock.ts'
import type { Node } from './node.ts'
import type { Relay } from './relay.ts'
import { upgrade } from './upgrade.ts'
import type { World } from './world.ts'

/**
 * What happens to a node, a standby or the primary in the middle of a round. `turn` counts how often it
 * has happened before: nodes and standbys take turns. Returns how it is repaired.
 */
type Failure = (world: World, turn: number) => Promise<() => Promise<unknown>>

/** How long a node sleeps, or a connection lets nothing through. */
const awayMs = 4_000

const inTurn = <Each>(all: readonly Each[], turn: number): Each => all[turn % all.length]!

const ofNode =
  (failure: (node: Node) => Promise<() => Promise<unknown>>): Failure =>
  ({ nodes }, turn) =>
    failure(inTurn(nodes, turn))

/** Lets a relay fail for a while. */
async function forAWhile(relay: Relay, fail: 'cut' | 'freeze'): Promise<() => Promise<unknown>> {
  relay[fail]()
  await setTimeout(awayMs)
  return async () => relay.restore()
}

const betweenNodeAndPrimary = (fail: 'cut' | 'freeze') =>
  ofNode(({ relay }) => forAWhile(relay, fail))

const betweenPrimaryAndStandby =
  (fail: 'cut' | 'freeze'): Failure =>
  async ({ database }, turn) => {
    const repair = await forAWhile(inTurn(database.replication(), turn), fail)
    return async () => {
      await repair()
      await database.isReplicated()
    }
  }

export const failures = {
  /** A machine is lost. */
  kill: ofNode(async node => {
    await node.destroy()
    return () => node.start()
  }),
  /** The primary of the database is lost. */
  failover: ({ database }) => database.failOver(),
  /** A node does not reach the database: its packets are lost. */
  silence: betweenNodeAndPrimary('freeze'),
  /** A node does not reach the database: its connections are refused. */
  cut: betweenNodeAndPrimary('cut'),
  'standby-silence': betweenPrimaryAndStandby('freeze'),
  'standby-cut': betweenPrimaryAndStandby('cut'),
  /** A virtual machine sleeps, perhaps between the lock and the commit. */
  freeze: ofNode(async node => {
    await freezeAll(node.server.pid)
    await setTimeout(awayMs)
    return async () => continueAll(node.server.pid)
  }),
  /** A node is started again, as for new settings. */
  restart: ofNode(async node => {
    await node.stop()
    return () => node.start()
  }),
  'standby-lost': async ({ database }, turn) => database.loseStandbys([turn % 2]),
  'standbys-lost': loseBoth,
  /** A node whose clock is an hour ahead, or behind. */
  clock: async ({ nodes }, turn) => {
    const node = inTurn(nodes, turn)
    await node.stop()
    await node.start(withShiftedClock(turn % 4 < 2 ? 1 : -1))
    return async () => {
      await node.stop()
      await node.start()
    }
  },
  /** A version with a newer schema is installed at one node after the other. */
  upgrade,
} satisfies Record<string, Failure>

/** The primary is lost while its standbys are behind. */
export const failOverLate: Failure = async ({ database }) => {
  for (const relay of database.replication()) relay.freeze()
  await setTimeout(1_000)
  return database.failOver()
}

export type Kind = keyof typeof failures

/**
 * Reads pages of a space at a node without standbys. A write that waits in vain for them makes the
 * node refuse other requests for a moment: the read is then sent again, as a client would.
 */
async function readWithoutStandbys({ call, name }: Node, space: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const reply = await call!({ method: 'GET', path: `/v1/spaces/${space}/content/pages` })
    if (reply?.status === 200) return
    assert.equal(reply?.status, 503)
    assert.ok(tries < 10, `${name} does not read without standbys`)
    await setTimeout(500)
  }
}

/** Loses both standbys: nothing that is written then may be acknowledged, and reads go on. */
async function loseBoth({ database, nodes, written, busy }: World) {
  const start = database.loseStandbys([0, 1])
  const lost = performance.now()
  await setTimeout(awayMs)
  for (const node of nodes) await readWithoutStandbys(node, busy()[0]!)
  const acknowledged = written.filter(
    ({ begun, outcome }) => begun > lost && outcome === 'acknowledged',
  )
  assert.equal(acknowledged.length, 0, 'writes were acknowledged that no standby has')
  await start()
  return async () => {}
}

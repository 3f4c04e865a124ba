import { endLeases } from '../check/rows.ts'
import { type Ledger, newLedger } from '../ledger.ts'
import { planRounds, startsOf } from '../plan.ts'
import { openPool } from '../pool.ts'
import { randomFrom } from '../random.ts'
import { inspect, playRound, type Run } from '../round.ts'
import { newTally, type Tally } from '../tally.ts'
import { openWorld } from '../world.ts'
import { checkDeliveries } from './people.ts'

export type LaneOrder = {
  rounds: number
  seed: number
  /** The point at which every round ends; undefined for varying points. */
  at: string | undefined
  /** The journal is off, and the first violation ends the run. */
  control: boolean
  /** Called before each round. */
  isOver: () => boolean
  /** Called after each round. */
  onRound: () => void
}

/** A world and the servers that run on it, one after another. */
export type Lane = {
  dataDir: string
  ledger: Ledger
  tally: Tally
  /** Plays all rounds, then checks everything once more. */
  play: () => Promise<void>
  close: (options: { keep: boolean }) => Promise<void>
}

/** Opens a lane. Concurrent lanes share nothing but the machine. */
export async function openLane(order: LaneOrder): Promise<Lane> {
  const random = randomFrom(order.seed)
  const world = await openWorld(order.control ? { STEMMA_TEST_NO_JOURNAL: '1' } : {})
  const rounds = planRounds(order.rounds, random, {
    at: order.at,
    isShared: world.shared !== undefined,
  })
  const servers = openPool(world.program, world.env, rounds.flatMap(startsOf))
  const run: Run = {
    world,
    ledger: newLedger(),
    random,
    tally: newTally(),
    nextServer: servers.next,
  }
  const { ledger, tally } = run
  const isOver = () =>
    order.isOver() ||
    (ledger.violations.length > 0 && (order.control || ledger.violations.length > 100))

  return {
    dataDir: world.dataDir,
    ledger,
    tally,
    play: async () => {
      for (const [index, round] of rounds.entries()) {
        if (isOver()) break
        await playRound(run, round, index)
        order.onRound()
      }

      if (ledger.violations.length === 0) {
        await endLeases(world)
        const last = run.nextServer({})
        const url = await last.listen()
        if (url) {
          await inspect(run, url, order.rounds + 1, true)
          ledger.violations.push(...(await checkDeliveries(world)))
        } else ledger.violations.push('the last server did not start')
        await last.stop()
      }

      const taken = [...world.receiver.taken.values()]
      tally.events = taken.length
      tally.repeatedEvents = taken.reduce((sum, times) => sum + times - 1, 0)
      await servers.close()
    },
    close: world.close,
  }
}

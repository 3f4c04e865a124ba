import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findLeftovers } from '../crash/check/leftovers.ts'
import { work } from '../crash/clients/all.ts'
import { openCall } from '../crash/clients/call.ts'
import { inspect, listen, type Run, readLog } from '../crash/round.ts'
import type { Server } from '../crash/server.ts'
import { countKill } from '../crash/tally.ts'
import type { Disk } from './disk.ts'
import { startGc } from './gc.ts'

/** The state shared by all rounds. */
export type PowerRun = Run & {
  disk: Disk
  /**
   * The number of cuts after which an unsynced file was still there: those did not cut anything.
   */
  remembered: number
}

const clients = 10

/**
 * Plays one life of the server: recovers and checks what the last cut left, runs clients, then cuts
 * the power. In a quarter of the rounds it cuts the power again while the next server recovers.
 */
export async function playRound(run: PowerRun, index: number): Promise<void> {
  const { ledger, random, tally, world } = run
  const server = run.nextServer({})
  const url = await listen(run, server)
  if (!url) return
  await inspect(run, url, index, true)

  // A loss is permanent: every later round would report it again.
  if (ledger.violations.length > 0) return server.kill({ children: true })

  const { call, close } = openCall(url, world.token)
  let over = false
  const desk = { ...world, call, random, ledger, round: index, forms: undefined }
  const working = Array.from({ length: clients }, (_, client) =>
    work(desk, client, { specs: false, stop: () => over }),
  )

  // The first life is long, so that the later rounds have something to lose.
  const afterMs = index === 0 ? 3000 : random.below(random.chance(0.5) ? 400 : 3000)
  const gc = random.chance(0.3) ? startGc(world.program, world.env, random.chance(0.5)) : undefined

  // gc takes about as long to start as a short round.
  const first = await Promise.race([
    wait(gc ? 300 + afterMs : afterMs),
    server.gone.then(() => 'gone'),
  ])
  if (first === 'gone')
    ledger.violations.push(`round ${index}: the server exited by itself: ${server.log().at(-1)}`)

  const when = gc ? (gc.ended() ? 'after gc' : 'in gc') : 'at work'

  await cutPower(run, server, when, {
    freeze: async () => gc?.freeze(),
    end: async () => {
      over = true
      await Promise.all([...working, gc?.kill()])
      close()
    },
  })
  const left = await findLeftovers(world)

  tally.rounds++
  tally.forward += left.forward
  tally.redo += left.redo
  tally.locks += left.locks
  if (left.forward + left.redo > 0) tally.withJournal++
  if (!random.chance(0.25)) return

  const next = run.nextServer({})
  const listening = next.listen()

  // Half of them are cut while spaces are opened in the background.
  await (random.chance(0.5)
    ? Promise.race([wait(random.below(200)), listening])
    : listening.then(() => wait(random.below(2_000))))
  await cutPower(run, next, 'at start')
}

/**
 * Other processes at the time of the cut: all are frozen first, and ended once the server is dead.
 */
type Others = { freeze: () => Promise<void>; end: () => Promise<void> }

/** Cuts the power: everything unsynced at one moment is lost; then mounts what reached the disk. */
async function cutPower(
  run: PowerRun,
  server: Server,
  when: string,
  others?: Others,
): Promise<void> {
  const { disk, tally, world } = run
  const unsynced = join(world.dataDir, 'unsynced')
  await server.freeze()
  await others?.freeze()
  writeFileSync(unsynced, 'never synced')
  const found = await disk.copy()

  await server.kill({ children: true })
  await others?.end()
  readLog(run, server)
  await disk.replace(found)
  if (existsSync(unsynced)) run.remembered++
  countKill(tally, when)
}

const wait = (ms: number): Promise<'time'> =>
  new Promise(resolve => setTimeout(() => resolve('time'), ms).unref())

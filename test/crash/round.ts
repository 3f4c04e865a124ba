import { mkdirSync, rmSync } from 'node:fs'
import { check, waitForJobs } from './check/all.ts'
import { findLeftovers, moveSomeRefs } from './check/leftovers.ts'
import { ageDeletedSpaces, endLeases } from './check/rows.ts'
import { checkSearch } from './check/search.ts'
import { work } from './clients/all.ts'
import { type Desk, settleReply } from './clients/ask.ts'
import { openCall } from './clients/call.ts'
import { develop, preparePushes } from './clients/developer.ts'
import { openForms } from './clients/forms.ts'
import { invitePeople } from './clients/people.ts'
import type { Ledger } from './ledger.ts'
import { crashAt, isReplacing, type Round } from './plan.ts'
import type { Random } from './random.ts'
import { runProgram, type Server } from './server.ts'
import { countKill, type Tally } from './tally.ts'
import { seedSpace, type World } from './world.ts'

/** The state shared by all rounds. */
export type Run = {
  world: World
  ledger: Ledger
  random: Random
  tally: Tally
  /** Returns a server with this environment, which may make it die at a point. */
  nextServer: (env: Record<string, string>, cold?: boolean) => Server
}

const clients = 10
/** The maximum number of a developer's pushes in a round. */
const pushes = 3
/** The number of pushes over HTTP in a round. */
const pushesOverHttp = 3
const spacesAtOnce = 3
/** If a named point is not reached by then, this round does not reach it. */
const pointMs = 1500

/**
 * Plays one life of the server: recovers and checks what the previous one left, works, then kills
 * it.
 */
export async function playRound(run: Run, round: Round, index: number): Promise<void> {
  const { ledger, tally, world } = run
  const { point, recovery } = round
  const before = tally.refused
  await endLeases(world)
  let server = run.nextServer({}, round.cold)
  let url = await listen(run, server)
  if (!url) return
  await inspect(run, url, index, index % 10 === 0)

  if (point) {
    readLog(run, server)
    const code = await server.stop()
    if (code !== 0)
      ledger.violations.push(`round ${index}: the server exited with ${code} on SIGTERM`)
    server = run.nextServer(crashAt(point, round.nth))
    // A resumed job may reach the point before the server listens.
    url = await server.listen()
    if (!url) countKill(tally, point)
  }

  if (url) await load(run, server, url, round, index)
  readLog(run, server)
  if (point === 'W4n') await moveSomeRefs(world.dataDir, run.random)

  if (round.losesFolder) {
    rmSync(world.dataDir, { recursive: true, force: true, maxRetries: 10 })
    mkdirSync(world.dataDir)
  }

  const left = await findLeftovers(world)

  tally.rounds++
  tally.forward += left.forward
  tally.redo += left.redo
  tally.locks += left.locks
  if (left.forward + left.redo > 0) tally.withJournal++

  for (const again of recovery ? [1, 2] : []) {
    const dying = run.nextServer(crashAt(recovery, 1))
    const at = await dying.listen()
    const survived = at !== undefined && (await surviveOpening(run, dying, at))
    if (survived) await dying.kill()
    readLog(run, dying)
    countKill(tally, survived ? 'after recovery' : `${recovery}${again > 1 ? ' again' : ''}`)
  }

  // Recovery abandons an intent when a push came between the kill and the start, in the round
  // before or in this one.
  tally.pushes.push((ledger.byKind.get('push') ?? 0) + (ledger.byKind.get('request push') ?? 0))
  if (tally.pushes.at(-1) === (tally.pushes.at(-3) ?? 0))
    tally.unexplained += tally.refused - before
}

/** How long the background work of a start may take, and when it begins, in milliseconds. */
const openMs = 30_000
const beginMs = 1_500

/** Reads the content of every space, which opens it, and of specs in a shared database. */
async function touchSpaces({ ledger, world }: Run, call: Call): Promise<void> {
  const there = ledger.spaces.filter(space => space.deleted !== 'yes')
  const content = world.shared ? '/content' : ''
  const paths = there.map(({ id }) => `/v1/spaces/${id}${content}`)
  if (world.shared)
    paths.push(
      ...ledger.specs.map(
        ({ slug }) => `/v1/orgs/default/openapi/${slug}/versions/latest/content/raw`,
      ),
    )
  await Promise.all(paths.map(path => call({ method: 'GET', path })))
}

/**
 * Uses a server that is to die while it opens spaces or sets orphans aside. Returns whether it
 * survives.
 */
async function surviveOpening(run: Run, server: Server, url: string): Promise<boolean> {
  const { call, close } = openCall(url, run.world.token)
  const waited = new Promise<true>(resolve => setTimeout(() => resolve(true), beginMs).unref())
  await touchSpaces(run, call)
  const survived = await Promise.race([waited, server.gone.then(() => false)])
  close()
  return survived
}

/** Waits for a server to listen. It must, whatever the previous one left. */
export async function listen({ ledger, tally }: Run, server: Server): Promise<string | undefined> {
  const begun = performance.now()
  const url = await server.listen()
  if (!url)
    ledger.violations.push(`the server did not start: ${server.log().at(-1) ?? 'no output'}`)
  tally.startMs.push(Math.round(performance.now() - begun))
  return url
}

/** Repeats requests without a response, and some with one; then checks everything from outside. */
export async function inspect(
  run: Run,
  url: string,
  index: number,
  thorough: boolean,
): Promise<void> {
  const { world, ledger, tally } = run
  const { call, close } = openCall(url, world.token)
  const about = (problem: string) => `round ${index}: ${problem}`
  await Promise.all([askAgain(run, call), repeatSome(run, call)])
  await touchSpaces(run, call)
  const options = { thorough, round: index, secret: world.secret, openMs }
  const found = await check(world, ledger, options)

  ledger.violations.push(...found.map(about))

  if (thorough) {
    tally.thorough++
    await waitForJobs(world)
    const searched = await checkSearch(call, world, ledger)
    tally.searches += searched.searches
    ledger.violations.push(...searched.found.map(about))
    const { code, said } = await runProgram(world.program, ['verify', '--json'], world.env)
    if (code !== 0)
      ledger.violations.push(about(`stemma verify exited with ${code}: ${said.trim()}`))
  }

  if (isReplacing(index)) {
    await invitePeople(world, call)
    for (const space of ledger.spaces) if (!space.passing) space.passing = true
    for (let made = 0; made < spacesAtOnce; made++) await seedSpace(world, call, ledger, index)
  }

  if (index % 3 === 0) await ageDeletedSpaces(world)
  close()
}

const isThere = (ledger: Ledger, id: string | undefined): boolean =>
  id === undefined || ledger.spaces.some(space => space.id === id && space.deleted === 'no')

type Call = ReturnType<typeof openCall>['call']

/**
 * Repeats requests with a key that got no response: each must now get one, and have happened once.
 */
async function askAgain({ ledger }: Run, call: Call): Promise<void> {
  for (const { ask, settle, space } of ledger.open.splice(0)) {
    if (!isThere(ledger, space)) continue
    const reply = await call(ask)
    ledger.repeated++
    if (!reply || reply.status >= 300)
      ledger.violations.push(`${ask.path}, repeated, was answered ${reply?.status} ${reply?.text}`)
    else settleReply(ledger, ask, reply, settle, space)
  }
}

/** Repeats requests with a key that got a response before the crash: they must get the same one. */
async function repeatSome({ ledger, random }: Run, call: Call): Promise<void> {
  if (ledger.kept.length > 200) ledger.kept.splice(0, ledger.kept.length - 200)
  const kept = ledger.kept.filter(each => isThere(ledger, each.space))
  for (let n = 0; n < 4 && kept.length > 0; n++) {
    // The last one is the most likely to be lost.
    const { ask, status, text } = n === 0 ? kept.at(-1)! : random.pick(kept)
    const reply = await call(ask)
    ledger.repeated++
    if (reply?.status !== status || reply.text !== text || !reply.replayed)
      ledger.violations.push(
        `${ask.path}: its key got ${status} ${text}, now ${reply?.status} ${reply?.text}`,
      )
  }
}

/** Runs the clients on the server until it is dead. */
async function load(
  run: Run,
  server: Server,
  url: string,
  round: Round,
  index: number,
): Promise<void> {
  const { world, ledger, random, tally } = run
  const { call, close } = openCall(url, world.token)
  const forms = await openForms(url, world.token)
  const desk: Desk = { ...world, call, random, ledger, round: index, forms }
  const folders = { folder: world.folder, dataDir: world.dataDir }
  const door = { url, token: world.token }
  const { specs } = round
  const prepared = specs ? [] : await preparePushes({ ...desk, ...folders }, door, pushesOverHttp)

  // Half of them are answered before the kill, and half are interrupted.
  const early = index % 2 === 0 ? prepared.splice(0) : []

  await Promise.all(early.map(send => send()))
  let over = false
  const working = Array.from({ length: clients }, (_, client) =>
    work(desk, client, { specs, stop: () => over }),
  )

  // A commit in the folder of a shared repository is not taken over.
  if (!specs && !world.shared) working.push(develop({ ...desk, ...folders }, pushes, () => over))
  working.push(...prepared.map(send => send()))
  const clock = new Promise<'time'>(resolve =>
    setTimeout(() => resolve('time'), round.point ? pointMs : round.afterMs).unref(),
  )
  const first = await Promise.race([clock, server.gone])

  if (first === 'time') {
    await server.kill({ children: round.children })
    countKill(tally, round.children ? 'with children' : 'alone')
  } else if (round.point) countKill(tally, round.point)
  else ledger.violations.push(`round ${index}: the server exited by itself: ${server.log().at(-1)}`)

  over = true
  await Promise.all(working)
  close()
}

/**
 * What a server logged: intents that recovery abandoned, for which there is no reason here; and
 * never a password.
 */
export function readLog({ tally, ledger, world }: Run, server: Server): void {
  const lines = server.log()
  tally.refused += lines.filter(line => line.includes('abandoned an interrupted write')).length
  if (lines.some(line => line.includes(world.secret)))
    ledger.violations.push('the log holds a password')
}

import { openCall } from '../crash/clients/call.ts'
import { repositoryOf } from '../crash/clients/repository.ts'
import { randomFrom } from '../crash/random.ts'
import { prepareServer } from '../crash/server.ts'
import { openWorld } from '../crash/world.ts'
import { readOptions } from '../support/read-options.ts'
import { checkAll } from './check.ts'
import { figures, printFigures } from './figures.ts'
import { tortureSlowly } from './slowly.ts'
import { openSpace } from './space.ts'
import { openThread } from './talk.ts'
import { editTogether } from './together.ts'

/**
 * Many users edit one space at once, others discuss it in one thread, and two developers work with
 * Git, one in its repository and one over HTTP: nothing may be lost. Then come slow, silent and
 * excessive clients, which must not delay readers.
 */
const usage = `npm run test:load -- [--seconds 20] [--seed N]

  --seconds  how long 32 users edit and 16 comment; latency limits apply from 20 seconds on
  --seed     repeats the random choices of a run`

const args = readOptions(usage, {
  seconds: { type: 'string', default: '20' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
})
const seconds = Number(args.seconds)
const random = randomFrom(Number(args.seed))
const world = await openWorld()
const server = prepareServer({ env: world.env, cold: true, program: world.program })
const url = await server.listen()
if (!url) throw new Error('The server did not start.')
const { call, close } = openCall(url, world.token)
console.log(`seed ${args.seed}, ${seconds} seconds, ${world.dataDir}`)

const space = await openSpace(call, world)
const thread = await openThread(call, world, space.id)
const dir = repositoryOf(world.dataDir, space.id)
const ms = seconds * 1000
const { edits, work, overHttp } = await editTogether({
  call,
  world,
  url,
  random,
  space,
  thread,
  dir,
  ms,
})
printFigures('edits', figures(edits.took, seconds))
printFigures('comments, replies, reactions', figures(thread.took, seconds))
console.log(`refused: ${edits.conflicts} conflicts, ${edits.problems.length} for other reasons`)
console.log(`by hand: ${work.pushes} pushes, ${work.again} of them retried`)
console.log(
  `over HTTP: ${overHttp.pushes} pushes, ${overHttp.again} of them retried, ${overHttp.proposed.size} proposals`,
)
for (const [name, times] of work.upkeep) console.log(`  ${name}: ${times}`)

const failures = [...edits.problems, ...work.problems, ...overHttp.problems]
if (edits.took.length === 0) failures.push('no edit succeeded')
if (thread.took.length === 0) failures.push('no comment was posted')
if (work.pushes === 0) failures.push('no push succeeded')
if (overHttp.pushes + overHttp.proposed.size === 0) failures.push('no push over HTTP succeeded')
const checked = { call, world, space, thread, pushed: overHttp, dir }
failures.push(...(await checkAll({ ...checked, when: 'after the edits' })))
failures.push(
  ...(await tortureSlowly({
    call,
    world,
    url,
    space,
    ms: Math.min(3000, seconds * 250),
    timed: seconds >= 20,
  })),
)
failures.push(...(await checkAll({ ...checked, when: 'at the end' })))
close()
const code = await server.stop()
if (code !== 0) failures.push(`the server exited with ${code} on SIGTERM`)
failures.push(
  ...server
    .log()
    .filter(line => /"level":(50|60)/.test(line))
    .map(line => `the server logged ${line}`),
)

for (const failure of failures.slice(0, 40)) console.log(`FAIL ${failure}`)
await world.close({ keep: failures.length > 0 })
const checks = 9
console.log(`${Math.max(0, checks - failures.length)} passed, ${failures.length} failed`)
process.exit(failures.length > 0 ? 1 : 0)

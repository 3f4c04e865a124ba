import { rename } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { GitProcesses } from '../../../src/git/process/processes.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { type Bench, gitOutside, openBench } from '../../support/git/repo.ts'

type World = { bench: Bench; processes: GitProcesses; dir: string; oid: Oid }

const test = suite<World>('git processes')

test.before.each(async world => {
  world.bench = await openBench()
  world.processes = new GitProcesses()
  world.dir = (await world.bench.create()).dir
  world.oid = asOid(gitOutside(world.dir, ['hash-object', '-w', '--stdin'], 'text'))
})
test.after.each(async ({ bench, processes }) => {
  processes.close()
  await bench.remove()
})

test('an object is read although its repository is closed meanwhile', async ({
  processes,
  dir,
  oid,
}) => {
  const asked = [processes.ask(dir, oid, 100), processes.askFolder(dir, oid, 100)]
  processes.closeRepository(dir)
  for (const answer of await Promise.all(asked)) assert.is(answer?.content?.toString(), 'text')
})

test('an object is read whose folder is replaced as another reader asks', async world => {
  const { processes, dir, oid } = world
  await rename(dir, `${dir}.new`)
  processes.refresh = async () => {
    processes.closeRepository(dir)
    await rename(`${dir}.new`, dir).catch(() => {})
  }
  const answers = await Promise.all([1, 2, 3].map(() => processes.ask(dir, oid, 100)))
  for (const answer of answers) assert.is(answer?.content?.toString(), 'text')
})

test('an object is read that another reader has brought before the folder is refreshed', async ({
  processes,
  dir,
}) => {
  const lacking = asOid('8a1218a1024a212bb3db30becd860315f9f3ac52')
  processes.refresh = async () => {
    gitOutside(dir, ['hash-object', '-w', '--stdin'], 'spam')
  }
  const written = gitOutside(dir, ['hash-object', '--stdin'], 'spam').trim()
  assert.is((await processes.ask(dir, asOid(written), 100))?.content?.toString(), 'spam')
  assert.is(await processes.ask(dir, lacking, 100), undefined)
})

test('a read that waits when all processes end fails', async ({ processes, dir, oid }) => {
  const asked = processes.ask(dir, oid, 100).catch((error: unknown) => error)
  processes.close()
  assert.ok(isGitError(await asked, 'closed'))
})

test.run()

import { findLocks, waitForJobs } from '../crash/check/all.ts'
import { databaseOf, type Rows, readRows } from '../crash/check/rows.ts'
import { checkSpace } from '../crash/check/space.ts'
import type { Call } from '../crash/clients/call.ts'
import { fsck, readRepository } from '../crash/clients/repository.ts'
import { runProgram } from '../crash/server.ts'
import type { World } from '../crash/world.ts'
import type { Work } from './developer.ts'
import type { Subject } from './editors.ts'
import type { LoadSpace } from './space.ts'
import { checkThread, type Thread } from './talk.ts'

export type CheckOrder = {
  call: Call
  world: World
  space: LoadSpace
  thread: Thread
  /** The pushes over HTTP. */
  pushed: Work
  dir: string
  when: string
}

/**
 * Checks the space: every promised token is in its place, once, and rows and Git agree. Returns the
 * problems.
 */
export async function checkAll({
  call,
  world,
  space,
  thread,
  pushed,
  dir,
  when,
}: CheckOrder): Promise<string[]> {
  // A read makes the server record the last pushes.
  for (const { head } of space.subjects) await call({ method: 'GET', path: head.path })
  await call({ method: 'GET', path: `${space.path}/content` })
  const found: string[] = []
  const late = await waitForJobs(world)
  if (late) found.push(late)

  const rows = readRows(databaseOf(world.dataDir), true)
  const repo = await readRepository(dir)

  for (const subject of space.subjects)
    found.push(...checkTokens(subject, repo.tokens.get(subject.ref)))
  found.push(
    ...rows.problems,
    ...checkProposals(rows, pushed),
    ...(await checkThread(call, rows, thread)),
    ...(await checkSpace(rows, dir, space.id, undefined, false)),
    ...(await fsck(dir)),
    ...findLocks(world.dataDir),
  )
  const { code, said } = await runProgram(world.program, ['verify', '--json'], world.env)
  if (code !== 0) found.push(`stemma verify exited with ${code}: ${said.trim()}`)

  return found.map(problem => `${when}: ${problem}`)
}

/** Checks that each proposal has opened one change request. */
function checkProposals({ requests }: Rows, { proposed, refused }: Work): string[] {
  const opened = (commit: string) => requests.filter(({ revision }) => revision === commit).length
  return [
    ...[...proposed]
      .filter(commit => opened(commit) !== 1)
      .map(commit => `the proposal ${commit} has opened ${opened(commit)} change requests`),
    ...[...refused]
      .filter(commit => opened(commit) > 0)
      .map(commit => `${commit} was refused, but is there`),
  ]
}

function checkTokens(
  { ref, promised, refused }: Subject,
  counts: ReadonlyMap<string, number> = new Map(),
): string[] {
  return [
    ...[...promised]
      .filter(token => !counts.has(token))
      .map(token => `${token} is lost from ${ref}`),
    ...[...counts]
      .filter(([, count]) => count > 1)
      .map(([token, count]) => `${token} is in ${ref} ${count} times`),
    ...[...refused]
      .filter(token => counts.has(token))
      .map(token => `${token} was refused, but is in ${ref}`),
  ]
}

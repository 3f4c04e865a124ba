import { join } from 'node:path'
import type { Call } from '../crash/clients/call.ts'
import type { Random } from '../crash/random.ts'
import type { World } from '../crash/world.ts'
import { remoteOf } from '../support/git/client.ts'
import { develop, keepHouse, newWork, pause, type Work } from './developer.ts'
import { type Edits, edit, newEdits } from './editors.ts'
import type { LoadSpace } from './space.ts'
import { type Thread, talk } from './talk.ts'

const clients = 32

export type Together = {
  call: Call
  world: World
  url: string
  random: Random
  space: LoadSpace
  thread: Thread
  dir: string
  ms: number
}

/** Runs all clients at once for so many milliseconds. */
export async function editTogether({
  call,
  world,
  url,
  random,
  space,
  thread,
  dir,
  ms,
}: Together): Promise<{ edits: Edits; work: Work; overHttp: Work }> {
  const edits = newEdits()
  const end = performance.now() + ms
  const isOver = () => performance.now() > end
  const fresh = () => world.fresh('tok')
  const [primary] = space.subjects

  // The primary content gets the most edits, as in practice.
  const subjects = [primary!, primary!, ...space.subjects]
  const house = newWork()
  const editing = Array.from({ length: clients }, () =>
    edit(call, space.path, subjects, { random, fresh, isOver, edits }),
  )
  const developing = [
    { remote: dir, name: 'clone', proposes: false },
    { remote: remoteOf(url, space.id, world.token), name: 'clone-over-http', proposes: true },
  ].map(({ remote, name, proposes }) =>
    develop(remote, join(world.folder, name), space.subjects, { random, fresh, isOver, proposes }),
  )
  const talking = talk(call, thread, { random, fresh: () => world.fresh('say'), isOver })
  const keeping = keepHouse(dir, house, random, isOver)

  await Promise.all([...editing, talking, keeping])
  const [work, overHttp] = (await Promise.all(developing)) as [Work, Work]

  await pause(50)

  return {
    edits,
    overHttp,
    work: { ...work, upkeep: house.upkeep, problems: [...work.problems, ...house.problems] },
  }
}

import type { Call } from '../crash/clients/call.ts'
import type { World } from '../crash/world.ts'
import { figures, printFigures } from './figures.ts'
import { openSlow, read, upload } from './slow.ts'
import type { LoadSpace } from './space.ts'

export type SlowOrder = {
  call: Call
  world: World
  url: string
  space: LoadSpace
  ms: number
  timed: boolean
}

/**
 * Measures readers alone, then beside slow clients and a too large upload. Returns what was wrong.
 */
export async function tortureSlowly({
  call,
  world,
  url,
  space,
  ms,
  timed,
}: SlowOrder): Promise<string[]> {
  const path = `${space.path}/content/page/${space.subjects[0]!.pages[0]}`
  await read(call, path, 300)
  const alone = await read(call, path, ms)
  const hangUp = await openSlow(url, world.token, `${space.path}/content`)
  const [beside, ...uploads] = await Promise.all([
    read(call, path, ms),
    upload(url, world.token, `${space.path}/content`, { chunked: false }),
    upload(url, world.token, `${space.path}/content`, { chunked: true }),
  ])

  hangUp()
  const [before, after] = [alone, beside].map(({ took }) => figures(took, ms / 1000))

  printFigures('reads alone', before!)
  printFigures('reads beside slow clients', after!)
  for (const { status, sent } of uploads)
    console.log(`upload of 100 MB: ${status} after ${sent} MB`)
  const problems = [...alone.problems, ...beside.problems]

  // An upload with a declared length is refused at once; the other one is read to its end and
  // discarded.
  for (const [at, most] of [20, 100].entries()) {
    const { status, sent } = uploads[at]!
    if (status !== 413 || sent > most)
      problems.push(`an upload of 100 MB was answered ${status} after ${sent} MB`)
  }

  // A run of a few seconds on a busy machine is too short to judge latencies.
  if (timed && after!.p99 > 4 * before!.p99 + 50)
    problems.push(`readers waited ${after!.p99} ms beside slow clients, ${before!.p99} ms alone`)

  return problems
}

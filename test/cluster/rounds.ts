import { setTimeout } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { findLosses } from './check.ts'
import { failOverLate, failures, type Kind } from './failures.ts'
import { writeAtOnce } from './survivor.ts'
import { createSpace, type World } from './world.ts'
import { specs, type Written } from './writing.ts'

const newSpaces = 3

/** The kinds of writes whose client does not wait for something else. */
const isOneRequest: ReadonlySet<Written['kind']> = new Set(['page', 'comment', 'spec'])

/** Returns the first write to each space that began after `since`. */
const firstSince = ({ written }: World, spaces: readonly string[], since: number) =>
  spaces.flatMap(
    space =>
      written.find(
        each => each.space === space && each.begun > since && each.outcome === 'acknowledged',
      ) ?? [],
  )

/**
 * Plays one round while clients write: a failure, and then a check at both nodes of the spaces that are
 * written to.
 */
export async function playRound(
  world: World,
  kind: Kind | 'late',
  turn: number,
): Promise<string[]> {
  const { nodes, written, random, outages } = world
  for (let n = 0; n < newSpaces; n++) await createSpace(world)
  const spaces = world.busy()
  const isWrittenSince = (since: number) =>
    until(
      'each space is written to',
      () => firstSince(world, spaces, since).length === spaces.length || undefined,
    )

  await isWrittenSince(performance.now())
  const before = kind === 'kill' ? await writeAtOnce(world, turn, spaces) : []
  await setTimeout(random.below(1_000))
  const failed = performance.now()
  const survivor = kind === 'kill' ? writeAtOnce(world, turn, spaces) : undefined
  const repair = await (kind === 'late' ? failOverLate : failures[kind])(world, turn)
  await isWrittenSince(failed)
  await repair()
  await isWrittenSince(performance.now())
  const outage = outages.get(kind) ?? { spaces: [], underWay: [], survivor: [], before: [] }
  outages.set(kind, outage)
  outage.spaces.push(...firstSince(world, spaces, failed).map(({ at }) => at - failed))
  const underWay = written.filter(
    ({ kind: of, begun, at }) => isOneRequest.has(of) && begun < failed && at > failed,
  )
  outage.underWay.push(...underWay.map(({ at }) => at - failed))
  outage.survivor.push(...((await survivor) ?? []))
  outage.before.push(...before)

  const checked = [...spaces, specs]
  const losses = await Promise.all(nodes.map(node => findLosses(node, checked, written)))
  return losses.flat().map(loss => `${kind}: ${loss}`)
}

/** Makes the writers end, and checks everything at both nodes. */
export async function checkAll({ nodes, written, quiet }: World): Promise<string[]> {
  await quiet()
  const all = [...new Set(written.map(({ space }) => space))]
  const losses = await Promise.all(nodes.map(node => findLosses(node, all, written)))
  return losses.flat().map(loss => `at the end: ${loss}`)
}

import type { World } from './world.ts'

function spread(delays: readonly number[]): string {
  if (delays.length === 0) return 'not measured'
  const sorted = delays.toSorted((a, b) => a - b)
  const [middle, most, all] = [0.5, 0.9, 1].map(share =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0),
  )
  return `p50 ${middle}, p90 ${most}, max ${all}`
}

/** Prints what was written, and how long spaces were not written to. */
export function report({ written, writings, outages }: World, seconds: number): void {
  const acknowledged = written.filter(({ outcome }) => outcome === 'acknowledged')
  const repeated = writings.reduce((sum, each) => sum + each.repeated, 0)
  console.log(
    `${acknowledged.length} acknowledged writes in ${Math.round(seconds / 6) / 10} minutes, ${written.length - acknowledged.length} of unknown outcome, ${repeated} repeated`,
  )
  const kinds = new Map<string, number>()
  for (const { kind } of acknowledged) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  console.log([...kinds].map(([kind, count]) => `${kind}: ${count}`).join(', '))
  const requests = acknowledged.filter(({ kind }) => kind === 'page' || kind === 'comment')
  console.log(
    `milliseconds of an edit or a comment, with those that met a failure: ${spread(requests.map(({ begun, at }) => at - begun))}`,
  )
  console.log(
    'milliseconds after a failure until a space was written to again, until a write that was under way was acknowledged, until the node that is left acknowledged a write to each space, and how long that took it before:',
  )
  for (const [kind, { spaces, underWay, survivor, before }] of outages)
    console.log(`${kind}: ${[spaces, underWay, survivor, before].map(spread).join('; ')}`)
  const refused = new Set(writings.flatMap(each => each.refused))
  for (const line of [...refused].slice(0, 20)) console.log(`refused ${line}`)
}

import type { World } from './world.ts'

const rounded = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)

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
  console.log('milliseconds after a failure until a write to a space had begun and was answered:')
  for (const [kind, delays] of outages) {
    const sorted = delays.toSorted((a, b) => a - b)
    const [middle, most] = [0.5, 0.9].map(share => rounded(sorted, share))
    console.log(`${kind}: p50 ${middle}, p90 ${most}, max ${rounded(sorted, 1)}`)
  }
  const refused = new Set(writings.flatMap(each => each.refused))
  for (const line of [...refused].slice(0, 20)) console.log(`refused ${line}`)
}

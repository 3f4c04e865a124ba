import { setTimeout } from 'node:timers/promises'
import { brotliDecompressSync } from 'node:zlib'
import { type Figure, median, type Pace, typical } from '../figure.ts'
import type { Stemma } from '../stemma.ts'
import { serverCpu } from './server-cpu.ts'

/** When a server has rendered the front pages of its sites, in milliseconds after its start. */
const warmMs = 3_000

/**
 * The first page that a process serves, with everything that it reads for it: at once, and after
 * its first seconds.
 */
export async function firstPage(stemma: Stemma, path: string, pace: Pace): Promise<Figure[]> {
  const later = await firstAfter(stemma, path, { ...pace, ms: warmMs })
  const atOnce = await firstAfter(stemma, path, { ...pace, ms: 0 })
  return [
    {
      work: 'the first page that a process is asked for, 3 s after its start, processor time',
      value: later.cpu,
      unit: 'ms',
      target: { of: 'figure', is: 'at most', value: 60 },
      note: `answered after ${Math.round(later.wall)} ms`,
    },
    {
      work: 'the same in the first second, processor time',
      value: atOnce.cpu,
      unit: 'ms',
      target: { of: 'figure', is: 'at most', value: 60 },
      note: `answered after ${Math.round(atOnce.wall)} ms`,
    },
  ]
}

async function firstAfter(
  stemma: Stemma,
  path: string,
  { rounds, ms }: Pace & { ms: number },
): Promise<{ cpu: number; wall: number }> {
  const wall: number[] = []
  const cpu = await typical(rounds, async () => {
    await stemma.restart()
    await stemma.caller.call('GET', '/readyz')
    await setTimeout(ms)
    const before = serverCpu(stemma)
    const answered = await stemma.caller.call('GET', path, { headers: { 'accept-encoding': 'br' } })
    const taken = serverCpu(stemma) - before
    if (!brotliDecompressSync(answered.bytes).toString().endsWith('</html>'))
      throw new Error('It is not a page.')
    wall.push(answered.ms)

    return taken
  })

  return { cpu, wall: median(wall) }
}

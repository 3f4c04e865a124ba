import { type Figure, median, type Pace } from '../../figure.ts'
import { openFlooder } from '../../flood.ts'
import type { Stemma } from '../../stemma.ts'
import { runBundled } from '../bundle.ts'
import { serverCpu } from '../server-cpu.ts'

const connections = 32
const headers = { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'gzip, deflate, br' }

/** What counting a view costs, beside sending the kept page that is viewed. */
export async function countingRate(
  stemma: Stemma,
  paths: readonly string[],
  pace: Pace,
): Promise<Figure> {
  const sending = await cpuOfKeptPage(stemma, paths[0]!, pace)
  let counting = 0
  await stemma.restart(async () => {
    const args = [stemma.dataDir, String(paths.length), String(pace.rounds)]
    counting = await runBundled<number>('kept/counting-child', args)
  })

  return {
    work: `counting a view, ${paths.length} pages, processor time`,
    value: counting,
    unit: 'ms',
    reference: { what: 'sending the kept page, processor time of the server', value: sending },
    target: { of: 'ratio', is: 'under', value: 0.01 },
  }
}

async function cpuOfKeptPage(stemma: Stemma, path: string, pace: Pace): Promise<number> {
  const { bytes } = await stemma.caller.call('GET', path, { headers })
  const flooder = openFlooder()
  const url = stemma.url + path
  const load = { connections, url, headers, status: 200, length: bytes.length }
  const taken: number[] = []

  try {
    await flooder.flood({ ...load, seconds: 1 })
    for (let round = 0; round < pace.rounds; round++) {
      const before = serverCpu(stemma)
      const rate = await flooder.flood({ ...load, seconds: pace.seconds })
      taken.push((serverCpu(stemma) - before) / (rate * pace.seconds))
    }
  } finally {
    flooder.close()
  }

  return median(taken)
}

import { Agent, get } from 'node:http'
import type { Crowd, CrowdSeen } from './readers.ts'

/**
 * Asks for a page over a connection of the reader. Returns the status and the milliseconds to the
 * last byte.
 */
function ask(url: string, agent: Agent, address: string): Promise<{ status: number; ms: number }> {
  const begun = performance.now()
  const headers = { 'accept-encoding': 'br', accept: 'text/html', 'x-forwarded-for': address }
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, answer => {
      answer.resume().on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, ms: performance.now() - begun }),
      )
    }).on('error', reject)
  })
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

async function readAll({
  url,
  paths,
  searches,
  readers,
  seconds,
  everyMs,
}: Crowd): Promise<CrowdSeen> {
  const until = performance.now() + seconds * 1_000
  const times: number[] = []
  const refused = new Map<string, number>()
  const count = (what: string) => refused.set(what, (refused.get(what) ?? 0) + 1)
  const reader = async (at: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const address = `2001:db8:${(at >> 8).toString(16)}:${(at & 255).toString(16)}::1`

    // The views are spread evenly, and every tenth of them is a search.
    await pause((everyMs * at) / readers)

    for (let view = at; performance.now() < until; view += 7) {
      const list = view % 10 === 0 ? searches : paths
      try {
        const { status, ms } = await ask(url + list[view % list.length], agent, address)
        times.push(ms)
        if (status !== 200) count(String(status))
      } catch (error) {
        count((error as NodeJS.ErrnoException).code ?? String(error))
      }

      await pause(everyMs)
    }

    agent.destroy()
  }

  await Promise.all(Array.from({ length: readers }, (_, at) => reader(at)))
  times.sort((a, b) => a - b)
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY

  return { views: times.length, p99, refused: Object.fromEntries(refused) }
}

process.on('message', (crowd: Crowd) => {
  readAll(crowd).then(seen => process.send?.(seen))
})
process.on('disconnect', () => process.exit())

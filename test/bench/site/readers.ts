import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Figure, Pace } from '../figure.ts'
import { residentOf } from '../resident.ts'
import { type Stemma, withStemma } from '../stemma.ts'
import { handbook, importHandbook, pathsOf, publish } from './publish.ts'

/**
 * Readers with a connection and an address each, who open a page or search every `everyMs`
 * milliseconds.
 */
export type Crowd = {
  url: string
  paths: readonly string[]
  searches: readonly string[]
  readers: number
  seconds: number
  everyMs: number
}

/**
 * The number of views, the 99th percentile of their milliseconds, and the answers that were not
 * 200, by kind.
 */
export type CrowdSeen = { views: number; p99: number; refused: Record<string, number> }

/** Machines by their memory in GB, with the heap in MB that Node.js gives a process there. */
const machines = [
  { memory: 1, heap: 512 },
  { memory: 2, heap: 1_024 },
  { memory: 4, heap: 2_048 },
] as const

const everyMs = 10_000
const words = ['buffer', 'plugin', 'config', 'output', 'retry', 'format', 'secure', 'metric']
/** A crowd is served if 99 of 100 views take no longer, in milliseconds. */
const longest = 1_000

/**
 * The readers at once that a machine serves while an editor publishes a change every five seconds.
 */
export async function readersAtOnce({ seconds }: Pace): Promise<Figure[]> {
  const figures: Figure[] = []
  // A short run only shows that the row works.
  const isShort = seconds < 1
  const steps = isShort ? [100] : [1_000, 2_000, 4_000, 8_000, 12_000]

  for (const { memory, heap } of machines)
    figures.push(
      await withStemma(stemma => served(stemma, { memory, steps, seconds: isShort ? 4 : 20 }), {
        nodeFlags: [`--max-old-space-size=${heap}`],
        env: { STEMMA_TRUST_PROXY: '1' },
      }),
    )

  return figures
}

type Trial = { memory: number; steps: readonly number[]; seconds: number }

async function served(stemma: Stemma, { memory, steps, seconds }: Trial): Promise<Figure> {
  const space = await importHandbook(stemma, handbook())
  const site = await publish(stemma, [space])
  const paths = await pathsOf(stemma, site)
  const searches = words.map(word => `${site.path}~gitbook/search?q=${word}`)
  const child = fork(fileURLToPath(new URL('./readers-child.ts', import.meta.url)))
  let most = 0
  let notes = ''

  try {
    for (const readers of steps) {
      const crowd: Crowd = { url: stemma.url, paths, searches, readers, seconds, everyMs }
      child.send(crowd)
      const [{ views, p99, refused }] = (await besideEdits(
        stemma,
        space.path,
        once(child, 'message'),
      )) as [CrowdSeen]
      const { peak, children } = residentOf(stemma)
      const seen = `${readers} readers: ${views} views, p99 ${p99.toFixed(0)} ms, ${JSON.stringify(refused)}, at most ${peak.toFixed(0)} MB and ${children.toFixed(0)} MB of Git`
      if (process.env.TRACE) console.log(seen)
      notes = seen
      if (p99 > longest || Object.keys(refused).length > 0 || peak + children > memory * 1_000)
        break
      most = readers
    }
  } finally {
    child.disconnect()
  }

  return {
    work: `readers at once with the heap of a machine of ${memory} GB, a page or a search every ${everyMs / 1_000} s each`,
    value: most,
    unit: 'readers',
    target: { of: 'figure', is: 'at least', value: steps[0] as number },
    note: notes,
  }
}

/**
 * Publishes a change every five seconds until something is done: kept pages of the site are then
 * made again.
 */
async function besideEdits<Result>(
  { caller }: Stemma,
  path: string,
  done: Promise<Result>,
): Promise<Result> {
  const { pages } = await caller.json('GET', `${path}/content/pages`)
  const page = pages[0].id
  let isDone = false
  const ended = done.finally(() => {
    isDone = true
  })

  for (let edit = 1; !isDone; edit++) {
    const document = { markdown: `# Start\n\nChange ${edit}.\n` }
    await caller.json('POST', `${path}/content`, {
      body: { changes: [{ operation: 'update_page', page, document }] },
    })
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, 5_000))])
  }

  return ended
}

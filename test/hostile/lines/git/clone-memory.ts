import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../support/until.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { forgetPeak, openStage, peakOf, type Stage } from '../../stage.ts'
import { fetchesOf, fetchOf, idle, largeSpace } from './fetches.ts'

/** The most megabytes by which clones may raise the memory of the server. */
const mostMegabytes = 50
const users = ['admin', 'alice', 'editor', 'reader']

type Clone = { bytes: number; ended: Promise<void>; cut: () => void }

/**
 * Clones a space, reading at most so many bytes a second. `deepen` makes requests differ: those
 * share no answer.
 */
function clone(
  { url, tokens }: Stage,
  { id, head }: { id: string; head: string },
  { user, deepen, rate }: { user: string; deepen: number; rate: number },
): Clone {
  const body = fetchOf([`want ${head}`, 'ofs-delta', 'no-progress', `deepen ${deepen}`, 'done'])
  const sent = request(`${url}/${id}.git/git-upload-pack`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${tokens[user]}`,
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
      'content-length': body.length,
    },
  })
  const made: Clone = { bytes: 0, ended: Promise.resolve(), cut: () => void sent.destroy() }
  made.ended = new Promise((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async response => {
      if (response.statusCode !== 200) return reject(new Error(`a clone: ${response.statusCode}`))
      response.on('end', resolve).on('error', reject)
      const begun = performance.now()
      response.on('data', (chunk: Buffer) => {
        made.bytes += chunk.length
        const early = begun + (made.bytes / rate) * 1000 - performance.now()
        if (early < 20) return
        response.pause()
        setTimeout(() => response.resume(), early)
      })
    })
  })
  made.ended.catch(() => {})
  sent.end(body)

  return made
}

/**
 * Runs `work` with a space of 60 MB that was cloned once; the memory must not grow beyond the
 * limit.
 */
async function measured(
  work: (stage: Stage, space: { id: string; head: string }) => Promise<void>,
): Promise<Seen> {
  const stage = await openStage()
  try {
    const space = await largeSpace(stage, 60_000_000)
    await clone(stage, space, { user: 'admin', deepen: 1, rate: Number.POSITIVE_INFINITY }).ended
    forgetPeak(stage.pid)
    const before = peakOf(stage.pid)

    await work(stage, space)
    const grown = peakOf(stage.pid) - before

    await idle(stage)
    console.log(`     ${Math.round(before)} MB, and ${Math.round(grown)} MB more`)
    must(stage.alive(), 'the server is dead')
    must(grown <= mostMegabytes, `the memory has grown by ${Math.round(grown)} MB`)

    return { status: 200, text: '' }
  } finally {
    await stage.stop()
  }
}

/** Ten clients that read 1 MB a second: git is done long before them. */
const slowly = (): Promise<Seen> =>
  measured(async (stage, space) => {
    const clones = Array.from({ length: 10 }, (_, n) =>
      clone(stage, space, { user: users[n % 4]!, deepen: 2 + (n % 3), rate: 1_000_000 }),
    )
    await sleep(5_000)
    await until('git is done', () => (fetchesOf(stage).length === 0 ? true : undefined))
    for (const { bytes } of clones)
      must(bytes > 0 && bytes < 50_000_000, `a client has read ${bytes} bytes`)
    for (const { cut } of clones) cut()
  })

/** As many clones as four users may run, with two answers among them. */
const atOnce = (): Promise<Seen> =>
  measured(async (stage, space) => {
    const clones = Array.from({ length: 32 }, (_, n) =>
      clone(stage, space, {
        user: users[n % 4]!,
        deepen: 2 + (n % 2),
        rate: Number.POSITIVE_INFINITY,
      }),
    )

    await Promise.all(clones.map(({ ended }) => ended))
    for (const { bytes } of clones) must(bytes > 60_000_000, `a client was sent ${bytes} bytes`)
  })

/** The memory that clones take. */
export const cloneMemory: Line[] = [
  line('GH38', 'ten clones of 60 MB by clients that read 1 MB/s', 200, 'memory + 50 MB', slowly),
  line('GH38', '32 clones of 60 MB at once', 200, 'memory + 50 MB', atOnce, { slow: true }),
]

import { setTimeout } from 'node:timers/promises'
import type { App } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { collectGarbage, cpuTime } from '../support/cpu-time.ts'
import type { Kind } from './pages.ts'
import { type Asked, contentReads, pathsOf } from './requests.ts'

/** Processor time of the server per request, in milliseconds, by request. */
export type Costs = Map<string, number>

let made = 0

/**
 * Measures the first read of a page of a kind, and of a change request with another such page,
 * through every operation. Before each request in `careful`, waits for jobs and collects the
 * garbage of earlier requests.
 */
async function costsOf(
  app: App,
  kind: Kind,
  bytes: number,
  careful: ReadonlySet<string>,
): Promise<Costs> {
  const costs: Costs = new Map()
  const salt = `s${++made}`
  const { api, space } = await makeSpace(app, kind.files(bytes, salt), salt)
  const request = await app.admin.post(`${api}/change-requests`, { subject: 'Work' })
  const ids: Asked = {
    spaceId: space.id,
    changeRequestId: String(request.body.number),
    revisionId: '',
    pageId: '',
  }
  const page = await app.admin.get(`${api}/content/path/page?metadata=false`)

  ids.pageId = page.body.id
  const head = await app.admin.get(`${api}/content?metadata=false`)

  ids.revisionId = head.body.id
  const markdown = `${page.body.markdown}\nedited ${salt}\n`

  await ask(app, 'POST', `${api}/change-requests/${ids.changeRequestId}/content`, {
    changes: [{ operation: 'update_page', page: ids.pageId, document: { markdown } }],
  })
  await quiet()

  for (const key of contentReads)
    for (const path of pathsOf(key, ids)) {
      const ending = path.includes('?') ? path.slice(path.indexOf('?'), path.indexOf('?') + 40) : ''
      const name = `${key}${ending}`
      if (careful.has(name)) await settle()
      let answer = ''
      await measure(costs, name, async () => {
        answer = await ask(app, 'GET', path)
      })
      if (key.endsWith('/pdf')) await giveUp(JSON.parse(answer).url)
    }

  return costs
}

/**
 * A request whose cost grows faster than its content: the ratio between the costs of a size and of
 * a quarter of it.
 */
export type Steep = { asked: string; ratio: number; small: number; large: number }

/** Costs below this many milliseconds are noise. */
const noise = 60

/** Compares the cost of a kind with that of four times as much of it. */
export async function steepIn(app: App, kind: Kind, bytes: number, most = 5): Promise<Steep[]> {
  let steep: Map<string, Steep> | undefined
  // Other load on the machine varies: only a request that is steep in every attempt counts. Garbage
  // is collected before the suspects only, because a collection takes longer than most requests.
  for (let attempt = 0; attempt < 4 && steep?.size !== 0; attempt++) {
    const careful = new Set(steep?.keys())
    const small = await costsOf(app, kind, bytes, careful)
    const large = await costsOf(app, kind, bytes * 4, careful)
    const found = new Map<string, Steep>()

    for (const [asked, cost] of large) {
      const least = Math.max(small.get(asked) ?? 0, noise / most)
      const ratio = cost / least
      if (ratio > most && (!steep || steep.has(asked)))
        found.set(asked, { asked, ratio, small: small.get(asked) ?? 0, large: cost })
    }

    steep = found
  }

  return [...(steep?.values() ?? [])]
}

async function measure(costs: Costs, name: string, work: () => Promise<unknown>): Promise<void> {
  const before = cpuTime()
  await work()
  costs.set(name, cpuTime() - before)
}

/** Sends a request without parsing the response, which would count as work of this process. */
async function ask(app: App, method: string, path: string, body?: unknown): Promise<string> {
  for (;;) {
    const response = await fetch(app.url + path, {
      method,
      headers: { authorization: `Bearer ${app.admin.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status < 400 || response.status === 413) return text

    // 503 until a job has built the search index.
    if (response.status !== 503)
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
    await setTimeout(50)
  }
}

/** Requests a PDF and disconnects, so that the server stops rendering it. */
async function giveUp(url: string | undefined): Promise<void> {
  if (url === undefined) return
  await fetch(url, { signal: AbortSignal.timeout(30) }).catch(() => undefined)
  await quiet()
}

/** Waits for jobs, and collects the garbage of earlier requests. */
async function settle(): Promise<void> {
  await quiet()
  collectGarbage()
  await quiet()
}

/** Waits until the jobs that a write enqueued are done. */
async function quiet(): Promise<void> {
  for (let idle = 0; idle < 2; ) {
    const before = cpuTime()
    await setTimeout(20)
    idle = cpuTime() - before < 5 ? idle + 1 : 0
  }
}

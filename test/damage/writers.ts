import type { Actor } from '../support/app.ts'
import { gitOutside } from '../support/git/repo.ts'
import { until } from '../support/until.ts'

/** A write that can be found by its mark; times in milliseconds of this process. */
export type Write = { mark: string; sent: number; acked: number | undefined }

export type Writers = {
  /** In the order of sending. */
  writes: readonly Write[]
  stop: () => Promise<void>
}

type Remote = { dir: string; url: string }
type Reply = Awaited<ReturnType<Actor['get']>>

const clients = 3
/** The pause between two writes of a client, to leave the machine time for other work. */
const pauseMs = 15

const noAnswer = 599
/** Responses that promise nothing: a conflict, an overloaded server, and none at all. */
const refusals = [409, 503, noAnswer]

/** A connection closed by a busy server counts as no response. */
const lost = (): Reply => ({ status: noAnswer, headers: new Headers(), body: undefined, text: '' })

/**
 * Starts clients that continuously write things with a mark: pages, change requests, merges, spaces
 * and imports.
 */
export async function openWriters(admin: Actor, remote: Remote): Promise<Writers> {
  const writes: Write[] = []
  let [stopped, last] = [false, 0]
  const newSpace = async (title: string) =>
    (await admin.post('/v1/orgs/default/spaces', { title })).body.id
  const spaces = [await newSpace('One'), await newSpace('Two')] as [string, string]
  const imports = await newSpace('Imported')

  /**
   * Sends a write and records the times of the request and of its response. A refusal is a response
   * that promises nothing.
   */
  const write = async (mark: string, ask: () => Promise<Reply>): Promise<Reply> => {
    const noted: Write = { mark, sent: performance.now(), acked: undefined }
    writes.push(noted)
    const reply = await ask().catch(lost)

    // A merge with conflicts has merged nothing.
    const done = reply.status < 300 && reply.body?.result !== 'conflicts'
    if (done) noted.acked = performance.now()
    else if (reply.status >= 300 && !refusals.includes(reply.status))
      throw new Error(`${mark} is answered ${reply.status} ${reply.text}`)

    return reply
  }
  const nextMark = () => `mark${++last}z`
  const insert = (path: string) => {
    const mark = nextMark()
    const changes = [
      { operation: 'insert_page', title: mark, document: { markdown: `# ${mark}\n` } },
    ]
    return write(mark, () => admin.post(`${path}/content`, { changes }))
  }

  const request = async (space: string) => {
    const mark = nextMark()
    const made = await write(mark, () =>
      admin.post(`/v1/spaces/${space}/change-requests`, { subject: mark }),
    )
    if (made.status >= 300) return

    const path = `/v1/spaces/${space}/change-requests/${made.body.id}`

    await insert(path)
    if (Math.random() < 0.6)
      await write(`merged ${made.body.id}`, () => admin.post(`${path}/merge`))
  }

  const act = async () => {
    const space = spaces[Math.random() < 0.5 ? 0 : 1]
    const chance = Math.random()
    if (chance < 0.5) await insert(`/v1/spaces/${space}`)
    else if (chance < 0.9) await request(space)
    else {
      const mark = nextMark()
      await write(mark, () => admin.post('/v1/orgs/default/spaces', { title: mark }))
    }
  }

  const importNext = async () => {
    const mark = nextMark()
    commit(remote.dir, `${mark}.md`)
    await write(mark, async () => {
      const body = { url: remote.url, ref: 'refs/heads/main', force: true }
      const begun = await admin.post(`/v1/spaces/${imports}/git/import`, body)
      if (begun.status >= 300) return begun

      return until(`the import of ${mark} ends`, async () => {
        const reply = await admin
          .get(new URL(begun.headers.get('location') ?? '').pathname)
          .catch(lost)
        if (reply.body?.state === 'failure')
          throw new Error(`the import of ${mark} failed: ${reply.text}`)
        return reply.body?.state === 'success' ? reply : undefined
      })
    })
  }

  const loop = async (work: () => Promise<void>) => {
    while (!stopped) {
      await work()
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
  const working = [...Array.from({ length: clients }, () => loop(act)), loop(importNext)]

  return {
    writes,
    stop: async () => {
      stopped = true
      await Promise.all(working)
    },
  }
}

/** Commits one more page to a bare repository. */
function commit(dir: string, path: string): void {
  const tip = gitOutside(dir, ['for-each-ref', '--format=%(objectname)', 'refs/heads/main'])
  const title = path.replace('.md', '')
  gitOutside(
    dir,
    ['fast-import', '--quiet'],
    `commit refs/heads/main\ncommitter Grace <grace@example.org> 1700000000 +0000\ndata 4\nMore\n${
      tip ? `from ${tip}\n` : ''
    }M 100644 inline ${path}\ndata <<END\n# ${title}\nEND\n\n`,
  )
}

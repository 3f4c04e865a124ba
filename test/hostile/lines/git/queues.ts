import { rmSync } from 'node:fs'
import { importOf } from '../../import.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { file, makeRepository } from '../../objects.ts'
import { openStage, type Stage } from '../../stage.ts'
import { repositoryOf } from '../storage.ts'

const count = (all: Seen[]) => {
  const counts: Record<string, number> = {}
  for (const { status } of all) counts[status] = (counts[status] ?? 0) + 1
  return JSON.stringify(counts)
}

function homeOn(stage: Stage, name: string): void {
  const repo = makeRepository(stage.folder, name)
  repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
}

/** Requests many imports of one space at once; returns the last answer. */
const manyImports = (asked: number) => async (stage: Stage) => {
  homeOn(stage, `many-${asked}`)
  const space = await stage.space()
  const body = { url: `${stage.host.origin}/many-${asked}.git`, ref: 'refs/heads/main' }
  const ask = () => stage.call('POST', `/v1/spaces/${space}/git/import`, { body })
  const all = await Promise.all(Array.from({ length: asked }, ask))

  must(
    all.every(({ status }) => status === 204 || status === 429),
    `the answers are ${count(all)}`,
  )
  const refused = all.find(({ status }) => status === 429)

  must(refused, 'every one is taken')
  must(refused.headers?.['retry-after'], 'it does not say when to try again')
  const other = await importOf(stage, `many-${asked}`)

  must(other.status === 'success', `an import of another space: ${other.text}`)
  await stage.call('DELETE', `/v1/spaces/${space}`)

  return refused
}

/**
 * Merges many change requests of one space at once, each with a new page: every merged one has to
 * be there.
 */
const manyMerges = (asked: number) => async (stage: Stage) => {
  const at = `/v1/spaces/${await stage.space()}`
  const requests: string[] = []
  for (let i = 0; i < asked; i++) {
    const { text } = await stage.call('POST', `${at}/change-requests`, {
      body: { subject: `N${i}` },
    })
    const { id } = JSON.parse(text)
    const change = {
      operation: 'insert_page',
      title: `Page ${i}`,
      document: { markdown: `# Page ${i}\n` },
    }

    await stage.call('POST', `${at}/change-requests/${id}/content`, { body: { changes: [change] } })
    requests.push(id)
  }

  const merge = (id: string) => stage.call('POST', `${at}/change-requests/${id}/merge`)
  const all = await Promise.all(requests.map(merge))

  must(
    all.every(({ status }) => [200, 409, 429, 503].includes(Number(status))),
    `the answers are ${count(all)}`,
  )
  const { text } = await stage.call('GET', `${at}/content/pages`)

  for (const [i, { status }] of all.entries())
    must(
      text.includes(`"Page ${i}"`) === (status === 200),
      `page ${i}, whose merge answers ${status}`,
    )

  must(
    all.some(({ status }) => status === 200),
    'none is merged',
  )

  return { status: 200, text: '' }
}

/** A script that opens change requests endlessly: the lists have to stay fast. */
const manyChangeRequests = (asked: number) => async (stage: Stage) => {
  const at = `/v1/spaces/${await stage.space()}/change-requests`
  for (let done = 0; done < asked; done += 20) {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        stage.call('POST', at, { body: { subject: `N${done + i}` } }),
      ),
    )
    must(
      all.every(({ status }) => status === 201 || status === 429),
      `the answers are ${count(all)}`,
    )
  }

  const begun = performance.now()
  const seen = await stage.call('GET', `${at}?limit=100`)
  const ms = performance.now() - begun

  must(ms < 500, `the list takes ${Math.round(ms)} ms`)

  return { status: seen.status, text: '' }
}

/** An import of a damaged space fails at each attempt; other imports continue. */
const poison = async (stage: Stage): Promise<Seen> => {
  homeOn(stage, 'poison')
  const space = await stage.space()
  const { headers } = await stage.call('POST', `/v1/spaces/${space}/git/import`, {
    body: { url: `${stage.host.origin}/poison.git`, ref: 'refs/heads/nothing' },
  })
  must(headers?.location, 'it is not taken')
  rmSync(repositoryOf(stage, space), { recursive: true, force: true })

  for (let i = 0; i < 3; i++) {
    const other = await importOf(stage, 'poison', { ms: 10_000 })
    must(other.status === 'success', `another import: ${other.text}`)
  }

  return endOf(stage, new URL(headers.location).pathname, 60_000)
}

async function endOf(stage: Stage, path: string, ms: number): Promise<Seen> {
  for (const until = performance.now() + ms; ; ) {
    const { text } = await stage.call('GET', path)
    const { state, error } = JSON.parse(text)
    if (state === 'failure' || state === 'success') return { status: state, text: error ?? '' }
    must(performance.now() < until, `not done after ${ms} ms: ${text}`)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

/** The server dies at each attempt of the import; it restarts, and finally abandons the import. */
const deadly = async (main: Stage): Promise<Seen> => {
  homeOn(main, 'deadly')
  const stage = await openStage({ env: { STEMMA_LOG: 'warn' } })
  try {
    const space = await stage.space()
    stage.host.mode = 'silent'
    const { headers } = await stage.call('POST', `/v1/spaces/${space}/git/import`, {
      body: { url: `${stage.host.origin}/x.git`, ref: 'refs/heads/main' },
    })
    const path = new URL(headers?.location ?? '').pathname

    for (let i = 0; i < 6; i++) {
      for (const before = stage.host.requests.length; stage.host.requests.length === before; )
        if (JSON.parse((await stage.call('GET', path)).text).state === 'failure')
          return endOf(stage, path, 1000)
        else await new Promise(resolve => setTimeout(resolve, 50))
      await stage.restart('SIGKILL')
    }

    return await endOf(stage, path, 5000)
  } finally {
    await stage.stop()
  }
}

/** More requests than there is room for. */
export const queues: Line[] = [
  line('L2', '60 imports of one space at once', 429, /imports|exports/, manyImports(60)),
  // Five hundred requests at the same moment: later requests wait until each has been answered.
  line('L2', '500 imports of one space at once', 429, /imports|exports/, manyImports(500), {
    slow: true,
    mostWait: 500,
  }),
  line(
    'L2',
    '20 merges of one space at once',
    200,
    'what is merged is there, once',
    manyMerges(20),
  ),
  line(
    'L2',
    '100 merges of one space at once',
    200,
    'what is merged is there, once',
    manyMerges(100),
    {
      slow: true,
      mostMs: 300_000,
    },
  ),
  line(
    'L3',
    '2,000 change requests by a script',
    200,
    'the list stays quick',
    manyChangeRequests(2000),
    {
      slow: true,
      mostMs: 300_000,
    },
  ),
  line('L8', 'an import that always fails', 'failure', 'others run meanwhile', poison, {
    slow: true,
  }),
  line('L8', 'an import that always ends the server', 'failure', 'is given up', deadly, {
    slow: true,
  }),
]

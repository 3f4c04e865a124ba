import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { crowd, fillOrganization, type Lookers } from '../people.ts'
import { serverCpu } from '../site/server-cpu.ts'
import { makeSpace } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

/** How many spaces have content and change requests, how many of these there are, and of how many pages one is. */
const size = { spaces: 20, requests: 500, pages: 50 }

/** How often a page is read before the measurement, and in each round of it. */
const warming = 20
const perRound = 12

/** How many commits an open page is told of. */
const commits = 30

/** Pages of the workbench: p50 of the answer to a member who is signed in. */
export const workbench = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    let lookers: Lookers | undefined
    await stemma.restart(() => {
      lookers = fillOrganization(stemma)
    })
    const { creator } = lookers as Lookers
    const me = await stemma.caller.json('GET', '/v1/user', { headers: creator })
    await fillRequests(stemma, creator, me.id)
    const changed = await changePages(stemma)
    const headers = { cookie: await signIn(stemma, creator) }

    /** Returns the figure of paths that are read in turn, after some reads that nothing measures. */
    const read = async (work: string, most: number, paths: readonly string[]): Promise<Figure> => {
      const one = async (at: number) =>
        (await stemma.caller.call('GET', paths[at % paths.length]!, { headers })).ms
      for (let at = 0; at < warming; at++) await one(at)
      const before = serverCpu(stemma)
      const { value } = await interleave(pace.rounds, { value: () => typical(perRound, one) })
      const cpu = (serverCpu(stemma) - before) / perRound / pace.rounds
      const target = { of: 'figure', is: 'at most', value: most } as const
      return { work, value, unit: 'ms', target, note: `processor time ${cpu.toFixed(1)} ms` }
    }

    const path = `/app/s/${changed.spaceId}/changes/${changed.number}`
    const home = `the home page, ${crowd.spaces} spaces and ${size.requests} open change requests`

    return [
      await read(`${home}, p50`, 30, ['/app']),
      await read(`a change request with ${size.pages} changed pages, p50`, 60, [path]),
      await read(
        'what a change request changes in one page, p50',
        40,
        changed.pageIds.map(id => `${path}/pages/${id}`),
      ),
      await untilTold(stemma, changed, headers),
    ]
  })

/** Opens change requests: every fifth by the member, who is asked for a review of others, and commented on. */
async function fillRequests(
  stemma: Stemma,
  member: Record<string, string>,
  memberId: string,
): Promise<void> {
  const { caller } = stemma
  const spaces: string[] = []
  for (let n = 0; n < size.spaces; n++) {
    const { path } = await makeSpace(stemma)
    await insert(caller, path, ['Home'])
    spaces.push(path)
  }

  for (let n = 0; n < size.requests; n++) {
    const api = `${spaces[n % size.spaces]}/change-requests`
    const headers = n % 5 === 0 ? member : undefined
    const body = { subject: `Change ${n}` }
    const { id } = await caller.json('POST', api, {
      body,
      status: 201,
      ...(headers && { headers }),
    })
    if (n % 5 === 0 && n % 2 === 0) {
      const comment = { body: { markdown: `Why number ${n}?` } }
      await caller.call('POST', `${api}/${id}/comments`, { body: comment })
    }
    if (n % 5 === 1) {
      const asked = { users: [memberId] }
      const status = [200, 201, 204]
      await caller.call('POST', `${api}/${id}/requested-reviewers`, { body: asked, status })
    }
  }
}

const insert = (caller: Stemma['caller'], path: string, titles: readonly string[]) =>
  caller.json('POST', `${path}/content`, {
    body: {
      changes: titles.map((title, n) => ({
        operation: 'insert_page',
        title,
        slug: `page-${n}`,
        document: { markdown: textOf(title) },
      })),
    },
  })

/** A page of 4 kB, in which two paragraphs may differ. */
const textOf = (title: string, changed = ''): string =>
  Array.from(
    { length: 20 },
    (_, n) =>
      `## Part ${n}\n\n${title}: ${n % 8 === 3 ? changed : ''} ${'words of it '.repeat(14)}\n`,
  ).join('\n')

/** A change request with changed pages. */
type Changed = { spaceId: string; number: number; pageIds: string[] }

/** Opens a change request that changes pages. */
async function changePages(stemma: Stemma): Promise<Changed> {
  const { caller } = stemma
  const { id: spaceId, path } = await makeSpace(stemma)
  const titles = Array.from({ length: size.pages }, (_, n) => `Page ${n}`)
  await insert(caller, path, titles)
  const { pages } = await caller.json('GET', `${path}/content/pages`)
  const body = { subject: 'Many pages' }
  const { number } = await caller.json('POST', `${path}/change-requests`, { body, status: 201 })
  const ids: string[] = pages.map(({ id }: { id: string }) => id)
  const changes = ids.map((page, n) => ({
    ...{ operation: 'update_page', page },
    document: { markdown: textOf(titles[n] ?? 'Page', 'Changed.') },
  }))
  await caller.json('POST', `${path}/change-requests/${number}/content`, { body: { changes } })

  return { spaceId, number, pageIds: ids }
}

/** Measures how long an open page takes at most to say that a change request has a new commit. */
async function untilTold(
  { caller, url }: Stemma,
  { spaceId, number, pageIds }: Changed,
  headers: Record<string, string>,
): Promise<Figure> {
  const page = await fetch(`${url}/app/s/${spaceId}/changes/${number}`, { headers })
  const [, live = ''] = /data-live="([^"]+)"/.exec(await page.text()) ?? []
  const asked = { headers: { ...headers, accept: 'text/event-stream' } }
  const stream = await fetch(url + live.replaceAll('&amp;', '&'), asked)
  const parts = (stream.body as ReadableStream<Uint8Array>).getReader()
  const edit = (n: number) => {
    const document = { markdown: textOf('Page', `Changed again ${n}.`) }
    const changes = [{ operation: 'update_page', page: pageIds[0], document }]
    const body = { changes }
    return caller.json('POST', `/v1/spaces/${spaceId}/change-requests/${number}/content`, { body })
  }
  let longest = 0

  for (let n = 1; n <= commits; n++) {
    await edit(n)
    const begun = performance.now()
    for (let text = ''; !text.includes(`${n} new commit`); ) {
      const { value, done } = await parts.read()
      if (done) throw new Error('The stream has ended.')
      text = Buffer.from(value).toString()
    }
    longest = Math.max(longest, performance.now() - begun)
  }
  await parts.cancel()

  return {
    work: `an open page says that there is a new commit, longest of ${commits}`,
    value: longest,
    unit: 'ms',
    target: { of: 'figure', is: 'at most', value: 1_000 },
  }
}

/** Signs a browser in with the token of these headers. Returns its cookie. */
async function signIn({ url }: Stemma, { authorization = '' }: Record<string, string>) {
  const answer = await fetch(`${url}/sso/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: authorization.replace('Bearer ', '') }),
  })
  const cookies = answer.headers.getSetCookie().map(line => line.split(';', 1)[0])
  if (answer.status !== 303) throw new Error(`The sign-in answered ${answer.status}.`)
  return cookies.join('; ')
}

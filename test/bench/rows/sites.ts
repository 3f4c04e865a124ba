import { startExpress } from '../bare-express.ts'
import { type Figure, interleave, type Pace, typical } from '../figure.ts'
import { openFlooder } from '../flood.ts'
import { publish, sites } from '../site/publish.ts'
import { type Filled, fillSites, plenty } from '../sites.ts'
import { importSpaces } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'
import { untilIndexed } from './search.ts'

const connections = 32
const searched = { spaces: 20, pages: 2_000 }

type Headers = Record<string, string>

/** The schema with the claim that the conditions of the large site need. */
const jsonSchema = {
  type: 'object',
  properties: {
    unsigned: {
      type: 'object',
      description: 'Unsigned claims of the site visitor.',
      properties: {
        beta: { type: 'boolean', description: 'Whether the visitor tests new features.' },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

/** Lists, addresses and profiles of large sites. */
export const sitesRow = (pace: Pace): Promise<Figure[]> => withStemma(stemma => rows(stemma, pace))

/** A page for a reader of a site, beside the same page for a user. */
export const siteRead = (pace: Pace): Promise<Figure[]> =>
  withStemma(stemma => pageForReader(stemma, pace))

/** Searches of a site with many pages, for a user and a reader. */
export const siteSearch = (pace: Pace): Promise<Figure[]> =>
  withStemma(stemma => searches(stemma, pace))

/** Returns the request headers of a reader of a published site. */
async function readerOf(
  { caller }: Stemma,
  url: string,
  unsignedClaims?: object,
): Promise<Headers> {
  const body = { url, visitor: { ...(unsignedClaims && { unsignedClaims }) } }
  const { apiToken } = await caller.json('POST', '/v1/urls/published', { body })
  return { authorization: `Bearer ${apiToken}` }
}

async function rows(stemma: Stemma, pace: Pace): Promise<Figure[]> {
  let filled: Filled | undefined
  await stemma.restart(() => {
    filled = fillSites(stemma)
  })
  const { site, guest } = filled as Filled
  const { caller } = stemma

  await caller.call('PUT', `${sites}/${site}/adaptive-schema`, { body: { jsonSchema } })
  const { urls } = await caller.json('GET', `${sites}/${site}`)
  const plain = await readerOf(stemma, urls.published)
  const claiming = await readerOf(stemma, urls.published, { beta: true })
  const profile = `${sites}/${site}/published`
  const shown = async (headers: Headers) =>
    Object.keys((await caller.json('GET', profile, { headers })).customizations.siteSpaces).length
  const counts = [await shown(stemma.headers), await shown(plain), await shown(claiming)]
  if (counts.join() !== [plenty.siteSpaces, plenty.siteSpaces / 2, plenty.siteSpaces].join())
    throw new Error(`The user and the readers see ${counts.join(', ')} site spaces.`)

  const timed = (method: string, path: string, headers: Headers, body?: unknown) => () =>
    typical(50, async () => (await caller.call(method, path, { headers, body })).ms)
  const address = { url: `${urls.published}part-7/space-47/guides/start` }
  const ms = await interleave(pace.rounds, {
    list: timed('GET', sites, guest),
    listOfAll: timed('GET', sites, stemma.headers),
    resolve: timed('POST', '/v1/urls/published', stemma.headers, address),
    claims: timed('POST', '/v1/urls/published', stemma.headers, {
      ...address,
      visitor: { unsignedClaims: { beta: true } },
    }),
    profile: timed('GET', profile, stemma.headers),
    profileOfReader: timed('GET', profile, plain),
    profileWithClaims: timed('GET', profile, claiming),
  })

  const figure = (work: string, value: number, under: number): Figure => ({
    work,
    value,
    unit: 'ms',
    target: { of: 'figure', is: 'under', value: under },
  })
  const of = `a site of ${plenty.siteSpaces} site spaces`

  return [
    figure(`list of ${plenty.sites} sites for a guest, p50 of a page`, ms.list, 30),
    figure('the same for an admin', ms.listOfAll, 30),
    figure(`an address on ${of} is resolved, p50`, ms.resolve, 2),
    figure('the same for a visitor with claims', ms.claims, 2),
    figure(`published profile of ${of} for a user, warm, p50`, ms.profile, 30),
    figure('the same for a reader', ms.profileOfReader, 30),
    figure('the same for a reader with claims', ms.profileWithClaims, 30),
  ]
}

async function pageForReader(stemma: Stemma, pace: Pace): Promise<Figure[]> {
  const [space] = await importSpaces(stemma, [{ pages: 100, bytes: 8_000, commits: 1 }])
  const { url } = await publish(stemma, [space!])
  const reader = await readerOf(stemma, url)
  const path = `${space!.path}/content/page/${space!.pages[42]!.id}`
  const { bytes } = await stemma.caller.call('GET', path)
  const { bytes: shown } = await stemma.caller.call('GET', path, { headers: reader })
  const express = await startExpress(shown)
  const flooder = openFlooder()

  try {
    const load = { connections, status: 200, seconds: pace.seconds }
    const flood = (address: string, length: number, headers: Headers) => () =>
      flooder.flood({ ...load, url: address, length, headers })
    const works = {
      reader: flood(stemma.url + path, shown.length, reader),
      user: flood(stemma.url + path, bytes.length, stemma.headers),
      reference: flood(express.url, shown.length, stemma.headers),
    }

    for (const work of Object.values(works)) await work()
    const rates = await interleave(pace.rounds, works)
    const work = `a page of ${(shown.length / 1000).toFixed(1)} kB, warm, ${connections} connections`
    const figure = (token: string, value: number): Figure => ({
      work: `${work}, ${token}`,
      value,
      unit: 'requests/s',
      reference: { what: 'bare Express, the bytes of the reader', value: rates.reference },
      target: { of: 'ratio', is: 'at least', value: 0.7 },
    })

    return [
      figure('with a reading token', rates.reader),
      figure('with a token of a user', rates.user),
    ]
  } finally {
    flooder.close()
    express.close()
  }
}

/** The queries, and the number of spaces that have hits. */
const questions = [
  { what: 'a word that some pages have', query: 'brazefi', spaces: 0 },
  { what: 'a word that every page has', query: 'see', spaces: searched.spaces },
  { what: 'the beginning of many words', query: 'qua', spaces: searched.spaces },
  { what: 'two words and a title', query: 'page 1234', spaces: searched.spaces },
]

async function searches(stemma: Stemma, pace: Pace): Promise<Figure[]> {
  const shape = { pages: searched.pages, bytes: 2_000, commits: 1 }
  const spaces = await importSpaces(stemma, Array(searched.spaces).fill(shape))
  const { id, url } = await publish(stemma, spaces)
  const path = `${sites}/${id}/search`
  const callers = { 'a user': stemma.headers, 'a reader': await readerOf(stemma, url) }
  const bodyOf = (query: string) => ({ query, scope: { mode: 'all' } })
  const find = (query: string, headers: Headers) => ({ body: bodyOf(query), headers })

  for (const space of spaces) await untilIndexed(stemma, space)
  const figures: Figure[] = []

  for (const { what, query, spaces: least } of questions) {
    const timed: Record<string, () => Promise<number>> = {}
    for (const [who, headers] of Object.entries(callers)) {
      const { count } = await stemma.caller.json('POST', path, find(query, headers))
      if (count < least) throw new Error(`"${query}" found ${count} spaces, not ${least}.`)
      timed[who] = () =>
        typical(20, async () => (await stemma.caller.call('POST', path, find(query, headers))).ms)
    }

    const ms = await interleave(pace.rounds, timed)

    for (const [who, value] of Object.entries(ms))
      figures.push({
        work: `a site of ${searched.spaces} × ${searched.pages} pages is searched for ${what} by ${who}, p50`,
        value,
        unit: 'ms',
        target: { of: 'figure', is: 'under', value: 30 },
      })
  }

  return figures
}

import { beside } from '../../beside.ts'
import { type Line, line, must, type Seen, skipped } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import {
  done,
  makeSite,
  messageOf,
  readingToken,
  refuse,
  resolve,
  type Site,
  withToken,
} from './tools.ts'

type Link = { id: string; key: string; url: string }

async function makeLink(stage: Stage, { path }: Site): Promise<Link> {
  const { id, urls } = await done(stage, `POST ${path}/share-links`, { name: 'Partners' })
  const url: string = urls.published
  return { id, url, key: url.split('/').at(-2) as string }
}

const shared = (stage: Stage) => makeSite(stage, { visibility: 'share-link' })

/** Every key that opens nothing is answered like an address without a site. */
async function wrongKeys(stage: Stage): Promise<Seen> {
  const [site, other, open] = [await shared(stage), await shared(stage), await makeSite(stage)]
  const live = await makeLink(stage, site)
  must((await resolve(stage, live.url)).status === 200, 'the key does not work')
  const inactive = await makeLink(stage, site)

  await done(stage, `PATCH ${site.path}/share-links/${inactive.id}`, { active: false })
  const deleted = await makeLink(stage, site)

  await done(stage, `DELETE ${site.path}/share-links/${deleted.id}`)
  const foreign = await makeLink(stage, other)
  const onOpen = await makeLink(stage, open)
  const changed = [...live.key].map(sign =>
    sign === sign.toUpperCase() ? sign.toLowerCase() : sign.toUpperCase(),
  )
  const nothing = messageOf(await resolve(stage, site.base.replace(/[^/]+\/$/, 'no-such-site/')))
  const keys = [
    inactive.key,
    deleted.key,
    foreign.key,
    changed.join(''),
    `${live.key}x`,
    'A2345678901234567890',
  ]
  let last: Seen = { status: 'none', text: '' }

  for (const url of [site.base, ...keys.map(key => `${site.base}${key}/`), onOpen.url]) {
    last = await resolve(stage, url)
    must(messageOf(last) === nothing, `${url}: ${last.status} ${last.text.slice(0, 200)}`)
  }

  return last
}

/**
 * Guesses keys from one address, where the limit tells nothing; that address still opens links that
 * it has.
 */
async function guesses(): Promise<Seen> {
  const stage = await beside('share keys', { env: { STEMMA_TRUST_PROXY: 'loopback' } })
  const site = await shared(stage)
  const { url } = await makeLink(stage, site)
  const guess = (at: number, address: string, to?: string) =>
    stage.call('POST', '/v1/urls/published', {
      as: 'nobody',
      body: { url: to ?? `${site.base}A${String(at).padStart(19, '0')}/` },
      headers: { 'x-forwarded-for': address },
    })
  const statuses: number[] = []

  for (let at = 0; at < 240; at++) statuses.push(Number((await guess(at, '203.0.113.7')).status))
  must(
    statuses.slice(0, 120).every(status => status === 404),
    'the first guesses are not answered 404',
  )
  const refused = statuses.slice(120).filter(status => status === 429)

  // Two guesses per second are admitted again.
  must(refused.length > 40, `later guesses are answered ${[...new Set(statuses.slice(120))]}`)
  must(
    (await guess(0, '203.0.113.7', url)).status === 200,
    'the address cannot use a link that it has',
  )
  must((await guess(0, '198.51.100.9')).status === 404, 'another address is locked out')

  // An address without a site is answered alike.
  const noSite = site.base.replace(/[^/]+\/$/, 'no-such-site/')
  let last = await guess(0, '203.0.113.7', noSite)

  for (let at = 0; at < 9 && last.status !== 429; at++) last = await guess(0, '203.0.113.7', noSite)

  return last
}

/** A key that is used, misused and deleted appears in no log and in no event. */
async function keptKeys(stage: Stage): Promise<Seen> {
  const site = await shared(stage)
  const { id, key, url } = await makeLink(stage, site)
  const lower = key.toLowerCase()
  await resolve(stage, url)
  await stage.call('GET', new URL(url).pathname, { as: 'nobody' })
  await stage.call('GET', `/v1/urls/published?url=${encodeURIComponent(url)}`, { as: 'nobody' })
  await stage.call('GET', `${site.path}/structure?shareKey=${key}`)
  await stage.call('GET', `${site.path}/structure?shareKey=${key}&unknown=1`)
  await stage.call('GET', `/v1/no/such/operation?shareKey=${key}`)
  await done(stage, `PATCH ${site.path}/share-links/${id}`, { active: false })
  const refused = await resolve(stage, url)

  must(!refused.text.includes(key), 'the error text has the key')
  const { text } = await stage.call('GET', '/v1/orgs/acme/audit-events?limit=1000')

  must(!text.includes(key), 'an event has the key')
  must(!stage.log().includes(key) && !stage.log().includes(lower), 'the log has the key')

  return refused
}

/** A wrong `shareKey` is answered as if it had not been sent. */
async function keysOfReads(stage: Stage): Promise<Seen> {
  const [site, other] = [await shared(stage), await shared(stage)]
  const { key } = await makeLink(stage, site)
  const foreign = await makeLink(stage, other)

  for (const list of ['structure', 'site-spaces']) {
    const read = (query: string) => stage.call('GET', `${site.path}/${list}${query}`)
    const without = (await read('')).text
    must((await read(`?shareKey=${key}`)).text.includes(key), 'the addresses do not have the key')
    for (const wrong of ['', 'x', foreign.key, key.toLowerCase(), '__proto__', '%00'])
      must((await read(`?shareKey=${wrong}`)).text === without, `"${wrong}" is answered otherwise`)
  }

  return stage.call('GET', `${site.path}/structure?shareKey=${'x'.repeat(10_000)}`)
}

async function deadLink(end: 'deactivated' | 'deleted', stage: Stage): Promise<Seen> {
  const site = await shared(stage)
  const { id, url } = await makeLink(stage, site)
  const token = await readingToken(stage, url)
  const read = () => withToken(stage, token, `GET ${site.path}/structure`)
  must((await read()).status === 200, 'the token does not read')
  if (end === 'deleted') await done(stage, `DELETE ${site.path}/share-links/${id}`)
  else await done(stage, `PATCH ${site.path}/share-links/${id}`, { active: false })
  return read()
}

async function notAdmin(stage: Stage): Promise<Seen> {
  const site = await shared(stage)
  const { id } = await makeLink(stage, site)
  return refuse(
    stage,
    site,
    [403],
    [
      { request: 'GET /share-links', as: 'alice' },
      { request: 'POST /share-links', body: { name: 'x' }, as: 'alice' },
      { request: `PATCH /share-links/${id}`, body: { active: true }, as: 'alice' },
      { request: `DELETE /share-links/${id}`, as: 'alice' },
      { request: 'GET /publishing/auth', as: 'alice' },
      { request: 'POST /publishing/auth/regenerate', as: 'alice' },
      { request: 'POST /unpublish', as: 'alice' },
      { request: 'PATCH ', body: { visibility: 'public' }, as: 'alice' },
      { request: 'DELETE ', as: 'alice' },
    ],
  )
}

/** Keys of share links. */
export const shareLinkLines: Line[] = [
  line('SK1', 'inactive, deleted, foreign and altered keys', 404, 'as for no site', wrongKeys),
  skipped(
    'SK1',
    'the time that a wrong key takes',
    'guesses are limited, and all are found by their hash',
  ),
  line(
    'SK2',
    '240 guesses from one address',
    429,
    /lead nowhere were resolved\. Try again/,
    guesses,
  ),
  line('SK3', 'a key in logs, events and error texts', 404, 'is nowhere', keptKeys),
  skipped('SK3', 'a key in the Referer of a page', 'the server does not serve pages of sites'),
  line(
    'SK4',
    'wrong keys as shareKey',
    400,
    'as without a key; too long ones are refused',
    keysOfReads,
  ),
  line('SK5', 'a reading token of a deactivated link', 401, /./, stage =>
    deadLink('deactivated', stage),
  ),
  line('SK5', 'a reading token of a deleted link', 401, /./, stage => deadLink('deleted', stage)),
  line('SK6', 'share links and settings for a creator of the organization', 403, /admin/, notAdmin),
]

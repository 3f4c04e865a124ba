import { createHmac } from 'node:crypto'
import { must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const sites = '/v1/orgs/acme/sites'

/** A published site of "acme" with one space. */
export type Site = {
  id: string
  /** Its path in the API. */
  path: string
  /** Its address, with a trailing slash. */
  base: string
  space: string
  siteSpace: string
}

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
export type Json = any

/** Sends a request that has to succeed; returns the body of the answer. */
export async function done(
  stage: Stage,
  request: string,
  body?: unknown,
  as = 'admin',
): Promise<Json> {
  const [method = 'GET', path = '/'] = request.split(' ')
  const seen = await stage.call(method, path, { as, body })
  must(
    Number(seen.status) < 300,
    `${request} was answered ${seen.status} ${seen.text.slice(0, 300)}`,
  )
  return seen.text === '' ? undefined : JSON.parse(seen.text)
}

/** The number of spaces that are made at the same time. */
const mostAtOnce = 4

const pools = new WeakMap<Stage, Promise<string>[]>()

/** Returns the ids of spaces with a page "guide", which all sites of a stage share. */
export function spaces(stage: Stage, count: number): Promise<string[]> {
  const pool = pools.get(stage) ?? []
  pools.set(stage, pool)
  while (pool.length < count) {
    const title = `Pooled ${pool.length}`
    pool.push((pool.at(-mostAtOnce) ?? Promise.resolve()).then(() => makeSpace(stage, title)))
  }
  return Promise.all(pool.slice(0, count))
}

/** Creates a space with a page "guide"; returns its id. */
export async function makeSpace(stage: Stage, title: string): Promise<string> {
  const { id } = await done(stage, 'POST /v1/orgs/acme/spaces', { title })
  const document = { markdown: '# Guide\n\nWords.\n' }
  await done(stage, `POST /v1/spaces/${id}/content`, {
    changes: [{ operation: 'insert_page', title: 'Guide', slug: 'guide', document }],
  })
  return id
}

/** Creates a published site with one space. */
export async function makeSite(stage: Stage, set: object = {}, space?: string): Promise<Site> {
  const shown = space ?? ((await spaces(stage, 1))[0] as string)
  const { id } = await done(stage, `POST ${sites}`, { title: 'Hostile', spaces: [shown] })
  const path = `${sites}/${id}`
  await done(stage, `PATCH ${path}`, set)
  await done(stage, `POST ${path}/publish`)
  const { items } = await done(stage, `GET ${path}/site-spaces`)
  return { id, path, base: await baseOf(stage, path), space: shown, siteSpace: items[0].id }
}

/** Returns the address of a site, whatever its visibility: that of a share link without its key. */
export async function baseOf(stage: Stage, path: string): Promise<string> {
  const { id, urls } = await done(stage, `POST ${path}/share-links`, { name: 'base' })
  await done(stage, `DELETE ${path}/share-links/${id}`)
  return urls.published.replace(/[0-9A-Za-z]{20}\/$/, '')
}

/** Creates a section for the pooled space at this place; returns its id. */
export async function addSection(
  stage: Stage,
  site: Site,
  place: number,
  title: string,
): Promise<string> {
  const spaceId = (await spaces(stage, place + 1))[place]
  return (await done(stage, `POST ${site.path}/sections`, { spaceId, title })).id
}

/** Returns everything about a site that its admins read. */
export async function stateOf(stage: Stage, { path }: Pick<Site, 'path'>): Promise<string> {
  const parts = ['', '/structure', '/site-spaces', '/share-links', '/redirects', '/customization']
  const texts = await Promise.all(parts.map(part => stage.call('GET', path + part)))
  const problem = texts.find(({ status }) => status !== 200)
  must(!problem, `a site cannot be read: ${problem?.text.slice(0, 200)}`)
  return texts.map(({ text }) => text).join('\n')
}

export type Attempt = { request: string; body?: unknown; as?: string }

/**
 * Sends requests to a site that all have to get one of these answers; the site stays as it is.
 * Returns the last answer.
 */
export async function refuse(
  stage: Stage,
  site: Pick<Site, 'path'>,
  right: number[],
  attempts: Attempt[],
): Promise<Seen> {
  const before = await stateOf(stage, site)
  const wrong: string[] = []
  let last: Seen = { status: 'none', text: '' }

  for (const { request, body, as = 'admin' } of attempts) {
    const [method = 'GET', suffix = ''] = request.split(' ')
    last = await stage.call(method, `${site.path}${suffix}`, { as, body })
    if (!right.includes(Number(last.status)))
      wrong.push(
        `${request} ${JSON.stringify(body)?.slice(0, 150)}: ${last.status} ${last.text.slice(0, 150)}`,
      )
  }

  must(wrong.length === 0, `otherwise answered: ${wrong.join('\n')}`)
  must((await stateOf(stage, site)) === before, 'the site has changed')

  return last
}

export type Visitor = { jwtToken?: string; unsignedClaims?: unknown; type?: string }

/**
 * Resolves an address with a reading token, or as a user of another organization: calls without a
 * token are limited.
 */
export const resolve = (
  stage: Stage,
  url: string,
  { visitor, token }: { visitor?: Visitor; token?: string } = {},
): Promise<Seen> =>
  stage.call('POST', '/v1/urls/published', {
    as: 'stranger',
    body: { url, ...(visitor && { visitor }) },
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  })

/** Resolves an address and the redirects that it leads to; returns the last answer. */
export async function follow(stage: Stage, url: string): Promise<Seen> {
  for (let steps = 0, at = url; steps < 5; steps++) {
    const seen = await resolve(stage, at)
    const { redirect } = seen.status === 200 ? JSON.parse(seen.text) : { redirect: undefined }
    if (redirect === undefined) return seen
    at = redirect
  }
  throw new Error(`${url} leads in a circle`)
}

/** Returns the reading token for an address. */
export async function readingToken(
  stage: Stage,
  url: string,
  visitor: Visitor = {},
): Promise<string> {
  const seen = await resolve(stage, url, { visitor })
  must(seen.status === 200, `${url} was answered ${seen.status} ${seen.text.slice(0, 200)}`)
  const { apiToken } = JSON.parse(seen.text)
  must(apiToken, `${url} leads elsewhere: ${seen.text.slice(0, 200)}`)
  return apiToken
}

/** Sends a request with a token. */
export const withToken = (
  stage: Stage,
  token: string,
  request: string,
  body?: unknown,
): Promise<Seen> => {
  const [method = 'GET', path = '/'] = request.split(' ')
  return stage.call(method, path, {
    as: 'nobody',
    body,
    headers: { authorization: `Bearer ${token}` },
  })
}

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Returns a JWT with this header and payload, signed with HMAC. */
export function jwt(
  header: object,
  payload: unknown,
  key: string | Buffer,
  hash = 'sha256',
): string {
  const signed = `${encode(header)}.${encode(payload)}`
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`
}

/** Returns seconds since 1970, this many seconds from now. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/** Returns the message of an answer without its request id, to compare two answers. */
export const messageOf = ({ status, text }: Seen): string => {
  const { error } = JSON.parse(text) as { error?: { message?: string } }
  return `${status} ${error?.message}`
}

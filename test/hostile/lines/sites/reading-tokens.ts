import { createHmac } from 'node:crypto'
import { api } from '../../../../src/api/routes.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { bodyFor, fillRoute } from '../../routes.ts'
import type { Stage } from '../../stage.ts'
import {
  addSection,
  done,
  makeSite,
  messageOf,
  readingToken,
  resolve,
  spaces,
  withToken,
} from './tools.ts'

/** Sends every operation with a reading token: none may write, and none may be about people. */
async function everyOperation(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const token = await readingToken(stage, site.base)
  const ids = { ...stage.ids, space: site.space, site: site.id, siteSpace: site.siteSpace }
  const wrong: string[] = []
  let last: Seen = { status: 'none', text: '' }

  for (const key of Object.keys(api)) {
    const [method = '', path = ''] = key.split(' ')
    if (method === 'GET' || path === '/urls/published' || path.endsWith('/search')) continue
    // Readers may tell what they did.
    if (path.endsWith('/insights/events')) continue
    last = await withToken(stage, token, `${method} ${fillRoute(path, ids)}`, bodyFor(path))
    if (![401, 403, 404].includes(Number(last.status)))
      wrong.push(`${key} ${last.status} ${last.text.slice(0, 100)}`)
  }

  must(wrong.length === 0, wrong.join('\n'))

  for (const path of [
    '/user',
    '/orgs',
    '/orgs/acme',
    '/orgs/acme/members',
    '/orgs/acme/spaces',
    '/orgs/acme/sites',
    '/user/tokens',
  ]) {
    last = await withToken(stage, token, `GET /v1${path}`)
    must(last.status === 403, `${path}: ${last.status}`)
  }

  for (const part of [
    '',
    '/share-links',
    '/publishing/auth',
    '/adaptive-schema',
    '/redirects',
    '/permissions/users',
    '/customization',
  ]) {
    last = await withToken(stage, token, `GET ${site.path}${part}`)
    must(last.status === 403, `${part}: ${last.status}`)
  }

  return last
}

/** Reads another site and other spaces with a reading token. */
async function elsewhere(stage: Stage): Promise<Seen> {
  const [site, [, unshown]] = [await makeSite(stage), await spaces(stage, 2)]
  const other = await makeSite(stage, {}, unshown)
  const token = await readingToken(stage, site.base)
  const nothing = messageOf(
    await withToken(stage, token, 'GET /v1/spaces/A2345678901234567890/content/pages'),
  )

  for (const space of [unshown as string, stage.ids.foreign_space as string]) {
    const seen = await withToken(stage, token, `GET /v1/spaces/${space}/content/pages`)
    must(
      messageOf(seen).replace(space, 'A2345678901234567890') === nothing,
      `${seen.status} ${seen.text}`,
    )
  }

  for (const place of ['query', 'cookie']) {
    const seen = await stage.call(
      'GET',
      `${site.path}/structure${place === 'query' ? `?token=${token}` : ''}`,
      {
        as: 'nobody',
        headers: place === 'cookie' ? { cookie: `token=${token}` } : {},
      },
    )
    must(
      seen.status === 401 || seen.status === 400,
      `a token in a ${place} was answered ${seen.status}`,
    )
  }

  return withToken(stage, token, `GET ${other.path}/structure`)
}

const decode = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function altered(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const token = await readingToken(stage, site.base)
  const [head, payload, mac] = token.split('.')
  const changed = (set: object) => `${head}.${encode({ ...decode(payload), ...set })}.${mac}`
  const resigned = (secret: string, header: unknown) => {
    const signed = `${encode(header)}.${payload}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }
  const { privateKey } = await done(stage, `GET ${site.path}/publishing/auth`)
  const tokens = [
    changed({ spaces: [stage.ids.foreign_space, stage.ids.space] }),
    changed({ exp: 99_999_999_999 }),
    changed({ p: 'admin' }),
    changed({ v: 0 }),
    `${encode({ alg: 'none', typ: 'stemma-reader+jwt' })}.${payload}.`,
    `${encode({ alg: 'none' })}.${payload}.${mac}`,
    resigned(privateKey, decode(head)),
    resigned(privateKey, { alg: 'HS256', typ: 'JWT' }),
    resigned('', decode(head)),
    `${head}.${payload}.${(mac as string).slice(0, -2)}`,
    `${head}.${payload}.${(mac as string).slice(0, -1)}${mac?.endsWith('A') ? 'B' : 'A'}`,
    `${head}.${payload}`,
    `${token}.x`,
    `${token}=`,
  ]

  for (const [at, each] of tokens.entries()) {
    const seen = await withToken(stage, each, `GET ${site.path}/structure`)
    must(seen.status === 401, `token ${at} was answered ${seen.status} ${seen.text.slice(0, 200)}`)
  }

  return withToken(stage, tokens[0] as string, `GET ${site.path}/structure`)
}

/** Changes a site in a way that ends its reading tokens. */
const ended = (end: (stage: Stage, path: string) => Promise<unknown>) => async (stage: Stage) => {
  const site = await makeSite(stage)
  const token = await readingToken(stage, site.base)
  const read = () => withToken(stage, token, `GET /v1/spaces/${site.space}/content/pages`)
  must((await read()).status === 200, 'the token does not read')
  await end(stage, site.path)
  return read()
}

/** Asks for the past, for drafts, for discussions and for the content as it is written. */
async function unpublished(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const path = `/v1/spaces/${site.space}`
  const document = { markdown: '# Later\n' }
  const { id: before } = await done(stage, `GET ${path}/content`)

  await done(stage, `POST ${path}/content`, {
    changes: [{ operation: 'insert_page', title: 'Later', slug: `later-${Date.now()}`, document }],
  })
  const { id: request } = await done(stage, `POST ${path}/change-requests`, { subject: 'Draft' })
  const token = await readingToken(stage, site.base)
  let last: Seen = { status: 'none', text: '' }

  for (const part of [
    `/revisions/${before}`,
    `/revisions/${before}/pages`,
    '/revisions',
    '/change-requests',
    `/change-requests/${request}`,
    `/change-requests/${request}/content`,
    `/change-requests/${request}/content/pages`,
    '/git/info',
    '/comments',
    '/links',
    '/permissions/users',
    '/content/pages?evaluated=false',
    '/content/path/guide?evaluated=false',
  ]) {
    last = await withToken(stage, token, `GET ${path}${part}`)
    const isRead = part.includes('evaluated')
    must(
      [400, 403, 404, ...(isRead ? [200] : [])].includes(Number(last.status)),
      `${part} was answered ${last.status} ${last.text.slice(0, 200)}`,
    )
    must(!last.text.includes('Draft'), `${part} shows the change request`)
  }

  return withToken(stage, token, `GET ${path}/change-requests`)
}

/** A hidden section is answered as one that was never there; no answer has an ETag. */
async function hiddenOrAbsent(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const section = await addSection(stage, site, 1, 'Hidden')
  await done(stage, `PATCH ${site.path}/sections/${section}`, { condition: 'visitor.claims.staff' })
  const { items } = await done(stage, `GET ${site.path}/site-spaces`)
  const { space } = items.find((each: { section: string }) => each.section === section)
  const token = await readingToken(stage, site.base)
  const words = (seen: Seen, id: string) => messageOf(seen).replaceAll(id, 'ID')

  for (const part of [
    '',
    '/content',
    '/content/pages',
    '/content/path/guide',
    '/search?query=words',
  ]) {
    const read = (id: string) => withToken(stage, token, `GET /v1/spaces/${id}${part}`)
    const [hidden, absent] = [await read(space.id), await read('A2345678901234567890')]
    must(
      words(hidden, space.id) === words(absent, 'A2345678901234567890'),
      `${part}: ${hidden.text} ${absent.text}`,
    )

    must(
      hidden.headers?.etag === absent.headers?.etag,
      `${part} has the ETag ${hidden.headers?.etag}`,
    )
  }

  const text = JSON.stringify(
    await Promise.all(
      ['structure', 'sections', 'site-spaces', 'published'].map(part =>
        withToken(stage, token, `GET ${site.path}/${part}`),
      ),
    ),
  )

  for (const secret of [section, space.id, '"Hidden"', 'staff'])
    must(!text.includes(secret), `a reader reads ${secret}`)
  const [hidden, absent] = [
    await resolve(stage, `${site.base}hidden/`),
    await resolve(stage, `${site.base.replace(/[^/]+\/$/, '')}no-such-site/`),
  ]

  must(messageOf(hidden) === messageOf(absent), `${hidden.text} ${absent.text}`)

  return hidden
}

const set = (body: object) => (stage: Stage, path: string) => done(stage, `PATCH ${path}`, body)
const post = (suffix: string) => (stage: Stage, path: string) =>
  done(stage, `POST ${path}${suffix}`)

/** Reading tokens, and what readers may not read. */
export const readingTokenLines: Line[] = [
  line(
    'V9',
    'every operation that writes, with a reading token',
    403,
    /reading token/,
    everyOperation,
  ),
  line(
    'V9',
    'another site, other spaces, and a reading token outside of its header',
    404,
    'as for no site',
    elsewhere,
  ),
  line('V10', 'altered and forged reading tokens', 401, /./, altered),
  line('V10', 'a reading token of an unpublished site', 401, /./, ended(post('/unpublish'))),
  line(
    'V10',
    'a reading token of a site that was published again',
    401,
    /./,
    ended(async (stage, path) => {
      await post('/unpublish')(stage, path)
      await post('/publish')(stage, path)
    }),
  ),
  line(
    'V10',
    'a reading token from before the visibility changed',
    401,
    /./,
    ended(set({ visibility: 'unlisted' })),
  ),
  line(
    'V10',
    'a reading token from before the key was replaced',
    401,
    /./,
    ended(post('/publishing/auth/regenerate')),
  ),
  line(
    'V10',
    'a reading token of a deleted site',
    401,
    /./,
    ended((stage, path) => done(stage, `DELETE ${path}`)),
  ),
  line(
    'V11',
    'the past, drafts and discussions, with a reading token',
    403,
    /reading token/,
    unpublished,
  ),
  line(
    'V12',
    'a hidden section beside one that is absent',
    404,
    'the answers are equal',
    hiddenOrAbsent,
  ),
]

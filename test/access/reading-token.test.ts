import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findActor } from '../../src/access/actor.ts'
import type { Reader } from '../../src/access/asker.ts'
import { mintReadingToken } from '../../src/access/reading-token.ts'
import { putMember } from '../../src/store/people/organizations.ts'
import { updateSite } from '../../src/store/sites/sites.ts'
import { query } from '../../src/store/store.ts'
import type { SiteRow } from '../../src/store/tables/rows.ts'
import { type Actor, actor, startApp } from '../support/app.ts'
import { previewOf, publishedSite, readerOf, readingToken } from '../support/sites.ts'

const app = await startApp({ STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '0' })
test.after(() => app.stop())
const { store } = app.ctx

const newSpace = async (title: string): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id

const newSite = async (set: Partial<SiteRow> = {}) =>
  publishedSite(app, [await newSpace('Guide')], set)

/**
 * The status of a request with a token: 403 if the token is usable, as the operation does not admit
 * readers.
 */
const statusWith = async (token: string) => (await actor(app.url, '', token).get('/v1/user')).status

const readerWith = (token: string) => findActor(app.ctx, `Bearer ${token}`) as Reader

type Part = Record<string, unknown>
const decode = (part: string): Part => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
const encode = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url')

const site = await newSite()
const token = readingToken(app, site.id)
const [head = '', payload = '', signature = ''] = token.split('.')

test('a reading token is a JWT with a payload that renderers read', () => {
  assert.equal(decode(head), { alg: 'HS256', typ: 'stemma-reader+jwt' })
  const { iat, exp, siteSpace, ...rest } = decode(payload)
  assert.is((exp as number) - (iat as number), 7200)
  assert.is((iat as number) % 3600, 0)
  assert.type(siteSpace, 'string')
  const spaces = rest.spaces as string[]

  assert.equal(rest, {
    kind: 'site',
    site: site.id,
    space: spaces[0],
    organization: 'acme',
    spaces,
    v: site.access_version,
    aud: 'stemma',
  })
})

test('a reading token identifies a reader, whom operations refuse unless they admit readers', async () => {
  const reader = readerWith(token)
  assert.equal([reader.type, reader.site.id, reader.spaceIds.size], ['reader', site.id, 1])

  for (const [method, path] of [
    ['GET', '/v1'],
    ['GET', '/v1/user'],
    ['POST', '/v1/orgs/acme/sites'],
    ['PATCH', `/v1/spaces/${[...reader.spaceIds][0]}`],
    ['GET', '/v1/orgs/acme/members'],
  ] as const) {
    const refused = await readerOf(app, site.id).request(method, path)
    assert.is(refused.status, 403, `${method} ${path}`)
    assert.match(refused.body.error.message, 'A reading token is only for reading')
  }
})

test('equal contexts have equal tokens within an hour of the clock', () => {
  const at = (time: string) => ({ keys: app.ctx.keys, now: () => new Date(time) })
  const context = {
    site,
    siteSpace: { id: 'ss', section_id: null, space_id: 'space' },
    spaceIds: ['space'],
    claims: { plan: 'pro', unsigned: {} },
  }
  const minted = mintReadingToken(at('2026-05-01T10:00:00.000Z'), context)
  assert.is(
    mintReadingToken(at('2026-05-01T10:59:59.999Z'), { ...context, visitorType: undefined }),
    minted,
  )
  assert.is.not(mintReadingToken(at('2026-05-01T11:00:00.000Z'), context), minted)
  assert.is.not(
    mintReadingToken(at('2026-05-01T10:00:00.000Z'), { ...context, spaceIds: [] }),
    minted,
  )

  const withNone = mintReadingToken(at('2026-05-01T10:00:00.000Z'), {
    ...context,
    claims: { unsigned: {} },
  })

  assert.is('claims' in decode(withNone.split('.')[1] as string), false)
})

test('an altered token is refused like an unknown one', async () => {
  const claims = decode(payload)
  const widened = encode({ ...claims, spaces: [...(claims.spaces as string[]), 'other'] })
  const flip = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
  const sign = (signed: string) => `${signed}.${app.ctx.keys.mac('reading token', signed)}`
  const altered = [
    `${head}.${widened}.${signature}`,
    `${head}.${payload}.${flip(signature, 5)}`,
    `${head}.${payload}.${flip(signature, signature.length - 1)}`,
    `${head}.${payload}.${signature.slice(0, -1)}`,
    `${head}.${payload}.`,
    `${encode({ alg: 'none', typ: 'stemma-reader+jwt' })}.${payload}.${signature}`,
    // Signed with the key of reading tokens, but of another type or audience.
    sign(`${encode({ alg: 'HS256', typ: 'JWT' })}.${payload}`),
    sign(`${head}.${encode({ ...claims, aud: 'other' })}`),
    sign(`${head}.${encode({ ...claims, kind: 'organization' })}`),
    // Signed with a key for another purpose.
    `${head}.${payload}.${app.ctx.keys.mac('visitor token', `${head}.${payload}`)}`,
  ]
  const unknown = await actor(app.url, '', 'stm_never').get('/v1/user')

  assert.is(unknown.status, 401)

  for (const each of altered) {
    const { status, text } = await actor(app.url, '', each).get('/v1/user')
    assert.equal([status, text], [401, unknown.text], each)
  }

  assert.is(await statusWith(token), 403)
  assert.is(await statusWith(sign(`${head}.${payload}`)), 403)
})

test('an expired token is refused', async () => {
  const past = { keys: app.ctx.keys, now: () => new Date(Date.now() - 2 * 3_600_000) }
  const siteSpace = { id: 'ss', section_id: null, space_id: 'space' }
  assert.is(await statusWith(mintReadingToken(past, { site, siteSpace, spaceIds: [] })), 401)
})

test('a token in the query of a request does not identify the caller', async () => {
  for (const name of ['token', 'access_token', 'jwt_token'])
    assert.is((await app.anonymous.get(`/v1/user?${name}=${token}`)).status, 401)
})

test('an unpublished site, a raised access version and a deleted site end its tokens', async () => {
  const { id } = await newSite()
  const read = readingToken(app, id)
  assert.is(await statusWith(read), 403)
  updateSite(store, id, { published: 0 })
  assert.is(await statusWith(read), 401)
  updateSite(store, id, { published: 1 })
  assert.is(await statusWith(read), 403)
  updateSite(store, id, { access_version: 100 })
  assert.is(await statusWith(read), 401)
  assert.is(await statusWith(readingToken(app, id)), 403)
  store.run(query.deleteFrom('site').where('id', '=', id))
  assert.is(await statusWith(read), 401)
})

test('an inactive or deleted share link ends the tokens of its readers, and no others', async () => {
  const { id } = await newSite({ visibility: 'share-link' })
  const at = new Date().toISOString()
  const row = { site_id: id, name: 'Team', key_sealed: '', created_by: null, created_at: at }
  for (const link of ['one', 'two'])
    store.run(query.insertInto('share_link').values({ ...row, id: link, key_hash: link }))
  const [one, two] = ['one', 'two'].map(shareLinkId => readingToken(app, id, { shareLinkId })) as [
    string,
    string,
  ]

  assert.equal([await statusWith(one), await statusWith(two)], [403, 403])
  store.run(query.updateTable('share_link').set({ active: 0 }).where('id', '=', 'one'))
  assert.equal([await statusWith(one), await statusWith(two)], [401, 403])
  store.run(query.deleteFrom('share_link').where('id', '=', 'two'))
  assert.is(await statusWith(two), 401)
  assert.is(await statusWith(readingToken(app, id, { shareLinkId: 'three' })), 401)
})

test('a preview holds while its user may read the site, published or not', async () => {
  const { id } = await newSite({ published: 0 })
  const creator = app.user('Cleo', 'create')
  const preview = (by: Pick<Actor, 'id' | 'token'>) =>
    statusWith(readingToken(app, id, { preview: previewOf(app, by) }))
  assert.is(await preview(creator), 403)
  assert.is(await preview(app.user('Rae', 'read')), 403)
  assert.is(await preview(app.user('Gil', null)), 401)
  assert.is(await preview({ id: 'nobody', token: '' }), 401)
  putMember(store, 'acme', creator.id, null, '2026-01-01T00:00:00.000Z')
  assert.is(await preview(creator), 401)
  putMember(store, 'acme', creator.id, 'create', '2026-01-01T00:00:00.000Z')
  assert.is(await preview(creator), 403)
  store.run(query.updateTable('member').set({ disabled: 1 }).where('user_id', '=', creator.id))
  assert.is(await preview(creator), 401)
})

test('a space that is deleted or taken off the site is out of the reach of its readers', async () => {
  const [kept, gone, removed] = [
    await newSpace('Kept'),
    await newSpace('Gone'),
    await newSpace('Removed'),
  ]
  const { id } = await publishedSite(app, [kept, gone, removed])
  const read = readingToken(app, id)
  assert.equal([...readerWith(read).spaceIds], [kept, gone, removed])
  assert.is((await app.admin.delete(`/v1/spaces/${gone}`)).status, 204)
  store.run(query.deleteFrom('site_space').where('space_id', '=', removed))
  assert.equal([...readerWith(read).spaceIds], [kept])
})

test('a token has claims only while adaptive content is on', async () => {
  const { id } = await newSite({ adaptive: 1 })
  const [pro, free] = ['pro', 'free'].map(plan => readingToken(app, id, { claims: { plan } })) as [
    string,
    string,
  ]

  assert.is.not(pro, free)
  assert.equal(
    [readerWith(pro).tokenClaims, readerWith(free).tokenClaims],
    [{ plan: 'pro' }, { plan: 'free' }],
  )
  updateSite(store, id, { adaptive: 0 })
  assert.equal(readerWith(pro).tokenClaims, {})
})

test.run()

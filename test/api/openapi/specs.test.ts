import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { specBranch, specsRepository } from '../../../src/actions/repositories/specs-repository.ts'
import { processSpec } from '../../../src/actions/specs/process-spec.ts'
import { findSpecOutline, listSpecSlugs, readPiece } from '../../../src/actions/specs/read-spec.ts'
import { forgetDerived } from '../../../src/actions/upkeep/reindex.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import { zeroOid } from '../../../src/lib/oid.ts'
import { insertSource } from '../../../src/store/openapi/sources.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { eventsOf } from '../../support/events.ts'
import { until } from '../../support/until.ts'
import { type Host, openHost, petstore, processed } from './host.ts'

const list = '/v1/orgs/acme/openapi'

let app: App
let host: Host
let member: Actor
test.before(async () => {
  app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
  host = await openHost()
  member = app.user('Max', 'read')
})
test.after(async () => {
  await host.stop()
  await app.stop()
})

const put = (slug: string, source: object) => app.admin.put(`${list}/${slug}`, { source })
const versionsOf = async (slug: string) =>
  (await app.admin.get(`${list}/${slug}/versions`)).body.items

/** Puts a source and waits until it is read. */
const read = async (slug: string, source: object) => {
  const reply = await put(slug, source)
  assert.ok(reply.status === 200 || reply.status === 201, reply.text)
  return processed(app, `${list}/${slug}`)
}

test('a spec is created from text, and members can read it', async () => {
  const made = await app.admin.post(list, { slug: 'pets', source: { text: petstore('Pets') } })
  assert.is(made.status, 201, made.text)
  assert.is(made.body.processingState, 'pending')
  assert.is(made.headers.get('location'), made.body.urls.location)
  const spec = await processed(app, `${list}/pets`)

  assert.equal(spec.lastProcessedErrors, [])
  assert.is(spec.visibility, 'private')
  assert.is(spec.sourceURL, undefined)
  const latest = await member.get(`${list}/pets/versions/latest`)

  assert.is(latest.body.id, spec.lastVersion)
  assert.equal((await member.get(`${list}/pets/versions/${spec.lastVersion}`)).body, latest.body)
  const content = await member.get(`${list}/pets/versions/latest/content`)

  assert.equal(content.body, {
    url: latest.body.url,
    urls: { source: latest.body.url, public: null },
    filesystem: { 'openapi.json': petstore('Pets') },
  })
  assert.is(content.headers.get('etag'), `"${spec.lastVersion}-private"`)
  const byId = await member.get(`${list}/pets/versions/${spec.lastVersion}/content`, {
    'if-none-match': `"${spec.lastVersion}-private"`,
  })

  assert.is(byId.status, 304)
  const raw = await member.get(new URL(latest.body.url).pathname)

  assert.is(raw.text, petstore('Pets'))
  assert.match(raw.headers.get('content-type') ?? '', 'application/json')
  assert.equal((await member.get(`${list}/pets`)).body.permissions, { view: true, edit: false })
  assert.equal(
    eventsOf(app, spec.id).map(({ action, user }) => [action, user]),
    [
      ['openapi_spec.created', 'ada'],
      ['openapi_spec.processed', 'ada'],
    ],
  )
})

test('derived data is stored, and rebuilt when it is missing', async () => {
  const found = await findSpecOutline(app.ctx, 'acme', 'PETS')
  assert.is(found?.outline.title, 'Pets')
  const [operation] = found?.outline.operations ?? []
  const piece = readPiece(app.ctx, found?.versionId ?? zeroOid, operation?.key ?? '')

  assert.match(piece ?? '', 'List pets')
  forgetDerived(app.ctx)
  assert.is(readPiece(app.ctx, found?.versionId ?? zeroOid, operation?.key ?? ''), undefined)
  assert.equal(await findSpecOutline(app.ctx, 'acme', 'pets'), found)
  assert.is(readPiece(app.ctx, found?.versionId ?? zeroOid, operation?.key ?? ''), piece)
  assert.ok(listSpecSlugs(app.ctx, 'acme').has('pets'))
  assert.is(await findSpecOutline(app.ctx, 'acme', 'nope'), undefined)
  assert.is(await findSpecOutline(app.ctx, 'default', 'pets'), undefined)
})

test('each changed text becomes a version, an equal one does not', async () => {
  const texts = ['A', 'B', 'A'].map(petstore)
  const statuses: number[] = []
  // One after the other: requests of several connections arrive in any order.
  for (const text of texts) statuses.push((await put('many', { text })).status)
  assert.equal(statuses, [201, 200, 200])
  const spec = await processed(app, `${list}/many`)
  const versions = await versionsOf('many')

  assert.is(versions[0].id, spec.lastVersion)
  const kept = await Promise.all(
    versions.map(
      async ({ url }: { url: string }) => (await app.admin.get(new URL(url).pathname)).text,
    ),
  )

  for (const text of texts) assert.ok(kept.includes(text))
  assert.is(kept[0], texts[2])
  const page = await app.admin.get(`${list}/many/versions?limit=1`)

  assert.is(page.body.items.length, 1)
  const next = await app.admin.get(`${list}/many/versions?limit=1&page=${page.body.next.page}`)

  assert.is(next.body.items[0].id, versions[1].id)
  const other = await app.admin.get(`${list}/pets/versions?page=${page.body.next.page}`)

  assert.is(other.status, 400)
})

test('an invalid spec is reported, and the last good version stays', async () => {
  const { body: good } = await app.admin.get(`${list}/pets`)
  const bad = await read('pets', { text: '{"openapi": "3.1.0", ' })
  assert.is(bad.lastProcessErrorCode, 'PARSE_ERROR')
  assert.match(bad.lastProcessedErrors[0].message, 'not valid JSON')
  assert.is(bad.lastVersion, good.lastVersion)
  const again = await read('pets', { text: petstore('Pets') })

  assert.is(again.lastProcessErrorCode, undefined)
  assert.equal(again.lastProcessedErrors, [])
  assert.is(again.lastVersion, good.lastVersion)
})

test('a spec is fetched with referenced files of the same host, and no others', async () => {
  const entry = [
    'openapi: 3.0.3',
    'info: {title: Parts, version: "1"}',
    'paths:',
    '  /pets: {$ref: "paths/pets.yaml"}',
    '  /own: {get: {responses: {200: {description: ok, content: {application/json: {schema: {$ref: "../common.yaml#/Pet"}}}}}}}',
    '  /bad: {$ref: "file:///etc/passwd"}',
    '  /host: {$ref: "http://10.0.0.1/x"}',
    '  /root: {$ref: "/etc/passwd"}',
    '  /gone: {$ref: "gone.yaml"}',
  ].join('\n')

  host.files.set('/api/v1/openapi.yaml', entry)
  host.files.set(
    '/api/v1/paths/pets.yaml',
    'get:\n  summary: Pets of another file\n  responses: {200: {description: ok}}\n',
  )
  host.files.set('/api/common.yaml', 'Pet: {type: object, properties: {name: {type: string}}}\n')
  const spec = await read('parts', { url: `${host.origin}/api/v1/openapi.yaml#x` })

  assert.is(spec.sourceURL, `${host.origin}/api/v1/openapi.yaml`)
  assert.is(spec.lastProcessErrorCode, undefined)
  const told = spec.lastProcessedErrors.map(
    ({ message, code }: Record<string, string>) => `${code} ${message}`,
  )

  for (const ref of ['file:///etc/passwd', 'http://10.0.0.1/x', '/etc/passwd', 'gone.yaml'])
    assert.ok(
      told.some((each: string) => each.startsWith(`UNRESOLVED_REF "${ref}"`)),
      ref,
    )

  assert.not(host.asked.includes('/etc/passwd'))
  const content = await app.admin.get(`${list}/parts/versions/latest/content`)

  assert.equal(Object.keys(content.body.filesystem), [
    'v1/openapi.yaml',
    'common.yaml',
    'v1/paths/pets.yaml',
  ])
  assert.is(content.body.filesystem['v1/openapi.yaml'], entry)
  const found = await findSpecOutline(app.ctx, 'acme', 'parts')

  assert.ok(found?.outline.operations.some(({ summary }) => summary === 'Pets of another file'))
  const before = found?.outline

  forgetDerived(app.ctx)
  assert.equal((await findSpecOutline(app.ctx, 'acme', 'parts'))?.outline, before)
})

test('files whose addresses cannot be paths are stored under other names', async () => {
  const deep = `${Array(90).fill('d').join('/')}/x.json`
  const names = [
    'defs',
    'defs/x.json',
    'defs?v=2',
    '.git',
    '.git/x.json',
    `${'x'.repeat(600)}.json`,
    deep,
  ]
  const $refs = names.map(name => ({ $ref: `${name}#/Pet` }))
  const content = { 'application/json': { schema: { anyOf: $refs } } }
  const paths = { '/pets': { get: { responses: { 200: { description: 'Pets', content } } } } }

  host.files.set(
    '/odd/spec',
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Odd', version: '1' }, paths }),
  )

  for (const [at, name] of names.entries()) {
    const properties = { [`name${at}`]: { type: 'string' } }
    host.files.set(`/odd/${name}`, JSON.stringify({ Pet: { type: 'object', properties } }))
  }

  const spec = await read('odd', { url: `${host.origin}/odd/spec` })

  assert.is(spec.lastProcessErrorCode, undefined)
  assert.equal(spec.lastProcessedErrors, [])
  const kept = (await app.admin.get(`${list}/odd/versions/latest/content`)).body.filesystem

  assert.is(Object.keys(kept)[0], 'openapi.json')
  assert.equal(
    Object.values(kept as Record<string, string>)
      .flatMap(text => /name\d/.exec(text)?.[0] ?? [])
      .sort(),
    names.map((_, at) => `name${at}`),
  )
})

test('a URL that responds with an error is reported', async () => {
  const missing = await read('remote', { url: `${host.origin}/later.json` })
  assert.is(missing.lastProcessErrorCode, 'FETCH_ERROR')
  assert.match(missing.lastProcessedErrors[0].message, 'answered 404')
  assert.is(missing.lastVersion, undefined)
  assert.is((await app.admin.get(`${list}/remote/versions/latest`)).status, 404)
  assert.equal(await versionsOf('remote'), [])
})

test('a temporary failure is retried', async () => {
  let times = 0
  host.files.set('/shaky.json', response => {
    times++
    if (times === 1) response.writeHead(503).end()
    else response.end(petstore('Shaky'))
  })
  await put('remote', { url: `${host.origin}/shaky.json` })
  const waiting = async () => {
    const { body } = await app.admin.get(`${list}/remote`)
    const failed = body.lastProcessErrorCode === 'FETCH_ERROR'
    return (times === 1 && failed && body.processingState === 'pending') || undefined
  }

  await until('the spec waits for another try', waiting)
  app.ctx.store.run(sqlRows(sql`update job set run_at = 0 where kind = 'process-openapi'`))
  app.ctx.wake()
  const spec = await processed(app, `${list}/remote`)

  assert.is(spec.lastProcessErrorCode, undefined)
  assert.ok(spec.lastVersion)
})

test('a public spec can be read without a token, a private one cannot', async () => {
  const spec = await read('open', { text: petstore('Open') })
  const raw = `${list}/open/versions/latest/content/raw`
  assert.is((await app.anonymous.get(raw)).status, 401)
  assert.is((await app.anonymous.get(`${list}/nope/versions/latest/content/raw`)).status, 401)
  const opened = await app.admin.patch(`${list}/open`, { visibility: 'public' })

  assert.is(opened.status, 200, opened.text)
  const reply = await app.anonymous.get(new URL(opened.body.urls.published).pathname)

  assert.is(reply.text, petstore('Open'))
  assert.is(
    reply.headers.get('access-control-allow-origin'),
    '*',
    'it is shown on other pages, too',
  )
  const etag = reply.headers.get('etag') ?? ''
  const same = await app.anonymous.get(raw, { 'if-none-match': etag })

  assert.is(same.status, 304)
  assert.is(same.headers.get('access-control-allow-origin'), '*')
  assert.is(
    (await app.anonymous.get(`${list}/open/versions/${spec.lastVersion}/content/raw`)).status,
    200,
  )
  assert.is((await app.anonymous.get(`${list}/open`)).status, 401)
  assert.is((await app.anonymous.get(`${list}/open/versions/latest/content`)).status, 401)
  await app.admin.patch(`${list}/open`, { visibility: 'private' })
  assert.is((await app.anonymous.get(raw)).status, 401)
  assert.is((await app.admin.get(raw)).headers.get('access-control-allow-origin'), null)
  assert.equal(
    eventsOf(app, spec.id).flatMap(({ details }) =>
      details.visibility ? [details.visibility] : [],
    ),
    [
      { from: 'private', to: 'public' },
      { from: 'public', to: 'private' },
    ],
  )
})

test('a deleted spec loses its branch, and a new one with the same slug starts without versions', async () => {
  const first = await read('gone', { text: petstore('First') })
  const repo = specsRepository(app.ctx, 'acme')
  assert.is(readRef(repo, specBranch(first)), first.lastVersion)
  assert.is((await app.admin.delete(`${list}/Gone`)).status, 204)
  assert.is((await app.admin.delete(`${list}/gone`)).status, 204)
  assert.is((await app.admin.get(`${list}/gone`)).status, 404)
  const second = await read('gone', { text: petstore('Second') })

  assert.not.equal(second.id, first.id)
  assert.is((await versionsOf('gone')).length, 1)
  assert.is((await app.admin.get(`${list}/gone/versions/${first.lastVersion}`)).status, 404)

  for (let tries = 0; readRef(repo, specBranch(first)); tries++) {
    assert.ok(tries < 3000, 'the branch stays')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
})

test('a slug is stored in lower case and matched in any case', async () => {
  const made = await app.admin.post(list, { slug: 'Acme-V2', source: { text: petstore('V2') } })
  assert.is(made.body.slug, 'acme-v2')
  assert.is((await app.admin.get(`${list}/ACME-V2`)).body.id, made.body.id)
  const twice = await app.admin.post(list, { slug: 'ACME-v2', source: { text: petstore('V2') } })
  assert.is(twice.status, 409)
  assert.match(twice.body.error.message, 'PUT')
})

test('an invalid request is refused with a reason', async () => {
  const text = petstore('x')
  const refused: [body: unknown, status: number, message: RegExp][] = [
    [{ slug: 'a--b', source: { text } }, 400, /slug.*hyphens/],
    [{ slug: '', source: { text } }, 400, /slug/],
    [{ slug: 'x'.repeat(101), source: { text } }, 400, /slug/],
    [{ slug: 'ok', source: {} }, 400, /source/],
    [{ slug: 'ok', source: { text: '' } }, 400, /source/],
    [{ slug: 'ok', source: { text, url: 'https://example.org/' } }, 400, /source/],
    [{ slug: 'ok', source: { url: 'ftp://example.org/x' } }, 400, /source\.url/],
    [{ slug: 'ok', source: { url: 'https://me:pass@example.org/x' } }, 400, /credentials/],
    [{ slug: 'ok', source: { url: 'nonsense' } }, 400, /source\.url/],
    [{ slug: 'ok', source: { text: 'x'.repeat(11_000_000) } }, 413, /10 MB/],
    [{ slug: 'ok', source: { text }, more: 1 }, 400, /more/],
  ]

  for (const [body, status, message] of refused) {
    const reply = await app.admin.post(list, body)
    assert.is(reply.status, status, reply.text)
    assert.match(reply.body.error.message, message)
  }

  assert.is((await put('a--b', { text })).status, 400)
  assert.is((await app.admin.patch(`${list}/pets`, { visibility: 'open' })).status, 400)
  assert.is((await member.put(`${list}/pets`, { source: { text } })).status, 403)
  const guest = app.user('Gus', null)

  assert.is((await guest.get(list)).status, 404)
  assert.is((await guest.get(`${list}/pets`)).status, 404)
  assert.is((await app.user('Sue').get(`${list}/pets/versions/latest/content/raw`)).status, 404)
  const listed = await member.get(`${list}?limit=2`)

  assert.equal(
    listed.body.items.map(({ slug }: { slug: string }) => slug),
    ['pets', 'many'],
  )
})

test('processing continues after a restart', async () => {
  const { body: spec } = await app.admin.get(`${list}/open`)
  // The state after the branch has moved and before the rows are written.
  app.ctx.store.run(sqlRows(sql`delete from openapi_version where spec_id = ${spec.id}`))
  app.ctx.store.run(sqlRows(sql`update openapi_spec set last_version = null where id = ${spec.id}`))
  const again = await read('open', { text: petstore('Open') })
  assert.is(again.lastVersion, spec.lastVersion)
  assert.is((await versionsOf('open')).length, 1)
})

test('a source that repeatedly fails is abandoned, and the next one is read', async () => {
  const { body: spec } = await app.admin.get(`${list}/open`)
  const at = new Date().toISOString()
  const add = (title: string) =>
    insertSource(app.ctx.store, {
      spec_id: spec.id,
      url: null,
      packed: gzipSync(petstore(title)),
      created_by: app.admin.id,
      created_at: at,
    })

  add('Bad luck')
  add('Newer')
  await processSpec(app.ctx, spec.id, { signal: new AbortController().signal, attempt: 5 })
  const { lastVersion, lastProcessErrorCode } = await processed(app, `${list}/open`)

  assert.is(lastProcessErrorCode, undefined)
  assert.is.not(lastVersion, spec.lastVersion)
  assert.match((await app.admin.get(`${list}/open/versions/latest/content/raw`)).text, 'Newer')
})

test.run()

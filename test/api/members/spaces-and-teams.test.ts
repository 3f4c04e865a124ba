import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSpaces } from '../../../src/actions/heads/open-space.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { insertTeam, putTeamMember } from '../../../src/store/people/teams.ts'
import { insertCollection } from '../../../src/store/spaces/collections.ts'
import { sqlRows } from '../../../src/store/store.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { admin, ctx } = app
const at = '2026-01-01T00:00:00.000Z'
const list = '/v1/orgs/acme/members'
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
app.user('Eve', 'edit')

test.after(() => app.stop())

const give = (
  kind: 'space' | 'collection',
  id: string,
  to: ['user' | 'team', string],
  role: Role | null,
) =>
  putPermission(ctx.store, {
    target_kind: kind,
    target_id: id,
    subject_kind: to[0],
    subject_id: to[1],
    role,
    created_at: at,
  })

type Item = { permission: string; space: { title: string; permissions: { admin: boolean } } }
const titles = (items: Item[]) => items.map(item => `${item.space.title} ${item.permission}`)

test('spaces that both the member and the caller can see, with the role of the member', async () => {
  insertCollection(ctx.store, {
    id: 'shelf',
    organization_id: 'acme',
    parent_id: null,
    title: 'Shelf',
    position: 0,
    created_at: at,
  })
  const made: Record<string, string> = {}
  for (const [title, parent] of [['Open'], ['Closed'], ['Shelved', 'shelf'], ['Gone']] as const)
    made[title] = (
      await admin.post('/v1/orgs/acme/spaces', { title, ...(parent && { parent }) })
    ).body.id

  await admin.patch(`/v1/spaces/${made.Closed}`, { defaultLevel: null })
  await admin.patch('/v1/collections/shelf', { defaultLevel: null })
  await admin.delete(`/v1/spaces/${made.Gone}`)
  insertTeam(ctx.store, { id: 'red', organization_id: 'acme', title: 'Red', created_at: at })
  putTeamMember(ctx.store, 'red', 'gus')
  give('collection', 'shelf', ['team', 'red'], 'comment')
  give('space', made.Closed as string, ['user', 'gus'], 'edit')
  const get = async (who: typeof admin, of: string, query = '') =>
    (await who.get(`${list}/${of}/spaces${query}`)).body.items

  assert.equal(titles(await get(admin, 'gus')), ['Shelved comment', 'Closed edit'])
  assert.equal(titles(await get(guest, 'gus', '?order=asc')), ['Closed edit', 'Shelved comment'])
  assert.equal(titles(await get(admin, 'max')), ['Open read'])
  assert.equal(titles(await get(member, 'ada')), ['Open admin'])
  assert.not((await get(member, 'ada'))[0].space.permissions.admin)
  assert.equal(titles(await get(admin, 'ada')), ['Shelved admin', 'Closed admin', 'Open admin'])
  assert.equal(titles(await get(member, 'gus')), [])
  assert.is((await guest.get(`${list}/max/spaces`)).status, 404)
  assert.is((await app.user('Sid').get(`${list}/max/spaces`)).status, 404)
})

test('with thousands of spaces, a page takes the same few queries and lists every space once', async () => {
  ctx.store.transact(() => {
    for (let index = 0; index < 5000; index++)
      ctx.store.run(
        sqlRows(sql`insert into space (id, organization_id, title, default_level, created_at, updated_at)
          values (${`s${index}`}, 'acme', ${`S${index}`}, null, ${at}, ${at})`),
      )
    for (let index = 7; index < 5000; index += 50)
      give('space', `s${index}`, ['user', 'eve'], 'review')
  })

  // They have no repositories: the recorded heads say where their content is.
  ctx.store.run(
    sqlRows(sql`
      insert into ref (space_id, name, oid)
      select id, 'refs/heads/main', hex(randomblob(20)) from space where created_at = ${at}`),
  )
  // The server opens all spaces soon after its start: those queries must not be counted.
  await openSpaces(ctx)
  let queries = 0
  const { all } = ctx.store

  ctx.store.all = (...given) => {
    queries++
    return all.apply(ctx.store, given) as never
  }
  const seen: string[] = []
  let pages = 0

  for (let page = ''; ; pages++) {
    const reply = await admin.get(`${list}/eve/spaces?limit=40${page}`)
    seen.push(...titles(reply.body.items))
    if (!reply.body.next) break
    page = `&page=${reply.body.next.page}`
  }

  ctx.store.all = all
  const expected = Array.from({ length: 100 }, (_, index) => `S${4957 - 50 * index} review`)

  assert.equal(seen.slice(0, 100), expected)
  assert.ok(queries / (pages + 1) < 20, `${queries} queries for ${pages + 1} pages`)
})

test('teams of a member', async () => {
  for (const [id, title] of [
    ['b', 'Éditeurs'],
    ['c', 'Readers'],
    ['d', 'More éditeurs'],
  ] as const) {
    insertTeam(ctx.store, { id, organization_id: 'acme', title, created_at: at })
    putTeamMember(ctx.store, id, 'max', id === 'c' ? 'owner' : 'member')
  }

  const path = `${list}/max/teams`
  const { body } = await admin.get(path)
  assert.equal(
    body.items.map((item: { team: { id: string }; member: { role: string } }) => [
      item.team.id,
      item.member.role,
    ]),
    [
      ['b', 'member'],
      ['c', 'owner'],
      ['d', 'member'],
    ],
  )
  const named = await member.get(`${path}?title=%C3%89DIT&limit=1`)

  assert.equal(
    named.body.items.map((item: { team: { title: string } }) => item.team.title),
    ['Éditeurs'],
  )
  const rest = await member.get(`${path}?title=%C3%89DIT&limit=1&page=${named.body.next.page}`)

  assert.is(rest.body.items[0].team.id, 'd')
  assert.is((await member.get(`${path}?title=x&page=${named.body.next.page}`)).status, 400)
  assert.is((await guest.get(path)).status, 404)
  const own = (await guest.get(`${list}/gus/teams`)).body.items

  assert.is(own[0].team.id, 'red')
  assert.not(own[0].team.permissions.view)
})

test.run()

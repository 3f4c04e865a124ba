import * as assert from 'uvu/assert'
import { readPosition } from '../../../src/actions/catch-up/position.ts'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { findGitState } from '../../../src/store/cluster/git-state.ts'
import type { Actor } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { type Nodes, startNodes } from '../nodes.ts'
import { postgresSuite } from '../suite.ts'

let nodes: Nodes
let database: string

const test = postgresSuite(
  'a database that was set back to an earlier time',
  async () => {
    nodes = await startNodes()
    database = new URL(nodes.a.ctx.config.database!.url).pathname.slice(1)
  },
  async () => {
    await nodes?.stop()
  },
)

const tables = ['git_state', 'git_log', 'ref'] as const

const query = (sql: string) => nodes.cluster.query(sql, database)

/** Returns a function that sets the repository of a space back to now, while the nodes run. */
async function keep(space: string): Promise<() => Promise<void>> {
  for (const table of tables)
    await query(`create table kept_${table} as select * from ${table} where space_id = '${space}'`)
  return async () => {
    for (const table of tables) {
      await query(`delete from ${table} where space_id = '${space}'`)
      await query(`insert into ${table} select * from kept_${table}`)
      await query(`drop table kept_${table}`)
    }
    // A node whose connection leads to another server forgets everything.
    await query(`insert into change (scope, origin) values ('*', 'another server')`)
  }
}

async function edit(by: Actor, space: string, title: string): Promise<void> {
  const change = { operation: 'insert_page', title, document: { markdown: title } }
  const { status, text } = await by.post(`/v1/spaces/${space}/content`, { changes: [change] })
  assert.is(status, 200, text)
}

async function titles(by: Actor, space: string): Promise<string[]> {
  const { status, body, text } = await by.get(`/v1/spaces/${space}/content/pages`)
  assert.is(status, 200, text)
  return body.pages.map(({ title }: { title: string }) => title)
}

async function madeAndRead(): Promise<string> {
  const { a } = nodes
  const space = (await a.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id as string
  await edit(a.admin, space, 'Kept')
  assert.equal(await titles(nodes.adminAtB, space), ['Docs', 'Kept'])
  return space
}

/** Checks that the folders of both nodes are whole, and where the database is. */
async function checkFolders(space: string): Promise<void> {
  for (const { ctx } of [nodes.a, nodes.b]) {
    const dir = spaceFolder(ctx.config.dataDir, space)
    assert.is(gitOutside(dir, ['fsck', '--strict', '--full', '--no-dangling']), '')
    assert.is(readPosition(dir)?.mark, findGitState(ctx.store, space)?.mark)
  }
}

test('a node that is ahead of the database follows it back', async () => {
  const { a } = nodes
  const space = await madeAndRead()
  const setBack = await keep(space)
  for (const title of ['Lost', 'Lost too']) await edit(a.admin, space, title)
  assert.equal(await titles(nodes.adminAtB, space), ['Docs', 'Kept', 'Lost', 'Lost too'])
  await setBack()
  for (const by of [a.admin, nodes.adminAtB])
    assert.equal(await titles(by, space), ['Docs', 'Kept'])
  await edit(a.admin, space, 'After')
  for (const by of [nodes.adminAtB, a.admin])
    assert.equal(await titles(by, space), ['Docs', 'Kept', 'After'])
  await checkFolders(space)
})

for (const more of [0, 1])
  test(`a node follows a database that has gone as far again, and ${more} further`, async () => {
    const { a, b } = nodes
    const space = await madeAndRead()
    const setBack = await keep(space)
    for (const title of ['Lost', 'Lost too']) await edit(a.admin, space, title)
    assert.is((await titles(nodes.adminAtB, space)).length, 4)
    const dir = spaceFolder(b.ctx.config.dataDir, space)
    const news = ['Other', 'Another', 'One more'].slice(0, 2 + more)
    await nodes.restartB(async () => {
      const before = readPosition(dir)
      await setBack()
      for (const title of news) await edit(a.admin, space, title)
      assert.equal(readPosition(dir), before)
      assert.is(findGitState(a.ctx.store, space)?.seq, before!.seq + more)
    })
    assert.equal(await titles(nodes.adminAtB, space), ['Docs', 'Kept', ...news])
    await edit(nodes.adminAtB, space, 'Last')
    assert.equal(await titles(a.admin, space), ['Docs', 'Kept', ...news, 'Last'])
    await checkFolders(space)
  })

test.run()

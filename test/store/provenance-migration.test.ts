import { readdirSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inviteIdOf } from '../../src/store/invite-id.ts'

const folder = new URL('../../src/store/migrations/', import.meta.url)
const step = (wanted: (version: number) => boolean): string =>
  readdirSync(folder)
    .filter(name => name.endsWith('.sql') && wanted(Number(name.slice(0, 4))))
    .sort()
    .map(name => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n')

/** A database as it was before service commits were recorded. */
function before(): Database.Database {
  const database = new Database(':memory:')
  database.function('invite_id', { deterministic: true }, secret => inviteIdOf(String(secret)))
  database.exec(step(version => version < 10))
  database.exec(`
    insert into user (id, display_name, created_at) values ('u', 'U', 't');
    insert into organization (id, title, created_at) values ('o', 'O', 't');
  `)

  for (const id of ['s', 'copy', 'again'])
    database
      .prepare(
        `insert into space (id, organization_id, title, created_at, updated_at) values (?, 'o', 'S', 't', 't')`,
      )
      .run(id)

  return database
}

const exportOf = (space: string) => `Export\n\nStemma-Space: ${space}\nStemma-Operation: export\n`

function revision(
  database: Database.Database,
  space: string,
  seq: number,
  oid: string,
  parents: string[],
  message = 'x\n',
) {
  database
    .prepare(
      `insert into revision (space_id, seq, oid, tree, parents, author_name, author_email, message, committed_at)
       values (?, ?, ?, 't', ?, 'a', 'a@b', ?, 0)`,
    )
    .run(space, seq, oid, JSON.stringify(parents), message)
}

let made = 0
function operation(
  database: Database.Database,
  direction: string,
  oid: string,
  at: number,
  state = 'success',
) {
  database
    .prepare(
      `insert into git_sync_operation
         (id, space_id, direction, state, ref, url, request, timestamp, revision, created_by, created_at, updated_at, completed_at)
       values (?, 's', ?, ?, 'refs/heads/main', 'https://example.org', '{}', 't', ?, 'u', 't', 't', ?)`,
    )
    .run(`op${made++}`, direction, state, oid, `2026-01-0${at}`)
}

function event(database: Database.Database, space: string, action: string, details: object) {
  database
    .prepare(
      `insert into audit_event (id, organization_id, action, target_kind, target_id, space_id, details, created_at)
       values (?, 'o', ?, 'space', ?, ?, ?, 't')`,
    )
    .run(`e${made++}`, action, space, space, JSON.stringify(details))
}

function migrated(database: Database.Database) {
  database.exec(step(version => version === 10))
  const rows = (text: string) => database.prepare(text).raw().all()
  return {
    commits: rows('select space_id, oid, kind from service_commit order by space_id, oid'),
    jumps: rows('select space_id, oid, previous from published_jump order by space_id, oid'),
    index: rows('select distinct space_id from revision order by space_id'),
  }
}

test('what rows say about older commits is kept, for copies of a space too', () => {
  const database = before()
  revision(database, 's', 1, 'first', [])
  revision(database, 's', 2, 'edited', ['first'])
  revision(database, 's', 3, 'merged', ['edited', 'branch'])
  revision(database, 's', 4, 'out', ['remote', 'merged'], exportOf('s'))
  database.exec(`insert into change_request
    (id, space_id, number, status, created_by, created_at, updated_at, revision, revision_initial, revision_merged)
    values ('c', 's', 1, 'merged', 'u', 't', 't', 'branch', 'edited', 'merged')`)
  event(database, 's', 'space.created', { revision: 'first' })
  event(database, 's', 'space.content_updated', { revision: 'edited', from: 'first' })
  event(database, 's', 'change_request.content_updated', { revision: 'branch', from: 'edited' })
  event(database, 's', 'change_request.content_updated', {
    revision: 'upd',
    mergedAncestor: 'edited',
  })
  event(database, 's', 'space.content_updated', { revision: 'theirs', pushed: true })
  event(database, 's', 'space.content_updated', { revision: 'brought', synchronized: true })
  operation(database, 'export', 'out', 1)
  operation(database, 'import', 'out', 2)
  event(database, 'copy', 'space.duplicated', { from: 's', revision: 'out' })
  event(database, 'again', 'space.duplicated', { from: 'copy', revision: 'out' })
  const kinds = [
    ['branch', 'edit'],
    ['edited', 'edit'],
    ['first', 'create-space'],
    ['merged', 'merge'],
    ['out', 'export'],
    ['upd', 'update'],
  ]
  const { commits, jumps, index } = migrated(database)

  assert.equal(
    commits,
    ['again', 'copy', 's'].flatMap(space => kinds.map(([oid, kind]) => [space, oid, kind])),
  )

  assert.equal(
    jumps,
    ['again', 'copy', 's'].map(space => [space, 'out', 'merged']),
  )
  assert.equal(index, [['s']], 'the index is unchanged')
})

for (const [title, arrive] of [
  [
    'brought by an import',
    (database: Database.Database) => operation(database, 'import', 'forged', 1),
  ],
  [
    'brought by a push',
    (database: Database.Database) =>
      event(database, 's', 'space.content_updated', { revision: 'forged', pushed: true }),
  ],
  ['without a row', () => {}],
] as const)
  test(`a commit ${title} that claims to be an export is not taken for one, and the index is rebuilt`, () => {
    const database = before()
    revision(database, 's', 1, 'theirs', [])
    revision(database, 's', 2, 'forged', ['two', 'theirs'], exportOf('s'))
    arrive(database)
    if (title !== 'without a row') operation(database, 'export', 'forged', 2)
    operation(database, 'export', 'forged', 3, 'failure')
    const { commits, jumps, index } = migrated(database)
    assert.equal([commits, jumps, index], [[], [], []])
  })

test('a change request whose subject looks like an export stays a merge', () => {
  const database = before()
  revision(database, 's', 1, 'first', [])
  revision(database, 's', 2, 'merged', ['first', 'branch'], exportOf('s'))
  database.exec(`insert into change_request
    (id, space_id, number, status, created_by, created_at, updated_at, revision, revision_initial, revision_merged)
    values ('c', 's', 1, 'merged', 'u', 't', 't', 'branch', 'first', 'merged')`)
  operation(database, 'export', 'merged', 1)
  const { commits, jumps, index } = migrated(database)

  assert.equal([commits, jumps, index], [[['s', 'merged', 'merge']], [], [['s']]])
})

test.run()

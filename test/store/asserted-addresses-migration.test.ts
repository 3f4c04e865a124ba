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

test('accounts that a provider created keep their sign-in, and give their address free elsewhere', () => {
  const database = new Database(':memory:')
  database.pragma('foreign_keys = ON')
  database.function('invite_id', { deterministic: true }, secret => inviteIdOf(String(secret)))
  database.exec(step(version => version < 26))
  database.exec(`
    insert into organization (id, title, created_at) values ('acme', 'A', 't'), ('globex', 'G', 't');
    insert into sso_provider (id, organization_id, kind, label, created_at, updated_at)
      values ('p', 'acme', 'saml', 'P', 't', 't');
  `)

  const user = (id: string, organizations: string[], displayName?: string | null) => {
    const run = (text: string, ...values: unknown[]) => database.prepare(text).run(...values)
    run(
      `insert into user (id, display_name, email, created_at) values (?, ?, ?, 't')`,
      id,
      id,
      `${id}@globex.example`,
    )

    for (const organization of organizations)
      run(
        `insert into member (organization_id, user_id, role, joined_at) values (?, ?, 'read', 't')`,
        organization,
        id,
      )

    if (displayName !== undefined)
      run(`insert into sso_identity values ('p', ?, ?, ?, 't', 't')`, id, id, displayName)
  }

  user('created', ['acme'], 'Created')
  user('linked', ['acme'], null)
  user('both', ['acme', 'globex'], 'Both')
  user('local', ['acme'])

  for (const id of ['created', 'linked'])
    database
      .prepare(
        `insert into invitation (id, organization_id, user_id, email, role, sso, created_by, created_at, expires_at)
         values (?, 'globex', ?, ?, 'read', 0, 'local', 't', 't')`,
      )
      .run(`invitation-${id}`, id, `${id}@globex.example`)

  database.exec(step(version => version === 26))
  assert.equal(
    database.prepare('select id, email, asserted_by from user order by seq').raw().all(),
    [
      ['created', 'created@globex.example', 'acme'],
      ['linked', 'linked@globex.example', null],
      ['both', 'both@globex.example', null],
      ['local', 'local@globex.example', null],
    ],
  )
  assert.is(database.prepare('select count(*) from sso_identity').pluck().get(), 3)
  assert.equal(database.prepare('select user_id from invitation').pluck().all(), ['linked'])
  const insert = database.prepare(
    `insert into user (id, display_name, confirmed_email, created_at) values (?, 'X', ?, 't')`,
  )

  insert.run('owner', 'CREATED@globex.example')
  assert.throws(() => insert.run('again', 'Linked@globex.example'), /UNIQUE/)
})

test.run()

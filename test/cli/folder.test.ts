import { cpSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../src/actions/spaces/create-space.ts'
import { findMember } from '../../src/store/people/organizations.ts'
import { findUser } from '../../src/store/people/users.ts'
import type { SpaceRow } from '../../src/store/tables/rows.ts'
import { type App, actor, startApp } from '../support/app.ts'
import { type Run, stemma, stemmaHere } from './stemma.ts'

let app: App
let folder: string
let space: SpaceRow

test.before(async () => {
  app = await startApp()
  folder = mkdtempSync(join(tmpdir(), 'stemma-cli-'))
  space = await createSpace(
    app.ctx,
    { organization_id: 'acme', title: 'Handbook' },
    findUser(app.ctx.store, app.admin.id)!,
  )
})
test.after(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...args: string[]): Promise<Run> => stemmaHere(args, { STEMMA_DATA: app.dataDir })
const result = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args)
  assert.is(code, 0, stderr)
  assert.is(stderr, '')
  return stdout.trimEnd()
}

test('an organization, a user and a token are created beside the server, which accepts the token until it is revoked', async () => {
  assert.is(
    await result(
      'org',
      'create',
      '--id',
      'handbook',
      '--title',
      'Docs',
      '--admin',
      'ada@example.org',
    ),
    'handbook',
  )
  assert.is(findMember(app.ctx.store, 'handbook', app.admin.id)?.role, 'admin')
  const id = await result(
    'user',
    'create',
    '--name',
    'Grace',
    '--email',
    'grace@example.org',
    '--org',
    'handbook',
  )

  assert.is(findMember(app.ctx.store, 'handbook', id)?.role, 'read')
  const made = JSON.parse(
    await result(
      'token',
      'create',
      '--user',
      'grace@example.org',
      '--name',
      'CI',
      '--expires',
      '2999-01-01',
      '--json',
    ),
  )

  assert.is(made.user, id)
  assert.is(made.expiresAt, '2999-01-01T00:00:00.000Z')
  const grace = actor(app.url, id, made.secret)

  assert.is((await grace.get('/v1/user')).body.id, id)

  const tokens = await result('token', 'list', '--user', id)
  const users = await result('user', 'list', '--json')
  const rows = await result('user', 'list')
  const organizations = await result('org', 'list')

  assert.match(tokens, new RegExp(`^ID .*\n${made.id} +Grace +CI +usable`))
  assert.not.match(tokens, new RegExp(made.secret))
  assert.ok(
    JSON.parse(users).some((user: { email?: string }) => user.email === 'grace@example.org'),
  )
  assert.match(rows, /Grace +grace@example\.org +handbook: read +\d/)
  assert.equal(JSON.parse(users).find((user: { id: string }) => user.id === id).organizations, [
    { id: 'handbook', role: 'read' },
  ])
  assert.match(organizations, /^handbook +Docs/m)

  await result('token', 'revoke', made.id)
  assert.is((await grace.get('/v1/user')).status, 401)
})

test('a failure is a sentence on stderr with exit 1, wrong usage exits with 2', async () => {
  const token = ['token', 'create', '--name', 'x', '--user']
  const cases: [args: string[], code: number, sentence: RegExp][] = [
    [[...token, 'nobody'], 1, /no user "nobody".*stemma user list/],
    [
      [...token, 'ada', '--expires', 'soon'],
      2,
      /^--expires takes a time such as 2026-01-31T12:00:00Z/,
    ],
    [['token', 'create'], 2, /required option '--user/],
    [
      ['user', 'create', '--name', 'A', '--email', 'ADA@example.org', '--org', 'acme'],
      1,
      /ada already has the address/,
    ],
    [['org', 'create', '--title', 'Docs'], 2, /required option '--admin/],
    [['restore', join(folder, 'none.tar')], 1, /^There is no file .*none\.tar\.$/m],
    [['reindex', '--space', 'none'], 1, /no space "none"/],
    [['nonsense'], 2, /unknown command/],
  ]

  for (const [args, expected, sentence] of cases) {
    const { code, stdout, stderr } = await run(...args)
    assert.match(stderr, sentence)
    assert.is(stderr.trimEnd().split('\n').length, 1, stderr)
    assert.is(code, expected)
    assert.is(stdout, '')
  }

  const elsewhere = await stemma(['user', 'list'], { STEMMA_DATA: join(folder, 'mistyped') })

  assert.is(elsewhere.code, 1)
  assert.match(elsewhere.stderr, /^There is no data folder at .*mistyped/)
  assert.equal(readdirSync(folder), [])
})

test('a folder is backed up beside the server, restored and verified; damage is reported', async () => {
  const file = join(folder, 'a.tar')
  assert.match(
    await result('gc'),
    /^Packed 1 repository: \d+\.\d MB(?: are now \d+\.\d MB|, nothing saved)\.$/,
  )
  assert.match(await result('reindex'), /^Rebuilt: 1 space with 1 revision\.$/)
  assert.is(await result('verify'), 'Everything is intact.')
  assert.is(JSON.parse(await result('backup', file, '--json')).spaces, 1)

  const target = join(folder, 'restored')
  const env = { STEMMA_DATA: target }
  const restored = await stemma(['restore', file, '--verify'], env)

  assert.is(restored.code, 0, restored.stderr)
  assert.match(restored.stdout, /contains 1 space as of \d{4}-.*\nEverything is intact\.\n$/)
  const again = await stemmaHere(['restore', file], env)

  assert.is(again.code, 1)
  assert.match(again.stderr, /is not empty \(it contains "\w/)

  cpSync(target, join(folder, 'cut'), { recursive: true })
  truncateSync(join(folder, 'cut', 'stemma.db'), 40_000)
  rmSync(join(spaceFolder(target, space.id), 'objects/pack'), { recursive: true })
  const broken = await stemmaHere(['verify'], env)
  const cut = await stemmaHere(['verify'], { STEMMA_DATA: join(folder, 'cut') })

  assert.is(broken.code, 1)
  const told = broken.stdout.trimEnd().split('\n')

  assert.is(told[0], `space ${space.id}:`)
  assert.match(
    told.at(-1) ?? '',
    /^ {2}To do: Restore missing objects from a backup or a clone: "stemma repair --space .*"\.$/,
  )
  assert.is(told.filter(line => line.includes('To do: Restore missing objects')).length, 1)
  assert.match(broken.stderr, /^\d+ problems found\.$/m)
  assert.is(cut.code, 1)
  assert.match(cut.stdout + cut.stderr, /stemma\.db is damaged.*last good backup.*stemma restore/)
})

test('a backup is not restored into a folder that a server uses', async () => {
  const { code, stderr } = await run('restore', join(folder, 'a.tar'))
  assert.is(code, 1)
  assert.match(stderr, /is not empty/)
})

test.run()

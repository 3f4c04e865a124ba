import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../src/actions/repositories/space-repository.ts'
import { petstore, processed } from '../api/openapi/host.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { openSyncBench } from '../support/git/remote.ts'
import { readWays } from './ways.ts'
import { gitWays, mergePushed } from './ways-git.ts'
import { type Ground, mergeOwn, ways } from './ways-in.ts'

const allWays = { ...ways, ...gitWays }

const bench = await openSyncBench()
const { app } = bench
test.after(() => bench.stop())

const block = '{% openapi-operation spec="secret" path="/pets" method="get" %}\n'
const approval = { rule: 'require_all_reviews_approved' }

/** The users of the columns, by the word after the colon. */
const people = {
  edit: app.user('Ed', 'read'),
  review: app.user('Rev', 'read'),
  bypass: app.user('Byron', 'read'),
  admin: app.user('Adam', 'create'),
  guest: app.user('Gus', null),
}
const roles = { edit: 'edit', review: 'review', bypass: 'edit', admin: 'admin', guest: 'edit' }

const protections = {
  locked: { editMode: 'locked' },
  rules: {
    mergeRules: {
      type: 'rules',
      rules: [approval, { rule: 'allow_bypass', users: [people.bypass.id] }],
    },
  },
  own: { editMode: 'locked', mergeRules: { type: 'rules', rules: [approval] } },
  names: {},
  large: {},
}
type Protection = keyof typeof protections

/** The user for each column that names none. */
const callers: Partial<Record<string, keyof typeof people>> = {
  own: 'review',
  names: 'guest',
  large: 'admin',
}

test.before(async () => {
  await app.admin.put('/v1/orgs/acme/openapi/secret', { source: { text: petstore('secret') } })
  await processed(app, '/v1/orgs/acme/openapi/secret')
})

/** The way to write a part of a change request oneself before merging it. */
const ownOf = (way: string) => (way === 'git-push-request' ? mergePushed : mergeOwn)

async function groundFor(protection: Protection): Promise<Ground> {
  const files: Record<string, string> = {
    'README.md': '# Home\n',
    'SUMMARY.md': '# Contents\n\n* [Home](README.md)\n* [A](a.md)\n',
    'a.md': `# A\n\n${protection === 'names' ? block : 'Before\n'}`,
  }
  const { api, space } = await makeSpace(app, files)
  const page = (await app.admin.get(`${api}/content/path/a`)).body.id
  const before = (await app.admin.get(`${api}/content`)).body.id
  const change = { operation: 'update_page', page, document: { markdown: '# A\n\nNow\n' } }

  assert.is((await app.admin.post(`${api}/content`, { changes: [change] })).status, 200)

  for (const [name, actor] of Object.entries(people)) {
    const role = { role: roles[name as keyof typeof roles], users: [actor.id] }
    assert.is((await app.admin.post(`${api}/permissions`, role)).status, 204)
  }

  const text =
    { names: block, large: `${'Long words. '.repeat(950_000)}\n` }[protection as string] ??
    'Words\n'

  return { bench, api, id: space.id, page, before, text, dir: spaceFolder(app.dataDir, space.id) }
}

for (const { way, cells } of readWays())
  test(`${way}: what protects against it`, async () => {
    const found: Record<string, string> = {}
    for (const protection of Object.keys(protections) as Protection[]) {
      const columns = Object.keys(cells).filter(
        column => column.split(':')[0] === protection && cells[column] !== '-',
      )
      if (columns.length === 0) continue
      const ground = await groundFor(protection)
      const attempt = await (protection === 'own' ? ownOf(way) : allWays[way]!)(ground)
      const { status, text } = await app.admin.patch(ground.api, protections[protection])

      assert.is(status, 200, text)

      for (const column of columns) {
        const caller = (column.split(':')[1] ?? callers[column]) as keyof typeof people
        found[column] = await attempt(people[caller], app.admin)
      }
    }

    const expected = Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== '-'))
    assert.equal(found, expected)
  })

test('every way in the table is tried', () => {
  assert.equal(
    readWays()
      .map(({ way }) => way)
      .sort(),
    Object.keys(allWays).sort(),
  )
})

test.run()

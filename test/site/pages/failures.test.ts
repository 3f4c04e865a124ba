import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { gitOutside, main } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { insertPublicSite, openPage } from '../open-page.ts'

const lines: { level: number; id: string; msg: string; err: { name: string } }[] = []
const log = pino(
  { level: 'error', base: null },
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  }),
)
const app = await startApp({}, log)
test.after(() => app.stop({ damaged: true }))

const files = {
  'README.md': '# Home\n',
  'two.md': '# Two\n',
}
// The index job of a new space reads its content too, a second later.
holdSearch(app.ctx)
const { base, space } = await insertPublicSite(app, files)
const html = { accept: 'text/html' }

/**
 * Checks the page of an error of the server, and that its log has the error under the id that the
 * page names.
 */
async function checkFailure(path: string, name: string): Promise<void> {
  lines.length = 0
  const { status, headers, text } = await openPage(app, path, html)
  assert.is(status, 500, text)
  assert.is(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.is(headers.get('cache-control'), 'no-store')
  assert.match(headers.get('content-security-policy') ?? '', "default-src 'none'")
  const id = headers.get('x-request-id') as string

  assert.match(text, '<h1>')
  assert.match(text, id)
  assert.not.match(text, /SqliteError|DatabaseError|GitError|at .*\.ts|stemma repair/)

  // Jobs that read the same repository fail as well.
  const logged = lines.filter(({ msg }) => msg === 'request failed')

  assert.equal(
    logged.map(({ id, err }) => ({ id, name: err.name })),
    [{ id, name }],
  )
}

test('a browser gets a page that names the request when a repository is damaged', async () => {
  const dir = spaceRepository(app.ctx, space).dir
  const commit = gitOutside(dir, ['rev-parse', main])
  const file = join(dir, 'objects', commit.slice(0, 2), commit.slice(2))
  renameSync(file, `${file}.away`)
  await checkFailure(`${base}two`, 'GitError')
  const reply = await openPage(app, `${base}two`, { accept: 'application/json' })

  assert.equal([reply.status, JSON.parse(reply.text).error.code], [500, 500])
  renameSync(`${file}.away`, file)
  assert.is((await openPage(app, `${base}two`, html)).status, 200)
})

test('a browser gets a page that names the request when the server fails for an unknown reason', async () => {
  const run = (text: string) => app.ctx.store.run(sqlRows(sql.raw(text)))
  run('alter table site_redirect rename to away')
  await checkFailure(`${base}not-there`, 'DatabaseError')
  run('alter table away rename to site_redirect')
  assert.is((await openPage(app, `${base}not-there`, html)).status, 404)
})

test.run()

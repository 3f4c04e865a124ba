import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { readConfig } from '../../../src/config.ts'
import { start } from '../../../src/server.ts'
import { stemma, stemmaHere } from '../../cli/stemma.ts'
import { actor, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'

const secret = 'hunter2-is-the-password-of-production'
const top = mkdtempSync(join(tmpdir(), 'stemma-purge-'))
test.after(() => rmSync(top, { recursive: true, force: true }))

type Made = {
  space: string
  twin: string
  blob: string
  revisions: string[]
  token: string
  open: string
}
let made: Made
const original = join(top, 'original')

test.before(async () => {
  const app = await startApp()
  const { admin } = app
  const space = (await admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id as string
  const path = `/v1/spaces/${space}`
  const revisions: string[] = []
  const write = async (where: string, changes: object[]) => {
    const done = await admin.post(`${where}/content`, { changes })
    assert.is(done.status, 200, done.text)
    revisions.push(done.body.revision)
    return done.body
  }

  const page = (title: string, markdown: string) => ({
    operation: 'insert_page',
    title,
    document: { markdown },
  })

  await write(path, [page('Before', '# Before\n')])
  await write(path, [page('Leak', `# Leak\n\n${secret}\n`)])
  await write(path, [page('After', '# After\n')])

  for (const subject of ['Merged', 'Open']) {
    const request = (await admin.post(`${path}/change-requests`, { subject })).body
    await write(`${path}/change-requests/${request.number}`, [page(subject, `# ${subject}\n`)])
    if (subject === 'Open') break
    const merged = await admin.post(`${path}/change-requests/${request.number}/merge`)
    assert.is(merged.body.result, 'merge', merged.text)
  }

  const review = await admin.post(`${path}/comments`, { body: { markdown: 'Look' } })

  assert.is(review.status, 200, review.text)
  const twin = (await admin.post(`${path}/duplicate`)).body.id as string
  const dir = spaceFolder(app.dataDir, space)

  gitOutside(dir, ['tag', '-a', 'v1', '-m', 'one', 'main'])
  gitOutside(dir, ['update-ref', 'refs/heads/wip', 'main~1'])
  const blob = gitOutside(dir, ['rev-parse', 'main:leak.md'])

  app.ctx.store.checkpoint()
  cpSync(app.dataDir, original, {
    recursive: true,
    filter: name => !/^(?:lock\.|stemma\.db-lock)/.test(basename(name)),
  })
  made = { space, twin, blob, revisions, token: admin.token, open: '2' }
  await app.stop()
})

/** Copies the data folder, to run commands where no server runs. */
function copy(name: string): string {
  const dataDir = join(top, name)
  cpSync(original, dataDir, { recursive: true })
  return dataDir
}

function holds(dataDir: string, space: string): boolean {
  try {
    execFileSync('git', [`--git-dir=${spaceFolder(dataDir, space)}`, 'cat-file', '-e', made.blob], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

async function checkSound(dataDir: string): Promise<void> {
  const { code, stdout, stderr } = await stemmaHere(['verify'], { STEMMA_DATA: dataDir })
  assert.is(code, 0, stdout + stderr)
}

/** Reads a purged space through the API. */
async function checkServed(dataDir: string): Promise<void> {
  const server = await start(
    readConfig({ STEMMA_DATA: dataDir, PORT: '0', NODE_ENV: 'test' }),
    pino({ level: 'silent' }),
  )
  try {
    const admin = actor(server.url, 'ada', made.token)
    const path = `/v1/spaces/${made.space}`
    const leak = await admin.get(`${path}/content/path/leak?format=markdown`)
    assert.is(leak.status, 200, leak.text)
    assert.not(leak.text.includes(secret))
    assert.match(leak.text, /This file was removed/)
    assert.is((await admin.get(`${path}/content/path/after`)).status, 200)
    const listed = (await admin.get(`${path}/revisions?limit=50`)).body.items as { id: string }[]

    assert.ok(listed.length >= 4)
    const [before, leaked] = made.revisions as [string, string]

    assert.ok(
      listed.some(({ id }) => id === before),
      'earlier revisions are unchanged',
    )
    const old = await admin.get(`${path}/revisions/${leaked}`)

    assert.is(old.status, 404)
    const now = /replacement is ([0-9a-f]{40})/.exec(old.body.error.message)?.[1]

    assert.ok(
      listed.some(({ id }) => id === now),
      old.text,
    )
    const request = await admin.get(`${path}/change-requests/${made.open}`)

    assert.is(request.status, 200, request.text)
    assert.is((await admin.post(`${path}/change-requests/${made.open}/merge`)).body.result, 'merge')
    const events = await admin.get(
      '/v1/orgs/acme/audit-events?action=space.content_updated&limit=100',
    )
    if (events.status === 200)
      assert.ok(events.text.includes(made.blob), 'the audit log records the purge')
  } finally {
    await server.stop()
  }
}

test('without --yes a purge prints what it would do and changes nothing', async () => {
  const dataDir = copy('dry')
  const env = { STEMMA_DATA: dataDir }
  const heads = gitOutside(spaceFolder(dataDir, made.space), ['for-each-ref'])
  const run = await stemmaHere(['purge-content', made.space, '--path', 'leak.md', '--json'], env)

  assert.is(run.code, 0, run.stderr)
  const plan = JSON.parse(run.stdout)

  assert.equal(plan.blobs, [{ oid: made.blob, paths: ['leak.md'] }])
  assert.ok(
    plan.commits >= 4 && plan.refs.includes('refs/heads/wip') && plan.refs.includes('refs/tags/v1'),
  )
  assert.equal(plan.elsewhere, [made.twin])
  assert.is(plan.done, false)
  assert.is(gitOutside(spaceFolder(dataDir, made.space), ['for-each-ref']), heads)
  assert.ok(holds(dataDir, made.space))
  await checkSound(dataDir)

  for (const [args, code] of [
    [['--path', 'none.md'], 1],
    [[], 2],
    [['--blob', 'x'], 2],
    [['--blob', `${'0'.repeat(39)}1`], 1],
  ] as const)
    assert.is(
      (await stemmaHere(['purge-content', made.space, ...args], env)).code,
      code,
      args.join(' '),
    )
})

test('a purge removes a file from every revision, object and row, and the space keeps working', async () => {
  const dataDir = copy('purged')
  const env = { STEMMA_DATA: dataDir }
  const run = await stemmaHere(['purge-content', made.space, '--blob', made.blob, '--yes'], env)
  assert.is(run.code, 0, run.stderr)
  assert.match(run.stdout, new RegExp(`Also in 1 other space, .*${made.twin}`))
  assert.not(holds(dataDir, made.space))
  assert.ok(holds(dataDir, made.twin), 'other spaces keep the blob')
  const dir = spaceFolder(dataDir, made.space)

  assert.not(gitOutside(dir, ['log', '--all', '-p', '-m']).includes(secret))
  assert.match(
    gitOutside(dir, ['cat-file', '-p', 'v1']),
    /^object [0-9a-f]{40}\ntype commit\ntag v1/,
  )
  await checkSound(dataDir)
  const database = new Database(join(dataDir, 'stemma.db'), { readonly: true })

  database.prepare('attach ? as derived').run(join(dataDir, 'derived.db'))

  for (const table of ['blob_facts', 'blob_links', 'blob_media'])
    assert.is(
      database.prepare(`select count(*) from ${table} where oid = ?`).pluck().get(made.blob),
      0,
      table,
    )

  assert.is(database.prepare('select count(*) from content_purge').pluck().get(), 0)
  assert.equal(
    database
      .prepare(
        'select oid from service_commit where space_id = ? and oid in (select old_oid from rewritten_commit)',
      )
      .pluck()
      .all(made.space),
    [],
    'service commits are recorded under their new ids',
  )
  database.close()
  await checkServed(dataDir)

  // Once the twin is purged too, no space holds the blob.
  const twin = await stemmaHere(
    ['purge-content', made.twin, '--path', 'leak.md', '--yes', '--text', 'Gone'],
    env,
  )

  assert.is(twin.code, 0, twin.stderr)
  assert.not(holds(dataDir, made.twin))
  assert.is(gitOutside(spaceFolder(dataDir, made.twin), ['show', 'main:leak.md']), 'Gone')
  for (const name of readdirSync(dataDir).filter(name => name.startsWith('derived.db')))
    assert.not(readFileSync(join(dataDir, name)).includes(secret), name)
  await checkSound(dataDir)
  assert.not(existsSync(join(dataDir, 'prints', made.space)))
})

test('a killed purge has either changed nothing or is finished by the next start', async () => {
  for (const at of ['W1', 'W4', 'W5'] as const) {
    const dataDir = copy(`killed-${at}`)
    const args = ['purge-content', made.space, '--path', 'leak.md', '--yes']
    const killed = await stemma(args, { STEMMA_DATA: dataDir, STEMMA_CRASH_AT: at })
    assert.is(killed.code, null, `${at}: ${killed.stdout}${killed.stderr}`)

    if (at === 'W1') {
      assert.ok(holds(dataDir, made.space))
      const again = await stemmaHere(args, { STEMMA_DATA: dataDir })
      assert.is(again.code, 0, again.stderr)
    }

    await checkServed(dataDir)
    assert.not(holds(dataDir, made.space), at)
    await checkSound(dataDir)
  }
})

test.run()

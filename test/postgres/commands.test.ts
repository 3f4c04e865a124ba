import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Run, startStemma, stemmaHere } from '../cli/stemma.ts'
import { actor } from '../support/app.ts'
import { type Bench, openBench } from './bench.ts'
import { postgresSuite } from './suite.ts'

let bench: Bench
let folder: string
let node: ReturnType<typeof startStemma>
let url: string
const token = `stm_${'c'.repeat(43)}`
const key = randomBytes(32).toString('base64')

const settings = (): Record<string, string> => ({
  STEMMA_DATA: folder,
  STEMMA_DATABASE: bench.url,
  STEMMA_DATABASE_SECONDS: '30',
  STEMMA_KEYS: key,
})

const test = postgresSuite(
  'the command line with PostgreSQL',
  async () => {
    bench = await openBench()
    folder = mkdtempSync(join(tmpdir(), 'stemma-cli-'))
    node = startStemma(['serve'], {
      ...settings(),
      PORT: '0',
      STEMMA_ADMIN_TOKEN: token,
      STEMMA_LOG: 'silent',
      STEMMA_MANUAL: 'false',
    })
    url = (await node.says(/http:\/\/127\.0\.0\.1:\d+/))[0]
  },
  async () => {
    node?.kill('SIGTERM')
    await node?.ended
    bench?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  },
)

const run = (args: string[], env: Record<string, string> = {}): Promise<Run> =>
  stemmaHere(args, { ...settings(), ...env })

async function result(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args)
  assert.is(code, 0, stderr)
  return stdout.trimEnd()
}

/** Runs a command that is refused, and returns why. */
async function refusal(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stderr } = await run(args, env)
  assert.is(code, 2, stderr)
  return stderr
}

test('the first start created the admin, and commands on rows work beside the server', async () => {
  const member = ['--name', 'Grace', '--email', 'grace@example.org', '--role', 'edit']
  const id = await result('user', 'create', ...member)
  assert.match(await result('user', 'list'), /admin[\s\S]*Grace/)
  const secret = await result('token', 'create', '--user', id, '--name', 'ci')
  const grace = actor(url, id, secret)
  assert.is((await grace.get('/v1/user')).body.id, id)
  const [row] = JSON.parse(await result('token', 'list', '--user', id, '--json'))
  await result('token', 'revoke', row.id)
  assert.is((await grace.get('/v1/user')).status, 401)
  await result('user', 'disable', id)
  await result('user', 'enable', id)
  await result('org', 'create', '--id', 'other', '--title', 'Other', '--admin', 'admin')
  assert.match(await result('org', 'list'), /other/)
  await result('org', 'rotate-key', 'other')
  assert.match(await result('open'), new RegExp(`^${url}/`))
})

test('repositories are checked, packed and indexed beside the server', async () => {
  const admin = actor(url, 'admin', token)
  const { status, body } = await admin.post('/v1/orgs/default/spaces', { title: 'Handbook' })
  assert.is(status, 201)
  assert.is(await result('verify'), 'Everything is intact.')
  assert.match(await result('gc', '--full'), /Packed 1 repository/)
  assert.match(await result('reindex'), /Rebuilt: 1 space with 1 revision/)
  assert.match(await result('reindex', '--space', body.id), /Rebuilt: 1 space/)
  assert.is(await result('verify'), 'Everything is intact.')
  assert.is((await admin.get(`/v1/spaces/${body.id}/content`)).status, 200)
})

test('rows of a repository that belongs to nothing are found', async () => {
  const database = new URL(bench.url).pathname.slice(1)
  await bench.cluster.query(
    `insert into ref (space_id, name, oid) values ('none', 'refs/heads/main', '${'1'.repeat(40)}')`,
    database,
  )
  const { code, stdout, stderr } = await run(['verify'])
  await bench.cluster.query(`delete from ref where space_id = 'none'`, database)
  assert.is(code, 1, stderr)
  assert.match(stdout + stderr, /table ref has rows of the repository none/)
  assert.match(stdout + stderr, /stemma repair --loose/)
  assert.is(await result('verify'), 'Everything is intact.')
})

test('commands for a folder, or for a database, say what to do instead', async () => {
  assert.match(await refusal(['restore', 'none.tar']), /Unset STEMMA_DATABASE/)
  for (const option of ['--loose', '--set-back'])
    assert.match(
      await refusal(['repair', option], {
        STEMMA_DATABASE: '',
        STEMMA_DATABASE_SECONDS: '',
        STEMMA_KEYS: '',
      }),
      new RegExp(`${option} is for a database`),
    )
})

test('the secrets of rows are sealed with the first key when the keys are exchanged', async () => {
  assert.match(await refusal(['key', 'rotate']), /Put a new one in front/)
  const keys = `${randomBytes(32).toString('base64')},${key}`
  const { code, stdout } = await run(['key', 'rotate', '--json'], { STEMMA_KEYS: keys })
  assert.is(code, 0)
  // The key of an organization.
  assert.ok(JSON.parse(stdout).sealed >= 1)
  const former = await run(['user', 'list'])
  assert.is(former.code, 1)
  assert.match(former.stderr, /used with another key/)
  const back = await run(['key', 'rotate', '--json'], {
    STEMMA_KEYS: `${key},${keys.split(',')[0]}`,
  })
  assert.is(back.stdout, stdout)
})

test('keys and a folder are asked for, and a folder with rows of its own is refused', async () => {
  const env = { STEMMA_DATA: join(folder, 'none') }
  const { code, stderr } = await run(['user', 'list'], env)
  assert.is(code, 1)
  assert.match(stderr, /There is no folder/)
  assert.match(await refusal(['user', 'list'], { STEMMA_KEYS: '' }), /without STEMMA_KEYS/)
  assert.match(await refusal(['serve'], { STEMMA_KEYS: '' }), /without STEMMA_KEYS/)
  const own = mkdtempSync(join(folder, 'own-'))
  writeFileSync(join(own, 'stemma.db'), '')
  assert.match(await refusal(['serve'], { STEMMA_DATA: own }), /has rows too/)
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { openSyncBench, type SyncBench } from '../support/git/remote.ts'
import { commitFiles, gitOutside } from '../support/git/repo.ts'
import { type Run, stemma, stemmaHere } from './stemma.ts'

let bench: SyncBench
const login = 'ci:pass-word-of-the-remote'

test.before(async () => {
  bench = await openSyncBench(login)
})
test.after(async () => {
  await bench.stop()
})

const here = () => ({ STEMMA_URL: bench.app.url, STEMMA_TOKEN: bench.app.admin.token })
const run = (args: string[], env: Record<string, string> = {}): Promise<Run> =>
  stemmaHere(args, { ...here(), ...env })
const result = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(args)
  assert.is(code, 0, stderr)
  return stdout.trimEnd()
}

test('a space is created, listed, imported into and exported, with only the result on stdout', async () => {
  const dir = bench.remote('docs', { 'README.md': '# Docs\n' })
  const tip = gitOutside(dir, ['rev-parse', 'main'])
  const space = await result('space', 'create', '--org', 'acme', '--title', 'Docs')
  assert.match(await result('space', 'list', '--org', 'acme'), new RegExp(`^ID .*\n${space} +Docs`))

  const remote = `${bench.host.origin.replace('//', `//${login}@`)}/docs.git`
  const secret = { STEMMA_REMOTE_URL: remote }
  const imported = await stemma(['import', space, '--ref', 'main', '--wait'], {
    ...here(),
    ...secret,
  })

  assert.is(imported.code, 0, imported.stderr)
  assert.is(imported.stdout, `${tip}\n`)

  // Plain lines for a log; a bar is only for a terminal.
  assert.not.match(imported.stderr, /\x1b|\r|\[#/)

  await commitFiles(spaceRepository(bench.app.ctx, space), { 'new.md': '# New\n' })
  const exported = await run(['export', space, '--message', 'Publish', '--wait', '--json'], secret)

  assert.is(exported.code, 0, exported.stderr)
  const operation = JSON.parse(exported.stdout)

  assert.is(operation.state, 'success')
  assert.is(gitOutside(dir, ['rev-parse', 'main']), operation.revision)

  const failed = await run(['import', space, '--ref', 'nope', '--wait', '--url', remote])

  assert.is(failed.code, 1)
  assert.is(failed.stdout, '')
  assert.match(failed.stderr, /no branch "nope"/)
  for (const { stdout, stderr } of [imported, exported, failed])
    assert.not.match(stdout + stderr, /pass-word/)
})

test('a change request is created, compared, merged and updated; conflicts exit with 1', async () => {
  const space = await bench.space('Changes')
  const repo = spaceRepository(bench.app.ctx, space)
  const at = ['change-request']
  assert.is(await result(...at, 'create', space, '--subject', 'One'), '1')
  assert.is(await result(...at, 'create', space, '--subject', 'Two'), '2')
  await commitFiles(repo, { 'README.md': '# One\n' }, { ref: 'refs/heads/change-requests/1' })
  await commitFiles(repo, { 'README.md': '# Two\n' }, { ref: 'refs/heads/change-requests/2' })
  const diff = await result(...at, 'diff', space, '1')

  assert.match(diff, /^diff --git a\/README\.md b\/README\.md\n(.*\n)*\+# One$/m)
  const changes = JSON.parse(await result(...at, 'diff', space, '1', '--json')).changes

  assert.is(changes[0].type, 'page_edited')
  const merged = await result(...at, 'merge', space, '1')

  assert.is(merged, gitOutside(repo.dir, ['rev-parse', 'main']))
  assert.match(
    await result(...at, 'list', space, '--status', 'merged'),
    /^NUMBER .*\n1 +merged +\S+ +One$/,
  )

  const conflicts = await run([...at, 'update', space, '2'])

  assert.is(conflicts.code, 1)
  assert.is(conflicts.stdout, '')
  assert.match(
    conflicts.stderr,
    /nothing was merged:\n {2}README\.md \(.*\)\n {4}line 1\n {4}< # Two\n(.*\n)* {4}> # One\n/,
  )
  const listed = await run([...at, 'conflicts', space, '2'])
  assert.equal([listed.code, listed.stdout, listed.stderr], [1, '', conflicts.stderr])
  const [conflict] = JSON.parse((await run([...at, 'conflicts', space, '2', '--json'])).stdout)
  assert.is(conflict.hunks[0].theirs, '# One\n')

  assert.match(conflicts.stderr, new RegExp(`update ${space} 2 --take ours\\|theirs\n`))
  assert.match(
    conflicts.stderr,
    new RegExp(`POST /v1/spaces/${space}/change-requests/2/update {"resolutions"`),
  )
  const updated = await result(...at, 'update', space, '2', '--take', 'ours')
  assert.is(await result(...at, 'conflicts', space, '2'), '')

  assert.is(gitOutside(repo.dir, ['show', `${updated}:README.md`]), '# Two')
  assert.is(gitOutside(repo.dir, ['rev-parse', 'change-requests/2^2']), merged)
  assert.is((await run([...at, 'update', space, '2', '--take', 'mine'])).code, 2)

  assert.is(await result(...at, 'merge', space, '2'), gitOutside(repo.dir, ['rev-parse', 'main']))
  const none = await run([...at, 'list', space])

  assert.equal(none, {
    code: 0,
    stdout: '',
    stderr: 'No open change requests. Use --status merged to list others.\n',
  })
  const archived = await run([...at, 'list', space, '--status', 'archived'])

  assert.is(archived.stderr, 'No archived change requests. Use --status merged to list others.\n')
  assert.equal(JSON.parse(await result(...at, 'list', space, '--json')), [])

  const again = await run([...at, 'merge', space, '1'])

  assert.is(again.code, 1)
  assert.is(again.stderr.trimEnd().split('\n').length, 1, again.stderr)
})

test('only an admin merges past the rules with an option, and only an admin is told of it', async () => {
  const { app } = bench
  const space = await bench.space('Ruled')
  const mergeRules = { type: 'rules', rules: [{ rule: 'require_at_least_one_review' }] }
  assert.is((await app.admin.patch(`/v1/spaces/${space}`, { mergeRules })).status, 200)
  await result('change-request', 'create', space, '--subject', 'One')
  const head = 'refs/heads/change-requests/1'

  await commitFiles(spaceRepository(app.ctx, space), { 'README.md': '# One\n' }, { ref: head })
  const merge = ['change-request', 'merge', space, '1']
  const told = await run(merge)

  assert.is(told.code, 1)
  assert.match(
    told.stderr,
    /rules of the space are not met.* As an admin, you can merge regardless with --bypass-rules\.\n$/,
  )
  const rae = { STEMMA_TOKEN: app.user('Rae', 'review').token }

  for (const more of [[], ['--bypass-rules']]) {
    const refused = await run([...merge, ...more], rae)
    assert.is(refused.code, 1)
    assert.not.match(refused.stderr, /bypass/)
  }

  const merged = await result(...merge, '--bypass-rules')

  assert.is(merged, gitOutside(spaceRepository(app.ctx, space).dir, ['rev-parse', 'main']))
})

test('a merge and a space are reverted as change requests, whose numbers are printed', async () => {
  const { app } = bench
  const space = await bench.space('Reverted')
  const repo = spaceRepository(app.ctx, space)
  const old = gitOutside(repo.dir, ['rev-parse', 'main'])
  await result('change-request', 'create', space, '--subject', 'One')
  await commitFiles(repo, { 'README.md': '# One\n' }, { ref: 'refs/heads/change-requests/1' })
  await result('change-request', 'merge', space, '1')

  assert.is(await result('change-request', 'revert', space, '1'), '2')
  assert.is(await result('space', 'revert', space, old), '3')
  for (const number of [2, 3])
    assert.is(
      gitOutside(repo.dir, ['rev-parse', `change-requests/${number}^{tree}`]),
      gitOutside(repo.dir, ['rev-parse', `${old}^{tree}`]),
    )

  await commitFiles(repo, { 'README.md': '# Two\n' })
  const conflict = await run(['change-request', 'revert', space, '1'])
  assert.is(conflict.code, 1)
  assert.match(conflict.stderr, /README\.md \(content\)[\s\S]*--take ours\|theirs/)
  assert.is(await result('change-request', 'revert', space, '1', '--take', 'theirs'), '4')
})

test('an invalid time is reported with the name of the flag', async () => {
  const space = await result('space', 'create', '--title', 'Times', '--org', 'acme')
  const args = ['import', space, '--url', 'https://example.org/x.git', '--timestamp', 'yesterday']
  const { code, stderr } = await run(args)
  assert.is(code, 1)
  assert.is(stderr, '--timestamp takes a time such as 2026-01-31T12:00:00Z.\n')
})

test('an invalid token, server or address is reported in a sentence', async () => {
  const cases: [env: Record<string, string>, code: number, sentence: RegExp][] = [
    [{ STEMMA_TOKEN: '' }, 2, /^Set STEMMA_TOKEN/],
    [{ STEMMA_TOKEN: 'stm_wrong' }, 1, /rejected the token/],
    [{ STEMMA_URL: 'localhost' }, 2, /^STEMMA_URL is "localhost"; it must be an http or https URL/],
    [{ STEMMA_URL: 'http://127.0.0.1:9' }, 1, /^No answer from http:\/\/127\.0\.0\.1:9/],
    [{ STEMMA_URL: `${bench.app.url}/elsewhere` }, 1, /There is no operation GET \/elsewhere/],
  ]
  for (const [env, expected, sentence] of cases) {
    const { code, stdout, stderr } = await run(['space', 'list', '--org', 'acme'], env)
    assert.match(stderr, sentence)
    assert.is(stderr.trimEnd().split('\n').length, 1, stderr)
    assert.is(code, expected)
    assert.is(stdout, '')
  }
})

test.run()

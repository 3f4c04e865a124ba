import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { stemmaHere } from './stemma.ts'

const app = await startApp()
const top = mkdtempSync(join(tmpdir(), 'stemma-request-'))
test.after(async () => {
  rmSync(top, { recursive: true, force: true })
  await app.stop()
})

const run = (args: string[], { token } = app.admin) =>
  stemmaHere(['publish', ...args, '--org', 'acme'], {
    HOME: top,
    STEMMA_URL: app.url,
    STEMMA_TOKEN: token,
  })

/** Writes the start page of a folder, and returns the path of the folder. */
function folder(name: string, text: string): string {
  const path = join(top, name)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'README.md'), `# Start\n\n${text}\n`)
  return path
}

async function done(args: string[], by = app.admin) {
  const { code, stdout, stderr } = await run(args, by)
  assert.is(code, 0, stderr)
  return { stdout: stdout.trimEnd(), stderr }
}

async function publishedSpace(path: string): Promise<string> {
  const { stdout } = await done([path, '--json'])
  return JSON.parse(stdout).space
}

const startOf = async (content: string): Promise<string> =>
  (await app.admin.get(`/v1/spaces/${content}/content/path/readme?format=markdown`)).body.markdown

test('a folder is sent into a change request, and the next run goes on with it', async () => {
  const space = await publishedSpace(folder('handbook', 'One.'))
  const path = folder('handbook', 'Two. [gone](gone.md)')
  const first = await done([path, '--change-request'])

  assert.match(first.stdout, /^http\S+\/app\/s\/\w+\/changes\/1$/)
  assert.match(first.stderr, /^Change request #1 of the space \w+: Update from handbook$/m)
  assert.match(first.stderr, /^0 files added, 1 changed, 0 removed\.$/m)
  assert.match(first.stderr, /^1 broken link in README\.md, line 3: gone\.md$/m)
  assert.is(await startOf(space), '# Start\n\nOne.\n')
  assert.match(await startOf(`${space}/change-requests/1`), /Two/)
  const again = await done([path, '--change-request'])

  assert.is(again.stdout, first.stdout)
  assert.match(again.stderr, /^Nothing has changed\.$/m)
  folder('handbook', 'Three.')
  await done([path, '--change-request'])
  assert.match(await startOf(`${space}/change-requests/1`), /Three/)
  const other = JSON.parse((await done([path, '--change-request', 'my-branch', '--json'])).stdout)

  assert.equal(
    [other.changeRequest.number, other.changeRequest.subject, other.space, other.filesChanged],
    [2, 'my-branch', space, 1],
  )
  assert.is(other.site, undefined)
})

test('a change request of somebody else, and one that is not open, is left alone', async () => {
  const path = folder('shared', 'One.')
  const space = await publishedSpace(path)
  await done([path, '--change-request', 'Topic'], app.user('Edna', 'edit'))
  assert.match((await done([path, '--change-request', 'Topic'])).stdout, /changes\/2$/)
  await app.admin.patch(`/v1/spaces/${space}/change-requests/2`, { status: 'archived' })
  assert.match((await done([path, '--change-request', 'Topic'])).stdout, /changes\/3$/)
})

test('where a folder is not taken without a change request, the refusal names the option', async () => {
  const path = folder('locked', 'One.')
  const space = await publishedSpace(path)
  const editor = app.user('Eve', 'edit')
  folder('locked', 'Two.')

  for (const settings of [
    { editMode: 'locked' },
    {
      editMode: 'live',
      mergeRules: { type: 'rules', rules: [{ rule: 'require_change_request_subject' }] },
    },
  ]) {
    await app.admin.patch(`/v1/spaces/${space}`, settings)
    const refused = await run([path], editor)
    assert.is(refused.code, 1)
    assert.match(refused.stderr, /With "--change-request", this command sends the folder as one\./)
  }

  const { stdout } = await done([path, '--change-request', '--space', space], editor)

  assert.match(stdout, /\/app\/s\/\w+\/changes\/1$/)
})

test('each refusal says what to do, and opens no change request', async () => {
  const path = folder('new', 'One.')
  const cases: [args: string[], sentence: RegExp, code: number][] = [
    [[path, '--change-request'], /no site "new" with a space .*"--space"/, 1],
    [['--change-request', path], /is a folder\. Name the folder first/, 2],
    [[path, '--change-request', '--members'], /cannot be used with option '--members'/, 2],
    [[path, '--change-request', '--space', 'nothing'], /nothing/, 1],
  ]

  for (const [args, sentence, code] of cases) {
    const got = await run(args)
    assert.equal([got.code, got.stdout], [code, ''], got.stderr)
    assert.match(got.stderr, sentence)
  }

  assert.is(
    (await app.admin.get('/v1/orgs/acme/sites?limit=100')).body.items.some(
      ({ basename }: { basename: string }) => basename === 'new',
    ),
    false,
  )
})

test.run()

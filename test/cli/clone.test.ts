import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readClone } from '../../src/cli/clone/read-clone.ts'
import { openSyncBench, type SyncBench } from '../support/git/remote.ts'
import { gitOutside } from '../support/git/repo.ts'
import { type Run, stemmaHere } from './stemma.ts'

let bench: SyncBench
let folder: string
const before = process.cwd()

test.before(async () => {
  bench = await openSyncBench()
  folder = mkdtempSync(join(tmpdir(), 'stemma-clone-'))
})
test.after(async () => {
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
  await bench.stop()
})

const run = (args: string[]): Promise<Run> =>
  stemmaHere(args, { STEMMA_URL: bench.app.url, STEMMA_TOKEN: bench.app.admin.token })

test('an import in a clone takes the remote, the branch and the folder of the clone', async () => {
  const dir = bench.remote('cloned', { 'docs/README.md': '# Docs\n', 'code.ts': '\n' })
  gitOutside(dir, ['branch', 'next', 'main'])
  const clone = join(folder, 'clone')

  // The host runs in this process, which a synchronous clone over HTTP would block.
  gitOutside(folder, ['clone', '--quiet', '--branch', 'next', dir, clone])
  gitOutside(clone, ['remote', 'set-url', 'origin', `${bench.host.origin}/cloned.git`])
  appendFileSync(join(clone, 'docs/README.md'), 'Not committed.\n')
  process.chdir(join(clone, 'docs'))
  const space = await bench.space('Cloned')
  const { code, stderr } = await run(['import', space, '--wait'])

  assert.is(code, 0, stderr)
  assert.match(stderr, /^1 file with uncommitted changes: these are not imported\.$/m)
  const files = bench.git(space, 'ls-tree', '-r', '--name-only', 'HEAD')

  assert.is(files, 'README.md')
})

test('without a URL, a clone or a usable remote, the command says what to do', async () => {
  const space = await bench.space('Refused')
  const plain = join(folder, 'plain')
  mkdirSync(plain)
  process.chdir(plain)
  const nowhere = await run(['import', space])

  assert.is(nowhere.code, 2)
  assert.match(nowhere.stderr, /--url or STEMMA_REMOTE_URL, or run the command in a clone/)

  gitOutside(plain, ['init', '--quiet', '-b', 'main'])
  gitOutside(plain, ['remote', 'add', 'origin', 'git@example.org:docs.git'])
  const overSsh = await run(['export', space, '--message', 'x'])

  assert.is(overSsh.code, 2)
  assert.match(overSsh.stderr, /does not have an http or https URL/)
})

test('the state of a clone: detached, unpushed, without a remote', async () => {
  const dir = bench.remote('states', { 'README.md': '# Docs\n' })
  const clone = join(folder, 'states')
  gitOutside(folder, ['clone', '--quiet', dir, clone])
  gitOutside(clone, ['commit', '--quiet', '--allow-empty', '-m', 'Local'])
  const ahead = await readClone(clone)

  assert.is(ahead?.unpushed, 1)
  assert.is(ahead?.branch, 'main')
  assert.is(ahead?.directory, '')
  gitOutside(clone, ['checkout', '--quiet', '--detach'])
  gitOutside(clone, ['remote', 'remove', 'origin'])
  const detached = await readClone(clone)

  assert.is(detached?.branch, undefined)
  assert.is(detached?.url, undefined)
  assert.is(await readClone(join(folder, 'plain', 'missing')), undefined)
})

test.run()

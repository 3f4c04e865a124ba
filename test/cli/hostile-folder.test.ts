import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listWorkTree } from '../../src/cli/clone/list-work-tree.ts'
import { readClone } from '../../src/cli/clone/read-clone.ts'
import { listFiles } from '../../src/cli/source/list-files.ts'
import { startApp } from '../support/app.ts'
import { stemma } from './stemma.ts'

const bin = new URL('../../bin/stemma.js', import.meta.url).pathname
const app = await startApp()
const top = mkdtempSync(join(tmpdir(), 'stemma-hostile-folder-'))
const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Handbook' })
const ran = join(top, 'ran')
const program = join(top, 'program')
writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${ran}'\ncat\n`)
chmodSync(program, 0o755)
test.after(async () => {
  rmSync(top, { recursive: true, force: true })
  await app.stop()
})
test.before.each(() => rmSync(ran, { force: true }))

const git = (path: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-C', path, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args],
    {
      encoding: 'utf8',
    },
  )

/** The settings with which Git starts a program. */
const settings = `
[core]
  fsmonitor = ${program}
  hooksPath = ${top}/hooks
  sshCommand = ${program}
  pager = ${program}
  editor = ${program}
  askPass = ${program}
  alternateRefsCommand = ${program}
  gitProxy = ${program}
[pager]
  status = ${program}
  clone = ${program}
  ls-files = ${program}
  remote = ${program}
[sequence]
  editor = ${program}
[diff]
  external = ${program}
[diff "evil"]
  command = ${program}
  textconv = ${program}
[filter "evil"]
  clean = ${program}
  smudge = ${program}
  process = ${program}
  required = true
[filter "with=sign"]
  clean = ${program}
  required = true
[merge "evil"]
  driver = ${program}
[gpg]
  program = ${program}
[credential]
  helper = !${program}
[alias]
  status = !${program}
  ls-files = !${program}
  remote = !${program}
  clone = !${program}
[include]
  path = more
[includeIf "gitdir:**"]
  path = more
`

/** Creates a work tree whose Git settings name a program wherever they can. */
function hostileFolder(name: string): string {
  const path = join(top, name)
  mkdirSync(join(path, 'sub'), { recursive: true })

  for (const [file, text] of [
    ['README.md', '# Start\n'],
    ['other.md', '# Other\n'],
    ['sub/a.md', '# A\n'],
    ['.gitattributes', '*.md filter=evil diff=evil merge=evil\nother.md filter=with=sign\n'],
  ] as const)
    writeFileSync(join(path, file), text)

  git(path, 'init', '-q', '-b', 'main')
  git(path, 'add', '.')
  git(path, 'commit', '-q', '-m', 'Start')
  git(path, 'remote', 'add', 'origin', 'https://git.example.org/handbook.git')
  const nested = join(path, 'module')

  git(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', path, 'module')
  git(path, 'commit', '-q', '-m', 'Module')
  mkdirSync(join(top, 'hooks'), { recursive: true })

  for (const folder of [join(top, 'hooks'), join(path, '.git/hooks')])
    for (const hook of [
      'post-index-change',
      'fsmonitor-watchman',
      'reference-transaction',
      'post-checkout',
    ]) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, hook), `#!/bin/sh\nexec ${program}\n`)
      chmodSync(join(folder, hook), 0o755)
    }

  // The file is touched, so that a status compares its content.
  writeFileSync(join(path, 'README.md'), '# Start\n')
  writeFileSync(join(path, 'other.md'), '# Other!\n')
  for (const config of [join(path, '.git/config'), join(path, '.git/modules/module/config')])
    writeFileSync(config, settings, { flag: 'a' })
  writeFileSync(join(path, '.git/more'), `[filter "included"]\n  clean = ${program}\n`)
  writeFileSync(join(nested, 'README.md'), '# Changed\n')

  return path
}

const nothingRan = () => assert.not(existsSync(ran), 'a program of the folder was started')

test('control: git itself starts the programs of the folder', () => {
  const path = hostileFolder('control')
  execFileSync('git', ['-C', path, '-c', 'alias.x=', 'ls-files', '--others'], { stdio: 'pipe' })
  assert.ok(existsSync(ran))
})

test('publishing a folder starts none of its programs', async () => {
  const path = hostileFolder('publish')
  const env = { STEMMA_URL: app.url, STEMMA_TOKEN: app.admin.token }
  const { code, stderr } = await stemma(['publish', path, '--org', 'acme'], env)
  assert.is(code, 0, stderr)
  nothingRan()
  assert.equal((await listWorkTree(path))?.sort(), [
    '.gitattributes',
    '.gitmodules',
    'README.md',
    'module',
    'other.md',
    'sub/a.md',
  ])
})

test('reading a clone starts none of its programs, and sees what was changed', async () => {
  const path = hostileFolder('clone')
  const { root, ...clone } = (await readClone(join(path, 'sub'))) ?? {}
  nothingRan()
  assert.equal(clone, {
    url: 'https://git.example.org/handbook.git',
    branch: 'main',
    directory: 'sub',
    unpushed: 0,
    uncommitted: 1,
  })
})

test('a tracked symbolic link to a file that Git ignores is left out', async () => {
  const path = join(top, 'ignored-target')
  mkdirSync(path)
  git(path, 'init', '-q')
  writeFileSync(join(path, '.gitignore'), 'secret.md\n')
  writeFileSync(join(path, 'README.md'), '# Docs\n')
  writeFileSync(join(path, 'secret.md'), '# Secret\n')
  symlinkSync('secret.md', join(path, 'page.md'))
  symlinkSync('README.md', join(path, 'copy.md'))
  git(path, 'add', '-A')

  const { files, links } = await listFiles(path)
  assert.equal(
    files.map(file => file.path),
    ['README.md', 'copy.md'],
  )
  assert.equal(links, ['page.md'])
})

test('a file that the index names below a symbolic link is not read', async () => {
  const path = join(top, 'linked')
  mkdirSync(path)
  writeFileSync(join(path, 'README.md'), '# Start\n')
  git(path, 'init', '-q')
  const outside = join(top, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.md'), '# Secret\n')
  const blob = git(path, 'hash-object', '-w', 'README.md').trim()
  git(path, 'update-index', '--add', '--cacheinfo', `100644,${blob},away/secret.md`)
  symlinkSync(outside, join(path, 'away'))

  const { files, links } = await listFiles(path)
  assert.equal(
    files.map(file => file.path),
    ['README.md'],
  )
  assert.equal(links, ['away'])
})

test('missing objects are not fetched', async () => {
  const path = hostileFolder('partial')
  git(path, 'config', 'extensions.partialClone', 'origin')
  git(path, 'config', 'remote.origin.promisor', 'true')
  git(path, 'config', 'remote.origin.url', `ext::${program}`)
  git(path, 'config', 'protocol.ext.allow', 'always')
  rmSync(ran, { force: true })
  const head = execFileSync('git', ['-C', path, 'rev-parse', 'HEAD^{tree}'], {
    encoding: 'utf8',
  }).trim()

  rmSync(join(path, '.git/objects', head.slice(0, 2), head.slice(2)))
  rmSync(ran, { force: true })
  await readClone(path)
  await listWorkTree(path)
  nothingRan()
})

test('a clone that is made inside the folder starts none of its programs', async () => {
  const path = hostileFolder('around')
  const env = {
    PATH: process.env.PATH,
    HOME: top,
    STEMMA_URL: app.url,
    STEMMA_TOKEN: app.admin.token,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  }

  await promisify(execFile)(process.execPath, [bin, 'clone', space.id, 'made'], { cwd: path, env })
  assert.ok(existsSync(join(path, 'made/.git')))
  nothingRan()
})

test.run()

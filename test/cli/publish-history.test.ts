import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { stemmaHere } from './stemma.ts'

const app = await startApp()
const top = mkdtempSync(join(tmpdir(), 'stemma-history-'))
test.after(async () => {
  rmSync(top, { recursive: true, force: true })
  await app.stop()
})

const env = { STEMMA_URL: app.url, STEMMA_TOKEN: app.admin.token }

/** Runs `stemma publish --json` and returns what it prints. */
async function publish(...args: string[]) {
  const { code, stdout, stderr } = await stemmaHere(
    ['publish', ...args, '--org', 'acme', '--json'],
    env,
  )
  assert.is(code, 0, stderr)
  return JSON.parse(stdout)
}

function put(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

/** Runs git in a folder, as an author on a day of 2021. */
const git = (path: string, args: string[], { author = 'Ada', day = 1 } = {}): string => {
  const date = `2021-03-${String(day).padStart(2, '0')}T10:00:00Z`
  return execFileSync('git', ['-C', path, '-c', 'protocol.file.allow=always', ...args], {
    encoding: 'utf8',
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: author,
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: 'Merger',
      GIT_COMMITTER_EMAIL: 'm@example.org',
      GIT_COMMITTER_DATE: date,
    },
  }).trim()
}

/** Creates a repository with a commit of these files below `docs`, on the first day. */
function repository(name: string, files: Record<string, string>): string {
  const root = join(top, name)
  mkdirSync(root)
  git(root, ['init', '-q', '-b', 'main'])
  commit(root, files, { day: 1 })
  return root
}

function commit(
  root: string,
  files: Record<string, string>,
  by: { author?: string; day: number },
): string {
  for (const [file, text] of Object.entries(files)) put(join(root, 'docs'), file, text)
  git(root, ['add', '-A'])
  git(root, ['commit', '-q', '-m', 'Write'], by)
  return git(root, ['rev-parse', 'HEAD'])
}

type Dates = { createdAt?: string; updatedAt?: string }

const datesOf = async (space: string, path: string): Promise<Dates> => {
  const listed = (await app.admin.get(`/v1/spaces/${space}/content/pages`)).body
  const { id } = listed.pages.find((page: { git: { path: string } }) => page.git.path === path)
  const { body } = await app.admin.get(`/v1/spaces/${space}/content/page/${id}`)
  return { createdAt: body.createdAt, updatedAt: body.updatedAt }
}

const dayOf = async (space: string, path: string): Promise<string | undefined> =>
  (await datesOf(space, path)).updatedAt?.slice(0, 10)

const revisionsOf = async (space: string): Promise<{ message: string; full: string }[]> =>
  (await app.admin.get(`/v1/spaces/${space}/revisions`)).body.items.map(
    (item: { message: string; git: { message: string } }) => ({
      message: item.message,
      full: item.git.message,
    }),
  )

const today = () => app.ctx.now().toISOString().slice(0, 10)

test('pages have the dates and authors of the commits, and the history names the commit', async () => {
  const root = repository('dated', { 'README.md': '# Home\n', 'guide.md': '# Guide\n' })
  const head = commit(root, { 'guide.md': '# Guide\n\nMore.\n' }, { author: 'Grace', day: 9 })
  const { space, site, findings } = await publish(join(root, 'docs'))

  assert.equal(findings, [])
  assert.equal(await datesOf(space, 'guide.md'), {
    createdAt: undefined,
    updatedAt: '2021-03-09T10:00:00.000Z',
  })
  const [newest] = await revisionsOf(space)
  assert.is(newest?.message, `Publish dated-docs (${head.slice(0, 12)})`)
  assert.match(newest?.full ?? '', new RegExp(`^Published-Commit: ${head}$`, 'm'))

  const page = await (await fetch(`${site.urls.published}guide`)).text()
  assert.match(page, /<time datetime="2021-03-09T10:00:00.000Z">[^<]*March 9, 2021/)
  const home = await (await fetch(site.urls.published)).text()
  assert.match(home, /<time datetime="2021-03-01T10:00:00.000Z">/)
})

test('the same commit, and one that changes no file of the folder, make no revision', async () => {
  const root = repository('same', { 'README.md': '# Home\n' })
  const { space, revision } = await publish(join(root, 'docs'))

  assert.is((await publish(join(root, 'docs'))).revision, revision)
  put(root, 'main.c', 'int main;\n')
  commit(root, {}, { day: 8 })
  assert.is((await publish(join(root, 'docs'))).revision, revision)

  assert.is(await dayOf(space, 'README.md'), '2021-03-01')
})

test('files with uncommitted changes are dated by the publication', async () => {
  const root = repository('dirty', { 'README.md': '# Home\n', 'guide.md': '# Guide\n' })
  put(root, 'docs/guide.md', '# Guide\n\nUncommitted.\n')
  put(root, 'docs/new.md', '# New\n')
  const { space } = await publish(join(root, 'docs'))

  assert.equal(
    await Promise.all(['README.md', 'guide.md', 'new.md'].map(path => dayOf(space, path))),
    ['2021-03-01', today(), today()],
  )
  const [first] = await revisionsOf(space)
  assert.match(
    first?.message ?? '',
    /^Publish dirty-docs \([0-9a-f]{12} and uncommitted changes\)$/,
  )
  assert.not.match(first?.full ?? '', /Published-Commit/)

  commit(root, {}, { day: 20 })
  await publish(join(root, 'docs'))
  assert.is((await revisionsOf(space)).length, 2)
  assert.is(await dayOf(space, 'new.md'), '2021-03-20')
})

test('a shallow clone gives no dates to files whose commits it lacks, and says so', async () => {
  const root = repository('deep', { 'README.md': '# Home\n', 'guide.md': '# Guide\n' })
  commit(root, { 'new.md': '# New\n' }, { author: 'Grace', day: 5 })
  commit(root, { 'guide.md': '# Guide\n\nMore.\n' }, { day: 9 })
  const clone = join(top, 'shallow')
  git(top, ['clone', '-q', '--depth', '2', `file://${root}`, clone])

  const shallow = await publish(join(clone, 'docs'), '--site', 'shallow')
  const { space } = shallow
  assert.match(shallow.findings.join(), /^2 files without a date: .*fetch-depth: 0/)
  assert.equal(
    await Promise.all(['README.md', 'guide.md', 'new.md'].map(path => dayOf(space, path))),
    [undefined, '2021-03-09', undefined],
  )
  const home = await (await fetch(shallow.site.urls.published)).text()
  assert.not.match(home, /<time/)

  git(clone, ['fetch', '-q', '--unshallow'])
  const whole = await publish(join(clone, 'docs'), '--site', 'shallow')
  assert.equal([whole.findings, whole.revision], [[], shallow.revision])
  const days = ['2021-03-01', '2021-03-09', '2021-03-05']
  assert.equal(
    await Promise.all(['README.md', 'guide.md', 'new.md'].map(path => dayOf(space, path))),
    days,
  )
  assert.match(
    await (await fetch(shallow.site.urls.published)).text(),
    /<time datetime="2021-03-01/,
  )

  rmSync(clone, { recursive: true })
  git(top, ['clone', '-q', '--depth', '1', `file://${root}`, clone])
  await publish(join(clone, 'docs'), '--site', 'shallow')
  assert.equal(
    await Promise.all(['README.md', 'guide.md', 'new.md'].map(path => dayOf(space, path))),
    days,
  )
})

test('a merge dates the files that it changes itself', async () => {
  const root = repository('merged', { 'README.md': '# Home\n', 'guide.md': '# Guide\n' })
  git(root, ['checkout', '-q', '-b', 'side'])
  commit(root, { 'guide.md': '# Side\n' }, { author: 'Grace', day: 3 })
  git(root, ['checkout', '-q', 'main'])
  commit(root, { 'guide.md': '# Main\n' }, { day: 4 })
  git(root, ['merge', '-q', '--no-commit', '-s', 'ours', 'side'])
  commit(root, { 'guide.md': '# Both\n' }, { author: 'Linus', day: 12 })

  const { space } = await publish(join(root, 'docs'))
  assert.equal(await Promise.all(['README.md', 'guide.md'].map(path => dayOf(space, path))), [
    '2021-03-01',
    '2021-03-12',
  ])
})

test('settings of the log change no dates, and files that are in no commit leave the commit out', async () => {
  const root = repository('of-log', { 'README.md': '# Home\n', 'guide.md': '# Guide\n' })
  commit(root, { 'guide.md': '# Guide\n\nMore.\n' }, { day: 5 })
  git(root, ['config', 'diff.relative', 'true'])
  git(root, ['config', 'log.showRoot', 'false'])
  const { space } = await publish(join(root, 'docs'))
  assert.equal(
    [await dayOf(space, 'README.md'), await dayOf(space, 'guide.md')],
    ['2021-03-01', '2021-03-05'],
  )

  put(root, '.gitignore', '/built/\n')
  put(root, 'built/README.md', '# Built\n')
  commit(root, {}, { day: 6 })
  const built = await publish(join(root, 'built'))
  const [newest] = await revisionsOf(built.space)

  assert.not.match(newest?.full ?? '', 'Published-Commit')
  assert.is(await dayOf(built.space, 'README.md'), today())
})

test('the settings of the repository start no program, and any name of an author is taken', async () => {
  const root = repository('settings', { 'README.md': '# Home\n' })
  commit(root, { 'README.md': '# Home!\n' }, { author: `\u202eEvil ${'x'.repeat(300)}`, day: 6 })
  const mark = join(top, 'started')
  for (const [key, value] of [
    ['log.showSignature', 'true'],
    ['gpg.program', `touch ${mark}; false`],
    ['diff.external', `touch ${mark}`],
    ['core.fsmonitor', `touch ${mark}`],
    ['diff.orderFile', '/dev/zero'],
    ['log.follow', 'true'],
  ] as const)
    git(root, ['config', key, value])

  const { space, findings } = await publish(join(root, 'docs'))
  assert.equal([findings, await dayOf(space, 'README.md')], [[], '2021-03-06'])
  assert.throws(() => execFileSync('test', ['-e', mark]))
})

test.run()

import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { stemmaHere, stemma as stemmaProgram } from '../cli/stemma.ts'
import { flip, makeOriginal, type Original, repositoryOf, serve, stemma } from './folder.ts'

let original: Original

test.before(async () => {
  original = await makeOriginal()
})
test.after(() => original.remove())

/** Starts a server, which must refuse to start. Returns its error output. */
async function refusal(dataDir: string, start = stemmaHere): Promise<string> {
  const { code, stdout, stderr } = await start(['serve'], { STEMMA_DATA: dataDir, PORT: '0' })
  assert.ok(code, stdout)
  assert.not.match(stdout, /listens on/)
  assert.not.match(stderr, /\n {4}at /)
  return stderr
}

const repositories = (dataDir: string): number =>
  [original.hurt, original.whole].filter(id => existsSync(repositoryOf(dataDir, id))).length

test('an unreadable database stops the start and verify with instructions, and the backup repairs it', async () => {
  const half = (file: string) => truncateSync(file, statSync(file).size / 2)
  const pages = (file: string) => {
    for (let at = 4096; at < statSync(file).size; at += 4096) flip(file, at, 16)
  }
  for (const damage of [half, pages, (file: string) => flip(file, 3)]) {
    const dataDir = original.copy()
    damage(join(dataDir, 'stemma.db'))
    assert.match(
      await refusal(dataDir, damage === half ? stemmaProgram : stemmaHere),
      /damaged.*last good backup.*stemma restore/,
    )
    const verified = await stemma(dataDir, 'verify')

    assert.is(verified.code, 1)
    assert.match(verified.stdout + verified.stderr, /damaged.*last good backup/)
    assert.is(repositories(dataDir), 2)
  }

  const restored = join(original.folder, 'restored')
  const { code, stderr } = await stemma(restored, 'restore', original.backup, '--verify')

  assert.is(code, 0, stderr)
  const served = await serve(original, restored)

  assert.is((await served.get(`/v1/spaces/${original.hurt}/content/path/alpha`)).status, 200)
  await served.stop()
})

test('with a missing or empty database nothing is served and the repositories are kept until it is back', async () => {
  const file = (dataDir: string) => join(dataDir, 'stemma.db')
  const cases: ['loose' | 'log', (dataDir: string) => void][] = [
    ['loose', dataDir => rmSync(file(dataDir))],
    ['loose', dataDir => truncateSync(file(dataDir), 0)],
    ['log', dataDir => rmSync(`${file(dataDir)}-wal`)],
  ]

  for (const [state, damage] of cases) {
    const dataDir = original.copy(state)
    damage(dataDir)

    for (let start = 0; start < 2; start++)
      assert.match(
        await refusal(dataDir),
        /repositories of spaces \(2\).*stemma\.db was lost.*restore/,
      )

    assert.is(repositories(dataDir), 2)
    const { code, stdout } = await stemma(dataDir, 'verify')

    assert.is(code, 1)
    assert.match(stdout, /spaces\/.*\.git does not belong to a space/)
  }
})

test('a truncated database log loses the latest rows, and the commits in Git beyond them are kept', async () => {
  const dataDir = original.copy('log')
  const log = join(dataDir, 'stemma.db-wal')
  flip(log, -3000, 100)
  const served = await serve(original, dataDir)
  const pages = await served.get(`/v1/spaces/${original.hurt}/content/pages`)

  assert.is(pages.status, 200)
  assert.match(pages.text, /Delta/)
  assert.is((await served.get(`/v1/spaces/${original.whole}/content/path/beta`)).status, 200)
  await served.stop()
  const { code, stdout } = await stemma(dataDir, 'verify')

  assert.is(code, 0, stdout)
})

test('a repository without rows is set aside and logged, not deleted', async () => {
  const dataDir = original.copy()
  const stray = repositoryOf(dataDir, 'AbcdefghijklmnopqrsT')
  const { cpSync } = await import('node:fs')
  cpSync(repositoryOf(dataDir, original.whole), stray, { recursive: true })
  writeFileSync(join(dataDir, 'spaces', 'notes.txt'), 'of the operator')
  assert.match(
    (await stemma(dataDir, 'verify')).stdout,
    /AbcdefghijklmnopqrsT\.git does not belong to a space/,
  )
  const served = await serve(original, dataDir)

  // In the background, soon after the start.
  for (let tries = 0; !/set aside/.test(served.log()) && tries < 600; tries++)
    await new Promise(resolve => setTimeout(resolve, 50))
  assert.match(served.log(), /set aside/)
  await served.stop()
  assert.not(existsSync(stray))
  const [kept = ''] = readdirSync(join(dataDir, 'lost'))

  assert.match(kept, /^AbcdefghijklmnopqrsT\.git-\d+$/)
  assert.ok(existsSync(join(dataDir, 'lost', kept, 'HEAD')))
  assert.ok(existsSync(join(dataDir, 'spaces', 'notes.txt')))
  assert.is((await stemma(dataDir, 'verify')).code, 0)
})

test('a lock file that is not a database is reported as such, and a stale lock.txt does not block a start', async () => {
  const dataDir = original.copy()
  writeFileSync(join(dataDir, 'lock.txt'), 'process 1, listening on 127.0.0.1:1\n')
  const served = await serve(original, dataDir)
  await served.stop()
  writeFileSync(join(dataDir, 'lock.db'), 'no database at all, whatever it was before. '.repeat(20))
  const said = await refusal(dataDir)

  assert.match(said, /lock\.db/)
  assert.not.match(said, /restore/)
  rmSync(join(dataDir, 'lock.db'))
  await (await serve(original, dataDir)).stop()
})

test('a key that is too short stops the start with the name of the file', async () => {
  const dataDir = original.copy()
  truncateSync(join(dataDir, 'key'), 5)
  assert.match(await refusal(dataDir), /key does not hold a key of 32 bytes/)
})

test.run()

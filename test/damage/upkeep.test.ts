import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { repositoryConfig } from '../../src/git/repositories/repository.ts'
import { startStemma } from '../cli/stemma.ts'
import { fsck } from '../support/git/repo.ts'
import {
  insertPage,
  makeOriginal,
  type Original,
  repositoryOf,
  type Served,
  serve,
  stemma,
} from './folder.ts'

let original: Original
let server: Served

test.before(async () => {
  original = await makeOriginal()
})
test.after(async () => {
  // After a failed test too: a running server would keep the run from ending.
  await server.stop()
  original.remove()
})

/**
 * Kills upkeep `ms` milliseconds after it has started packing; retries if the start of packing was
 * missed.
 */
async function killUpkeep(dataDir: string, dir: string, ms: number): Promise<void> {
  for (let tries = 0; !(await killSeen(dataDir, dir, ms)); tries++)
    assert.ok(tries < 20, 'upkeep did not come by')
}

/**
 * Starts upkeep and kills it and its git processes once it works on the repository. Returns false
 * if that was missed.
 */
async function killSeen(dataDir: string, dir: string, ms: number): Promise<boolean> {
  // Restores the configuration, as the next start does, so that this run's change of it is visible.
  writeFileSync(join(dir, 'config'), repositoryConfig)
  const upkeep = startStemma(['gc', '--full'], { STEMMA_DATA: dataDir })
  let ended = false
  upkeep.ended.then(() => {
    ended = true
  })
  const pause = (time: number) => new Promise(resolve => setTimeout(resolve, time))

  while (readFileSync(join(dir, 'config'), 'utf8') === repositoryConfig && !ended) await pause(1)
  if (ended) return false
  await pause(ms)
  let children = ''

  try {
    children = readFileSync(`/proc/${upkeep.pid}/task/${upkeep.pid}/children`, 'utf8')
  } catch {
    // The process has already exited.
  }

  upkeep.kill('SIGKILL')

  for (const pid of children.split(' ').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // This one has exited too.
    }
  }

  await upkeep.ended

  return true
}

test('upkeep that is killed repeatedly beside a busy server loses nothing and blocks nothing', async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)
  const content = `/v1/spaces/${original.hurt}/content`
  server = await serve(original, dataDir)
  const written: string[] = []
  let over = false
  const writing = (async () => {
    while (!over) {
      const title = `Page ${written.length}`
      const { status, text } = await server.post(content, insertPage(title))
      // A lock of a killed process is waited for, then reported.
      assert.ok(status === 200 || status === 503, text)
      if (status === 200) written.push(title)
    }
  })()

  for (let round = 0; round < 4; round++) await killUpkeep(dataDir, dir, round * 4)
  over = true
  await writing
  await server.stop()

  server = await serve(original, dataDir)
  assert.is((await server.post(content, insertPage('Last'))).status, 200)
  assert.is(readFileSync(join(dir, 'config'), 'utf8'), repositoryConfig)
  const { text } = await server.get(`${content}/pages`)

  for (const title of [...written, 'Last']) assert.ok(text.includes(`"${title}"`), title)
  const done = await stemma(dataDir, 'gc', '--full')

  assert.is(done.code, 0, done.stderr)
  const verified = await stemma(dataDir, 'verify')

  assert.is(verified.code, 0, verified.stdout)
  fsck({ dir })
})

test.run()

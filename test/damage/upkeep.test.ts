import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { repositoryConfig } from '../../src/git/repositories/repository.ts'
import { startStemma } from '../cli/stemma.ts'
import { fsck } from '../support/repo.ts'
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
  // Also where the test has failed: a server that goes on keeps the run from ending.
  await server.stop()
  original.remove()
})

/** Kills upkeep so many milliseconds after it has begun to put packs together; what was not seen at it is begun again. */
async function killUpkeep(dataDir: string, dir: string, ms: number): Promise<void> {
  for (let tries = 0; !(await killSeen(dataDir, dir, ms)); tries++)
    assert.ok(tries < 20, 'upkeep did not come by')
}

/** Starts upkeep, and kills it and its git once it is at work on the repository; false when it was not seen there. */
async function killSeen(dataDir: string, dir: string, ms: number): Promise<boolean> {
  // As the next start would, so that it can be seen when this one is at it.
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
    // It has ended by itself.
  }
  upkeep.kill('SIGKILL')
  for (const pid of children.split(' ').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // And this one, too.
    }
  }
  await upkeep.ended
  return true
}

test("upkeep that is killed again and again, beside a server that is written to, loses nothing and stands in nobody's way", async () => {
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
      // A lock of a killed process is waited for, and then told.
      assert.ok(status === 200 || status === 503, text)
      if (status === 200) written.push(title)
    }
  })()
  for (let round = 0; round < 4; round++) await killUpkeep(dataDir, dir, round * 4)
  over = true
  await writing
  await server.stop()

  server = await serve(original, dataDir)
  assert.is(readFileSync(join(dir, 'config'), 'utf8'), repositoryConfig)
  assert.is((await server.post(content, insertPage('Last'))).status, 200)
  const { text } = await server.get(`${content}/pages`)
  for (const title of [...written, 'Last']) assert.ok(text.includes(`"${title}"`), title)
  const done = await stemma(dataDir, 'gc', '--full')
  assert.is(done.code, 0, done.stderr)
  const verified = await stemma(dataDir, 'verify')
  assert.is(verified.code, 0, verified.stdout)
  fsck({ dir })
})

test.run()

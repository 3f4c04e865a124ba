import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../src/config.ts'
import { JumpWatch } from '../src/lib/clock.ts'
import { enqueue } from '../src/queue/enqueue.ts'
import { nextJobDelays } from '../src/store/events/jobs.ts'
import { deleteIntent, insertIntent } from '../src/store/git/intents.ts'
import { insertOrganization } from '../src/store/people/organizations.ts'
import { Store } from '../src/store/store.ts'
import { watchClock, watchStuck, writeLogBack } from '../src/watch.ts'

/** A logger and the lines written to it. */
function listen() {
  const lines: { level: number; msg: string; seconds?: number; bytes?: number; space?: string }[] =
    []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })

  return { log: pino(stream), lines }
}

test('a clock jump is logged once; a small correction is not', () => {
  const { log, lines } = listen()
  const folder = mkdtempSync(join(tmpdir(), 'stemma-watch-'))
  const store = new Store(join(folder, 'stemma.db'))
  let [wall, steady, woken] = [Date.parse('2026-06-01T12:00:00Z'), 5_000, 0]
  const clock = new JumpWatch(
    () => wall,
    () => steady,
  )
  const wake = () => {
    woken++
  }
  const config = readConfig({ STEMMA_DATA: folder })
  const look = () => watchClock({ config, store, log, wake, now: () => new Date(wall) }, clock)
  const pass = (wallMs: number, steadyMs = 15_000) => {
    wall += wallMs
    steady += steadyMs
    look()
  }

  pass(15_000)
  pass(50_000)

  // A process that was busy for a long time is not a jump.
  pass(300_000, 300_000)
  assert.equal(lines, [])
  const at = new Date(wall)

  enqueue(store, { kind: 'tidy', payload: {}, lane: 'tidy', key: 'tidy', runAt: wall + 60_000 }, at)
  pass(15_000 - 86_400_000)
  assert.is(nextJobDelays(store, { owner: 'idle', now: wall })[0], 60_000)
  assert.is(woken, 1)
  pass(15_000)
  pass(15_000 + 86_400_000)
  assert.equal(
    lines.map(line => line.seconds),
    [-86_400, 86_400],
  )
  assert.is(woken, 1)
  store.close()
  rmSync(folder, { recursive: true })
})

test('a database log that cannot be checkpointed is logged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-watch-'))
  const { log, lines } = listen()
  const store = new Store(join(folder, 'stemma.db'))
  const reader = new Database(store.file)

  reader.exec('begin')
  reader.prepare('select count(*) from organization').get()
  insertOrganization(store, {
    id: 'acme',
    title: 'x'.repeat(100_000),
    created_at: '2026-01-01T00:00:00.000Z',
  })
  writeLogBack({ store, log })
  assert.equal(lines, [])
  writeLogBack({ store, log }, 50_000)
  assert.is(lines.length, 1)
  assert.match(lines[0]!.msg, /cannot be written back/)
  reader.close()
  writeLogBack({ store, log }, 50_000)
  assert.is(lines.length, 1)
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a stuck space is logged once, and once more when it is writable again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-watch-'))
  const store = new Store(join(folder, 'stemma.db'))
  const { log, lines } = listen()
  const look = watchStuck({ store, log, now: () => new Date() })

  look()
  const created_at = new Date(Date.now() - 60_000).toISOString()
  const row = { kind: 'edit', user_id: null, moves: [], effects: [], answer: null, created_at }

  insertIntent(store, { id: 'a', space_id: 'docs', ...row })
  look()
  look()
  deleteIntent(store, 'a')
  look()
  assert.equal(
    lines.map(({ level, space }) => [level, space]),
    [
      [50, 'docs'],
      [30, 'docs'],
    ],
  )
  store.close()
  rmSync(folder, { recursive: true })
})

test.run()

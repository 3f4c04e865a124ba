import { spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Spool } from '../../../src/git/serving/spool.ts'
import { Spools } from '../../../src/git/serving/spools.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { runs } from '../../support/long-run.ts'
import { until } from '../../support/until.ts'

let folder = ''
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stemma-spool-'))
})
test.after(() => rm(folder, { recursive: true, force: true }))

async function all(chunks: AsyncIterable<Buffer>, pauseMs?: number): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const chunk of chunks) {
    read.push(Buffer.from(chunk))
    if (pauseMs !== undefined) await setTimeout(pauseMs)
  }
  return Buffer.concat(read)
}

/** Writes to the file of a spool as a program does. */
async function write(spool: Spool, ...chunks: (Buffer | string)[]): Promise<void> {
  const file = await spool.open()
  for (const chunk of chunks) await appendFile(file.path, chunk)
  await file.forget()
}

test('every reader gets all bytes, whenever it begins', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 20 }),
      async sizes => {
        const spool = new Spool(folder)
        const chunks = sizes.map((size, i) => Buffer.alloc(size, i + 1))
        const early = all(spool.read())
        const file = await spool.open()

        await file.forget()

        for (const chunk of chunks) {
          writeSync(file.fd, chunk)
          await setTimeout(chunk.length % 3)
        }

        const slow = all(spool.read(), 1)

        spool.end()
        const whole = Buffer.concat(chunks)

        for (const read of await Promise.all([early, slow, all(spool.read())]))
          assert.ok(read.equals(whole))
        assert.equal(await readdir(folder), [])
        await spool.close()
      },
    ),
    { numRuns: runs(60) },
  )
})

test('readers get the error of an answer after its bytes', async () => {
  const spool = new Spool(folder)
  await write(spool, 'begun')
  spool.end(new Error('broken'))
  const reader = spool.read()
  assert.is((await reader.next()).value?.toString(), 'begun')
  const error = await reader.next().catch(each => each)
  assert.is(error.message, 'broken')
  await spool.close()
})

test('what is appended follows what a program wrote', async () => {
  const spool = new Spool(folder)
  const file = await spool.open()
  spawnSync('printf', ['0123'], { stdio: ['ignore', file.fd, 'inherit'] })
  assert.is(String(await spool.beginning(3)), '012')
  await spool.append(Buffer.from('45'))
  spool.end()
  assert.is(String(await all(spool.read())), '012345')
  await file.forget()
  await spool.close()
})

test('what this process appends wakes the readers, and counts', async () => {
  const spool = new Spool(folder)
  await (await spool.open()).forget()
  const reading = all(spool.read())
  const chunks = Array.from({ length: 20 }, (_, n) => Buffer.alloc(100_000 + n, n))

  for (const [n, chunk] of chunks.entries()) {
    await spool.append(chunk)
    assert.is(spool.bytes, Buffer.concat(chunks.slice(0, n + 1)).length)
  }

  spool.end()
  assert.ok((await reading).equals(Buffer.concat(chunks)))
  assert.is((await spool.append(Buffer.from('late')).catch(each => each)).code, 'aborted')
  await spool.close()
})

test('an answer that this process appends to ends where others hold the limit', async () => {
  const spools = new Spools({ allBytes: 1000 })
  const held = spools.open(folder, 'held', async spool => {
    await write(spool, Buffer.alloc(2000))
    return true
  })

  const growing = new Spool(
    folder,
    () => {},
    () => spools.checkRoom(folder),
  )

  await all(held.read())
  await (await growing.open()).forget()
  const append = async () => {
    for (;;) await growing.append(Buffer.alloc(512 * 1024))
  }

  assert.is((await append().catch(each => each)).code, 'aborted')
  assert.ok(growing.bytes > 1024 ** 2)
  assert.ok(isGitError(await all(growing.read()).catch(each => each), 'busy'))
  await growing.close()
  held.leave()
  await spools.close()
})

test('an answer whose disk cannot be looked at ends, and so does its program', async () => {
  const own = await mkdtemp(join(folder, 'own-'))
  let failed = 0
  const spool = new Spool(own, () => failed++)
  const file = await spool.open()

  await rm(own, { recursive: true })
  writeSync(file.fd, Buffer.alloc(2 * 1024 ** 2))
  await until('the answer ends', () => spool.ended || undefined)
  const error = await all(spool.read()).catch(each => each)

  assert.equal([error.code, failed], ['ENOENT', 1])
  await spool.close()
})

test('a spool that is closed opens no file', async () => {
  const spool = new Spool(folder)
  const opening = spool.open().catch(each => each)
  await spool.close()
  assert.is((await opening).code, 'aborted')
  assert.equal(await readdir(folder), [])
})

test('who asks for the same reads the same answer, later too', async () => {
  const spools = new Spools()
  let made = 0
  const fill = async (spool: Spool) => {
    made++
    await write(spool, Buffer.alloc(100_000, made))
    return true
  }
  const first = spools.open(folder, 'key', fill)
  const second = spools.open(folder, 'key', fill)

  assert.equal([first.shared, second.shared], [false, true])
  assert.ok((await all(first.read())).equals(await all(second.read())))
  first.leave()
  first.leave()
  second.leave()
  const later = spools.open(folder, 'key', fill)

  assert.is(later.shared, true)
  later.leave()
  const other = spools.open(folder, undefined, fill)

  assert.is((await all(other.read()))[0], 2)
  other.leave()
  assert.is(made, 2)
  assert.equal(spools.load, { answers: 1, bytes: 100_000 })
  await spools.close()
  assert.equal(spools.load, { answers: 0, bytes: 0 })
})

test('kept answers end after their time, and the oldest ones over the limit', async () => {
  const spools = new Spools({ keptBytes: 250, keptMs: 1_000 })
  const fill = async (spool: Spool) => {
    await write(spool, Buffer.alloc(100))
    return true
  }

  for (const key of ['a', 'b', 'c']) {
    const reader = spools.open(folder, key, fill)
    await all(reader.read())
    reader.leave()
  }

  assert.equal(spools.load, { answers: 2, bytes: 200 })
  const again = spools.open(folder, 'a', fill)

  assert.is(again.shared, false)
  again.leave()
  await until('they end', () => spools.load.answers === 0 || undefined)
  await spools.close()
})

test('answers that are read count, and no other one begins beyond the limit of all', async () => {
  const spools = new Spools({ allBytes: 250 })
  const fill = async (spool: Spool) => {
    await write(spool, Buffer.alloc(100))
    return true
  }

  const begin = async (key: string) => {
    const reader = spools.open(folder, key, fill)
    await all(reader.read())
    return reader
  }
  const [a, b, c] = [await begin('a'), await begin('b'), await begin('c')]

  for (const over of [() => spools.open(folder, 'd', fill), () => spools.checkRoom(folder)])
    assert.throws(over, (error: unknown) => isGitError(error, 'busy'))
  const same = spools.open(folder, 'a', fill)

  assert.is(same.shared, true)
  same.leave()
  assert.is(spools.load.bytes, 300)

  // A kept answer makes room.
  b.leave()
  const d = await begin('d')

  assert.is(spools.load.bytes, 300)
  for (const each of [a, c, d]) each.leave()
  await spools.close()
})

test('an answer exceeds the limit alone, and ends where others hold it', async () => {
  const spools = new Spools({ allBytes: 1000 })
  let thirdWritten: Promise<void> | undefined
  const growing = async (spool: Spool) => {
    await thirdWritten
    await write(spool, Buffer.alloc(3 * 1024 ** 2))
    await until('the size is looked at', () => spool.bytes > 1024 ** 2 || undefined)
    await setTimeout(40)
    return true
  }
  const large = spools.open(folder, 'large', growing)

  assert.is((await all(large.read())).length, 3 * 1024 ** 2)
  large.leave()
  const small = spools.open(folder, 'small', async spool => {
    await write(spool, Buffer.alloc(900))
    return true
  })

  await all(small.read())
  let written = () => {}

  thirdWritten = new Promise(resolve => {
    written = resolve
  })
  const other = spools.open(folder, 'other', growing)
  const third = spools.open(folder, 'third', async spool => {
    await write(spool, Buffer.alloc(900))
    written()
    return true
  })
  const ended = await all(other.read()).catch(error => error)

  assert.ok(
    isGitError(ended, 'busy'),
    ended instanceof Error ? ended.message : 'it ended without an error',
  )
  assert.is((await all(third.read())).length, 900)
  for (const each of [small, other, third]) each.leave()
  await spools.close()
})

test('work is aborted when its last reader leaves, and goes on while there is another', async () => {
  const spools = new Spools()
  let aborted = 0
  const fill = (_: Spool, signal: AbortSignal) =>
    new Promise<boolean>((_, reject) =>
      signal.addEventListener('abort', () => {
        aborted++
        reject(new Error('aborted'))
      }),
    )
  const first = spools.open(folder, 'key', fill)
  const second = spools.open(folder, 'key', fill)

  first.leave()
  assert.is(aborted, 0)
  second.leave()
  assert.is(aborted, 1)
  assert.is(spools.load.answers, 0)
  const next = spools.open(folder, 'key', fill)

  assert.is(next.shared, false)
  await spools.close()
  assert.is(aborted, 2)
})

for (const size of [100, 100_000])
  test(`closing ends readers that have not read all of ${size} bytes`, async () => {
    const spools = new Spools()
    const { read } = spools.open(folder, 'key', async spool => {
      const file = await spool.open()
      await file.forget()
      writeSync(file.fd, Buffer.alloc(10))
      await setTimeout(40)
      writeSync(file.fd, Buffer.alloc(size))
      return true
    })
    const reading = read()
    assert.is((await reading.next()).value?.length, 10)
    await setTimeout(50)
    await spools.close()
    const ended = await reading.next().then(({ value }) => value?.length, String)

    assert.match(String(ended), /closed/)
  })

test('an answer that failed is not kept', async () => {
  const spools = new Spools()
  const failing = async (spool: Spool) => {
    await write(spool, 'ERR')
    return false
  }
  const reader = spools.open(folder, 'key', failing)
  assert.is((await all(reader.read())).toString(), 'ERR')
  const second = spools.open(folder, 'key', failing)

  assert.is(second.shared, false)
  reader.leave()
  second.leave()
  await until('it is dropped', () => spools.load.answers === 0 || undefined)
})

test.run()

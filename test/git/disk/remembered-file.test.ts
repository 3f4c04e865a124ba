import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rememberingFiles } from '../../../src/git/disk/remembered-file.ts'
import { until } from '../../support/until.ts'

const test = suite<{ folder: string }>('remembered files')

test.before.each(context => {
  context.folder = mkdtempSync(join(tmpdir(), 'stemma-remembered-'))
})

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true, force: true })
})

function counting(most: number) {
  const parsed: string[] = []
  const read = rememberingFiles(text => {
    parsed.push(text)
    return text.trim()
  }, most)
  return { read, parsed }
}

/** Writes files, and resolves when their stamps tell them from all that may replace them. */
async function settled(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) writeFileSync(file, text)
  await until('all files are older than a tick of the clock', () => {
    const isOld = (file: string) => Date.now() - Number(statSync(file).ctimeMs) > 1_500
    return Object.keys(files).every(isOld) || undefined
  })
}

test('a file that stays as it is is parsed once', async ({ folder }) => {
  const file = join(folder, 'HEAD')
  const { read, parsed } = counting(10)
  await settled({ [file]: 'one\n' })

  for (let times = 0; times < 3; times++) assert.is(read(file), 'one')
  assert.equal(parsed, ['one\n'])
})

test('a file that was replaced by one of the same size is read again, also many times within a tick of the clock', async ({
  folder,
}) => {
  const file = join(folder, 'HEAD')
  const { read } = counting(10)
  await settled({ [file]: 'one\n' })
  assert.is(read(file), 'one')

  for (let times = 0; times < 200; times++) {
    const text = times % 2 === 0 ? 'two' : 'six'
    // Twice, so that the inode of the file that was read is free again.
    for (let writes = 0; writes < 2; writes++) {
      writeFileSync(`${file}.new`, `${text}\n`)
      renameSync(`${file}.new`, file)
    }
    assert.is(read(file), text)
  }
})

test('a file that is deleted and made again is undefined meanwhile', async ({ folder }) => {
  const file = join(folder, 'HEAD')
  const { read } = counting(10)
  assert.is(read(file), undefined)
  await settled({ [file]: 'one\n' })
  assert.is(read(file), 'one')
  rmSync(file)
  assert.is(read(file), undefined)
  writeFileSync(file, 'two\n')
  assert.is(read(file), 'two')
})

test('the oldest values are forgotten above the limit', async ({ folder }) => {
  const [first, second, third] = ['a', 'b', 'c'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const { read, parsed } = counting(2)
  await settled({ [first]: 'a', [second]: 'b', [third]: 'c' })

  for (const file of [first, second, third, third, second, first]) read(file)
  assert.equal(parsed, ['a', 'b', 'c', 'a'])
})

test.run()

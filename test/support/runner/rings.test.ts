import { existsSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { shares } from '../long-run.ts'
import { importing, nearest } from './nearest.ts'
import { partOfLists, postgresShareOf, secondRing, shareOf, weigh, weights } from './rings.ts'

test('the tables name files that are there', () => {
  for (const file of [...secondRing, ...Object.keys(weights)]) assert.ok(existsSync(file), file)
  assert.is(new Set(secondRing).size, secondRing.length)
})

test('the shares of the second ring are all of it, each file once, and about as long', () => {
  const all = Array.from({ length: shares }, (_, at) => shareOf(at + 7 * shares))
  assert.equal(all.flat().sort(), secondRing.toSorted())
  assert.equal(shareOf(shares), all[0])
  const sums = all.map(share => share.reduce((sum, file) => sum + weigh(file), 0))
  assert.ok(Math.max(...sums) < 1.1 * Math.min(...sums), sums.join(' '))
})

test('a file of the second ring takes every part of its long lists, in some commit', () => {
  for (const file of secondRing) {
    const parts = Array.from({ length: shares * shares }, (_, commit) => commit)
      .filter(commit => shareOf(commit).includes(file))
      .map(partOfLists)
    assert.equal(
      [...new Set(parts)].toSorted(),
      Array.from({ length: shares }, (_, at) => at),
      file,
    )
  }
})

test('four commits run all servers of rights on PostgreSQL, and sixteen those of the rest', () => {
  const rights = ['test/guards/a.test.ts', 'test/guards/ways.test.ts', 'test/access/b.test.ts']
  const rest = ['test/api/a.test.ts', 'test/site/b.test.ts', 'test/site/c.test.ts']
  const files = [...rights, ...rest, 'test/site/browser.test.ts', 'test/damage/clock.test.ts']
  const of = (commits: number) =>
    Array.from({ length: commits }, (_, at) => postgresShareOf(at + 16, files)).flat()
  assert.equal(
    of(shares)
      .filter(file => rights.includes(file))
      .sort(),
    rights.toSorted(),
  )
  assert.equal(
    of(shares * shares)
      .filter(file => !rights.includes(file))
      .sort(),
    rest,
  )
})

const tests = ['test/a/b.test.ts', 'test/a/c.test.ts', 'test/d/server.test.ts', 'test/e.test.ts']
const importers = new Map(
  Object.entries({
    'src/a/b.ts': ['test/a/b.test.ts', 'src/d/d.ts'],
    'src/d/d.ts': ['src/server.ts'],
    'src/server.ts': ['test/support/app.ts'],
    'test/support/app.ts': ['test/a/c.test.ts', 'test/d/server.test.ts', 'test/e.test.ts'],
  }).map(([file, all]) => [file, new Set(all)]),
)
const found = (changed: string, most = 10_000) => nearest([changed], tests, importers, most)

test('a change runs the tests of its folder and of the folders that import it', () => {
  assert.equal(found('src/a/b.ts').files, [
    'test/a/b.test.ts',
    'test/a/c.test.ts',
    'test/d/server.test.ts',
  ])
  assert.equal(found('src/d/deep/er/x.css').files, ['test/d/server.test.ts'])
  assert.equal(found('test/e/x.txt').files, ['test/e.test.ts'])
  assert.equal(found('test/a/c.test.ts').files, ['test/a/c.test.ts'])
  assert.equal(found('README.md').files, [])
})

test('a file imports what its imports import', () => {
  const isOfB = importing('src/a/b.ts', importers)
  assert.equal(tests.filter(isOfB), [
    'test/a/b.test.ts',
    'test/a/c.test.ts',
    'test/d/server.test.ts',
    'test/e.test.ts',
  ])
  assert.not(importing('src/d/d.ts', importers)('test/a/b.test.ts'))
})

test('a change of what starts the server runs all tests that do, within the limit', () => {
  const { files, left } = found('test/support/app.ts')
  assert.equal([files.length, left], [3, 0])
  assert.equal(found('test/support/app.ts', 650).left, 1)
})

test.run()

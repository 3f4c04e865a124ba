import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openUnsynced } from './unsynced.ts'

function follow(calls: readonly string[]) {
  const unsynced = openUnsynced('/d', /^staging(\/|$)/)
  const statuses = calls.map(call => unsynced.take(`12 ${call}`)).filter(Boolean)
  return { list: unsynced.list(), early: unsynced.early(), statuses }
}

const create = (path: string) =>
  `openat(AT_FDCWD</>, "${path}", O_WRONLY|O_CREAT|O_EXCL, 0444) = 3<${path}>`
const fsync = (path: string) => `fsync(3<${path}>)                = 0`
const rename = (from: string, to: string) => `rename("${from}", "${to}") = 0`

test('a file is safe once it is synced, renamed, and its folder synced', () => {
  const steps = [create('/d/a.tmp'), fsync('/d/a.tmp'), rename('/d/a.tmp', '/d/a'), fsync('/d')]
  assert.equal(follow(steps).list, [])
  assert.equal(follow(steps.slice(0, 3)).list, ['the name a is not synced'])
  assert.equal(follow(steps.toSpliced(1, 1)).list, ['the content of a is not synced'])
  assert.equal(follow([steps[3]!, ...steps.slice(0, 3)]).list, ['the name a is not synced'])
})

test('renaming a folder moves its synced content', () => {
  const made = [
    'mkdir("/d/s.new", 0777) = 0',
    create('/d/s.new/HEAD'),
    fsync('/d/s.new/HEAD'),
    fsync('/d/s.new'),
  ]
  assert.equal(follow([...made, rename('/d/s.new', '/d/s')]).list, ['the name s is not synced'])
  assert.equal(follow([...made, rename('/d/s.new', '/d/s'), fsync('/d')]).list, [])
})

test('ignored paths, failed calls and removed files are not reported', () => {
  const gone = [create('/d/x.lock'), 'unlink("/d/x.lock") = 0']
  const failed = 'mkdir("/d/y", 0777) = -1 EEXIST (File exists)'
  assert.equal(follow([...gone, failed, create('/d/staging/p'), create('/tmp/q')]).list, [])
})

test('a loose object may be removed once the name of its pack is synced', () => {
  const pack = '/d/r.git/objects/pack/pack-1.pack'
  const packed = [create(pack), fsync(pack)]
  const remove = 'unlink("/d/r.git/objects/ab/cd") = 0'
  assert.is(follow([...packed, remove]).early.length, 1)
  assert.equal(follow([...packed, fsync('/d/r.git/objects/pack'), remove]).early, [])
})

test('a call in two parts counts once, and a response is recognised', () => {
  const unsynced = openUnsynced('/d', /^$/)
  unsynced.take(`7 ${create('/d/a')}`)
  unsynced.take('7 fsync(3</d/a> <unfinished ...>')
  assert.is(
    unsynced.take(
      '8 writev(9<socket:[1]>, [{iov_base="HTTP/1.1 201 Created\\r\\n", iov_len=22}], 1) = 22',
    ),
    201,
  )
  assert.is(unsynced.list().length, 2)
  unsynced.take('7 <... fsync resumed>) = 0')
  assert.equal(unsynced.list(), ['the name a is not synced'])
})

test.run()

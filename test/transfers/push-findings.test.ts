import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'

let bench: PushBench
test.before(async () => {
  bench = await openPushBench()
})
test.after(() => bench.stop())

test('a push tells the errors that it brings, once, and not those that were there', async () => {
  const bo = bench.user('Bo', 'create')
  const id = await bench.space()
  const clone = await bench.clone(id, bo)
  const linesAfter = async (files: Record<string, string>, ref: string) => {
    await bench.commit(clone, files)
    const pushed = await bench.push(clone, 'origin', `HEAD:${ref}`)
    assert.is(pushed.code, 0, pushed.stderr)
    return told(pushed).filter(line => line.startsWith('remote: New'))
  }

  const broken = { 'a.md': '# A\n\n[b](b.md)\n\n[c](c.md)\n' }
  assert.equal(await linesAfter(broken, 'main'), ['remote: New: 2 broken links: a.md:3, a.md:5'])
  assert.equal(await linesAfter({ 'a.md': '# A\n\n\n[b](b.md)\n' }, 'main'), [])
  assert.equal(await linesAfter({ 'd.md': '# D\n' }, 'refs/for/main'), [])
  assert.equal(await linesAfter({ 'd.md': '# D\n\n[e](e.md)\n' }, 'refs/for/main'), [
    'remote: New: 1 broken link: d.md:3',
  ])
  assert.equal(await linesAfter({ 'f.md': '# F\n\n[g](g.md)\n' }, 'refs/for/main/topic'), [
    'remote: New: 2 broken links: d.md:3, f.md:3',
  ])
})

test.run()

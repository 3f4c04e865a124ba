import * as fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mergeSummaries } from '../../../src/content/summary/merge.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'

const base = '# Summary\n\n* [A](a.md)\n* [B](b.md)\n'

test('two pages appended by both sides are merged', () => {
  assert.is(
    mergeSummaries(base, `${base}* [Ours](ours.md)\n`, `${base}* [Theirs](theirs.md)\n`),
    `${base}* [Ours](ours.md)\n* [Theirs](theirs.md)\n`,
  )
})

test('a child of the last page and a page after it keep the places that their authors gave them', () => {
  const child = `${base}  * [Child](child.md)\n`
  const after = `${base}* [After](after.md)\n`
  const both = `${base}  * [Child](child.md)\n* [After](after.md)\n`
  assert.is(mergeSummaries(base, child, after), both)
  assert.is(mergeSummaries(base, after, child), both)
})

test('two pages added in the middle are merged', () => {
  const with1 = base.replace('* [B]', '* [One](1.md)\n* [B]')
  const with2 = base.replace('* [B]', '* [Two](2.md)\n* [B]')
  const both = base.replace('* [B]', '* [One](1.md)\n* [Two](2.md)\n* [B]')
  assert.is(mergeSummaries(base, with1, with2), both)
})

test('the same file added twice, or a title changed twice, is a conflict', () => {
  assert.is(mergeSummaries(base, `${base}* [One](x.md)\n`, `${base}* [Two](x.md)\n`), undefined)
  assert.is(
    mergeSummaries(base, base.replace('[B]', '[One]'), base.replace('[B]', '[Two]')),
    undefined,
  )
})

test('line endings and the text between entries stay', () => {
  const crlf = base.replaceAll('\n', '\r\n')
  const merged = mergeSummaries(crlf, `${crlf}* [1](1.md)\r\n`, `${crlf}* [2](2.md)\r\n`)
  assert.is(merged, `${crlf}* [1](1.md)\r\n* [2](2.md)\r\n`)
})

test('a clean merge contains everything that both sides added', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[c-z]{1,3}$/), { maxLength: 4 })
  fc.assert(
    fc.property(names, names, fc.nat(2), fc.nat(2), (mine, other, at1, at2) => {
      const insert = (list: string[], at: number, tag: string) => {
        const lines = base.split('\n')
        lines.splice(2 + at, 0, ...list.map(name => `* [${name}](${tag}${name}.md)`))
        return lines.join('\n')
      }
      const merged = mergeSummaries(base, insert(mine, at1, 'o-'), insert(other, at2, 't-'))
      if (merged === undefined) return

      const targets = parseSummary(merged).groups.flatMap(group =>
        group.entries.map(entry => entry.target),
      )

      for (const target of [
        'a.md',
        'b.md',
        ...mine.map(n => `o-${n}.md`),
        ...other.map(n => `t-${n}.md`),
      ]) {
        assert.ok(targets.includes(target), target)
      }
    }),
  )
})

test.run()

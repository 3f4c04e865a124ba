import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fillHunks, hunksOf, mergeTexts } from '../../../src/content/text/merge.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'

test('changes in different places merge, changes in the same place conflict', () => {
  const base = 'a\r\nb\r\nc\r\nd\r\ne'
  assert.equal(mergeTexts(base, base.replace('a', 'A'), base.replace('e', 'E\n')), {
    clean: true,
    text: 'A\r\nb\r\nc\r\nd\r\nE\n',
  })

  assert.equal(mergeTexts(base, base.replace('c', '1'), base.replace('c', '2')), {
    clean: false,
    hunks: [
      {
        base: 'c\r\n',
        ours: '1\r\n',
        theirs: '2\r\n',
        lines: { base: 3, ours: 3, theirs: 3 },
      },
    ],
  })
  assert.equal(mergeTexts('', 'a\n', 'a\n'), { clean: true, text: 'a\n' })
  assert.is(mergeTexts('', 'a\n', 'b\n').clean, false)
})

test('lines that are names of object properties merge like other lines', () => {
  const base = 'constructor\n__proto__\nx\ny\nz'
  const merged = mergeTexts(base, `toString\n${base}`, base.replace('z', 'constructor'))
  assert.equal(merged, { clean: true, text: 'toString\nconstructor\n__proto__\nx\ny\nconstructor' })
})

test('repetitive texts are merged in bounded time', () => {
  const texts = [
    '\n'.repeat(60_000),
    `a\n${'\n'.repeat(50_000)}b`,
    `c\n${'\n'.repeat(40_000)}d`,
  ] as const
  assert.ok(leastCpuTime(() => mergeTexts(...texts), 15_000) < 15_000)
})

test('a change on one side is applied completely', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\r\n', 'c\r', '\n', 'd'), { maxLength: 12 })
    .map(lines => lines.join(''))
  fc.assert(
    fc.property(text, text, (base, changed) => {
      assert.equal(mergeTexts(base, changed, base), { clean: true, text: changed })
      assert.equal(mergeTexts(base, base, changed), { clean: true, text: changed })
      assert.equal(mergeTexts(base, changed, changed), { clean: true, text: changed })
    }),
  )
})

test('the hunks of a conflict say where they stand in each version, and are filled in order', () => {
  const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd')
  const text = fc.array(line, { maxLength: 14 }).map(lines => lines.join(''))
  const linesOf = (source: string) => source.match(/[^\n]*\n|[^\n]+$/g) ?? []

  fc.assert(
    fc.property(text, text, text, (base, ours, theirs) => {
      fc.pre(base !== ours && base !== theirs && ours !== theirs)
      const hunks = hunksOf(base, ours, theirs)
      assert.ok(hunks.length > 0)

      for (const hunk of hunks)
        for (const [side, source] of Object.entries({ base, ours, theirs })) {
          const key = side as 'base' | 'ours' | 'theirs'
          const before = linesOf(source).slice(0, hunk.lines[key] - 1)
          assert.ok(source.slice(before.join('').length).startsWith(hunk[key]), side)
        }

      const marked = fillHunks([base, ours, theirs], (_hunk, index) => `<${index}>`)
      assert.equal(
        [...marked.matchAll(/<(\d+)>/g)].map(([, index]) => Number(index)),
        hunks.map((_hunk, index) => index),
      )
    }),
  )
})

test('where lines alone do not conflict, everything between the common lines is one hunk', () => {
  const texts = ['a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nb\nC\nd\n'] as const
  const hunks = hunksOf(...texts)
  assert.is(hunks.length, 1)
  assert.is(
    fillHunks(texts, ({ theirs }) => theirs),
    texts[2],
  )
})

test.run()

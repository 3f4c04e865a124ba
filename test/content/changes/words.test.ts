import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { assertMarked, markPages, shortly } from '../../support/marked-page.ts'

/**
 * Marks what changed between two paragraphs, checks the marks, and returns the paragraph as short
 * text.
 */
function marks(before: string, after: string): string {
  const { page, ...versions } = markPages(before, after)
  assertMarked(page, versions.before, versions.after)
  return page.root.nodes.map(shortly).join(' | ')
}

test('words are marked, not letters', () => {
  assert.is(
    marks('the quick brown fox runs', 'the quick red fox runs'),
    '~p(the quick {-brown-}{+red+} fox runs)',
  )
})

test('changes inside a link, bold text or code stay inside', () => {
  assert.is(
    marks('see [the old page](x.md) now', 'see [the new page](x.md) now'),
    '~p(see a(the {-old-}{+new+} page) now)',
  )

  assert.is(
    marks('use **all of it** now', 'use **none of it** now'),
    '~p(use strong({-all-}{+none+} of it) now)',
  )

  assert.is(
    marks('run `npm i -D` now', 'run `npm ci -D` now'),
    '~p(run code(npm {-i-}{+ci+} -D) now)',
  )
})

test('a link that leads elsewhere is replaced', () => {
  assert.is(
    marks('see [that page](x.md) now', 'see [that page](y.md) now'),
    '~p(see {-a(that page)-}{+a(that page)+} now)',
  )
})

test('words that became bold are replaced', () => {
  assert.is(
    marks('a very small change', 'a **very** small change'),
    '~p(a {-very-}{+strong(very)+} small change)',
  )
})

test('white space between two changes is part of them', () => {
  assert.is(
    marks('keep one two keep it', 'keep three four keep it'),
    '~p(keep {-one two-}{+three four+} keep it)',
  )
})

test('a line break of the source is a space', () => {
  assert.is(marks('first line\nsecond line', 'first line second line'), 'p(first line second line)')
  assert.is(
    marks('first line\nsecond line', 'first\nline third line'),
    '~p(first line {-second-}{+third+} line)',
  )
})

test('text without spaces is compared by characters', () => {
  assert.is(
    marks('一二三四五六七八九十', '一二三四五六甲八九十'),
    '~p(一二三四五六{-七-}{+甲+}八九十)',
  )
  assert.is(marks('สวัสดีครับทุกคน', 'สวัสดีค่ะทุกคน').startsWith('~p('), true)
})

test('an emoji is one character', () => {
  assert.is(
    marks('ok then 👩‍👩‍👧 here', 'ok then 👩‍👩‍👦 here'),
    '~p(ok then {-👩‍👩‍👧-}{+👩‍👩‍👦+} here)',
  )
})

test('a footnote with another text is edited, and one with another name is not', () => {
  assert.is(marks('some text[^1].\n\n[^1]: a', 'some text[^2].\n\n[^2]: a'), 'p(some text#note().)')
  assert.is(
    marks('some text[^1].\n\n[^1]: a', 'some text[^1].\n\n[^1]: b'),
    '~p(some text{-#note()-}{+#note()+}.)',
  )
  const { page } = markPages('some text[^1].\n\n[^1]: a', 'some text[^1].\n\n[^1]: b')
  assert.equal(
    [...page.notes],
    [
      ['1', 'b'],
      ['1~', 'a'],
    ],
  )
})

test('ins and del of an author are not marks', () => {
  const { page } = markPages('a <del>b</del> c d', 'a <del>b</del> c e')
  assert.is(page.root.nodes.map(shortly).join(''), '~p(a del(b) c {-d-}{+e+})')
})

test.run()

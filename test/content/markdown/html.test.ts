import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { htmlBlockStart, htmlTagAt } from '../../../src/content/markdown/html.ts'
import { assertLinear } from '../../support/cpu-time.ts'

test('a tag is found at an offset only, with its attributes', () => {
  const source = 'a <b class="x>y" id=z hidden>c</b >'
  assert.is(htmlTagAt(source, 2), '<b class="x>y" id=z hidden>')
  assert.is(htmlTagAt(source, source.indexOf('</')), '</b >')
  assert.is(htmlTagAt(source, 0), undefined)
})

for (const text of ['<1>', '< b>', '<b class=>', '<b a="x>', '</b x>', '<b a"x">'])
  test(`${text} is text`, () => assert.is(htmlTagAt(text, 0), undefined))

const blocks: [line: string, end: string | null][] = [
  ['<pre>', '</PRE>'],
  ['<!-- a', 'b -->'],
  ['<?php', '?>'],
  ['<![CDATA[ a', ']]>'],
  ['<!DOCTYPE html', '>'],
  ['<div class="a"', null],
  ['</table>', null],
]
for (const [line, end] of blocks)
  test(`${line} starts a block that ends with ${end ?? 'a blank line'}, in a paragraph too`, () => {
    for (const inParagraph of [false, true]) {
      const started = htmlBlockStart(line, inParagraph)
      assert.ok(started)
      if (end === null) assert.is(started.end, null)
      else assert.ok(started.end?.test(end))
    }
  })

test('an unknown tag starts a block only if it is alone on its line and no paragraph is open', () => {
  assert.equal(htmlBlockStart('<figure-x a="1">  ', false), { end: null })
  assert.is(htmlBlockStart('<figure-x a="1">', true), null)
  assert.is(htmlBlockStart('<figure-x> text', false), null)
  assert.is(htmlBlockStart('text <div>', false), null)
})

test('a found tag is at its offset, whatever the source', () => {
  const parts = fc.constantFrom('<', '>', '</', '/>', 'a', ' ', '=', '"', "'", '\n', 'b', '-')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), list => {
      const source = list.join('')
      for (let at = 0; at <= source.length; at++) {
        const tag = htmlTagAt(source, at)
        if (tag === undefined) continue
        assert.ok(source.startsWith(tag, at))
        assert.ok(tag.startsWith('<') && tag.endsWith('>'))
      }
    }),
  )
})

test('a tag with many attributes is read in time linear in its length', () =>
  assertLinear(
    80_000,
    count => `<a ${'b="c" '.repeat(count)}`,
    tag => htmlTagAt(tag, 0),
  ))

test.run()

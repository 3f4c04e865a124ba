import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeEntities, entityAt } from '../../../src/content/markdown/entities.ts'
import { htmlBlockStart, htmlTagAt } from '../../../src/content/markdown/html.ts'
import {
  escapeLine,
  escapeText,
  formatTarget,
  plainText,
  unescapeText,
} from '../../../src/content/markdown/plain-text.ts'
import { piecesOf } from '../../../src/content/markdown/table-cells.ts'

test('plain text is without formatting, links, HTML and escapes', () => {
  assert.is(
    plainText('**a** [b](c) ![d](e) `f` <g>h</g> \\* &eacute;\n  i<br>j'),
    'a b d f h * é i j',
  )
  assert.is(plainText('snake_case_name *not closed'), 'snake_case_name *not closed')
})

test('a tag in angle brackets that is no element is text', () => {
  for (const text of [
    'Sends to <account-id>.example.org and back',
    'List<List<int>>, <TOKEN>, <path>, <my-name a="b">, </my-name>',
  ])
    assert.is(plainText(text), text)
  assert.is(plainText('<kbd>a</kbd><BR><Frame x="y">b</Frame><path d="M0"/><!-- c -->'), 'a b')
})

test('escaped text reads as exactly this text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), text => {
      const line = text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')
      assert.is(plainText(escapeText(text)), line)
    }),
  )
  assert.is(escapeLine('1. a'), '1\\. a')
  assert.is(escapeText('Caf&eacute;'), 'Caf\\&eacute;')
})

test('targets are written bare where possible', () => {
  assert.is(formatTarget('a/b.md'), 'a/b.md')
  assert.is(formatTarget('a b(1).md'), '<a b(1).md>')
  assert.is(unescapeText(formatTarget('a&amp;b')), 'a&amp;b')
})

test('character references are those of HTML, with a semicolon', () => {
  assert.is(
    decodeEntities('&frac12; &#x41;&#66; &amp;amp; &nosuch; &copy'),
    '½ AB &amp; &nosuch; &copy',
  )
  assert.is(decodeEntities('&#0;&#xD800;&#x110000;'), '\ufffd\ufffd\ufffd')
  assert.equal(entityAt('a&lt;b', 1), { text: '<', length: 4 })
  assert.is(entityAt('a&ltb', 1), undefined)
})

test('HTML tags and the beginnings of HTML blocks are recognised', () => {
  assert.is(htmlTagAt('x <a href="b>c" d>', 2), '<a href="b>c" d>')
  assert.is(htmlTagAt('</a >', 0), '</a >')
  for (const text of ['<a b"c">', '< a>', '<1>', '<a'])
    assert.is(htmlTagAt(text, 0), undefined, text)
  assert.ok(htmlBlockStart('<!-- a', true)?.end?.test('b -->'))
  assert.equal(htmlBlockStart('<div>', true), { end: null })
  assert.equal(htmlBlockStart('<span>', false), { end: null })
  assert.is(htmlBlockStart('<span>', true), null)
  assert.is(htmlBlockStart('<span> a', false), null)
})

test('a paragraph with a table is split into the text before it and its cells', () => {
  const pieces = (source: string) =>
    [...piecesOf(source, { start: 0, end: source.length })].map(({ start, end }) =>
      source.slice(start, end),
    )

  assert.equal(pieces('before\n| a | b \\| c |\n|---|---|\n| d | e |'), [
    'before\n',
    ' a ',
    ' b \\| c ',
    ' d ',
    ' e ',
  ])
  assert.equal(pieces('a | b\n- c'), ['a | b\n- c'])
  assert.equal(pieces('a | b\n--- | ---\nc'), ['a ', ' b', 'c'])
})

test.run()

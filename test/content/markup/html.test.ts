import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { htmlPieces } from '../../../src/content/markup/html.ts'
import { assertLinear } from '../../support/cpu-time.ts'

const shown = (source: string) =>
  [...htmlPieces(source)].map(piece =>
    piece.kind === 'text'
      ? piece.text
      : piece.kind === 'close'
        ? `/${piece.name}`
        : `${piece.name}${piece.closed ? '/' : ''} ${JSON.stringify(piece.attributes)}`,
  )

test('tags, attributes and text are pieces in order', () => {
  assert.equal(shown('a<B Class=x title="1 &lt; 2" hidden>b</B>c'), [
    'a',
    'b {"class":"x","title":"1 < 2","hidden":""}',
    'b',
    '/b',
    'c',
  ])
})

test('elements without content are closed', () => {
  assert.equal(shown('<br><img src="a.png"><p/>'), ['br/ {}', 'img/ {"src":"a.png"}', 'p/ {}'])
})

test('the first of two equal attributes is used, and __proto__ is an ordinary name', () => {
  assert.equal(shown('<a href=1 HREF=2 __proto__=3>'), ['a {"href":"1","__proto__":"3"}'])
})

test('tags of unknown elements are text', () => {
  const source = 'a <account-id>.org <x y="&lt;"> </x> <path>'
  assert.is(shown(source).join(''), 'a <account-id>.org <x y="<"> </x> <path>')
  assert.equal(shown('<Frame><path d="M0"/>'), ['frame {}', 'path/ {"d":"M0"}'])
})

test('comments, declarations, scripts and styles are left out', () => {
  const source =
    'a<!-- <b> -->b<!DOCTYPE html>c<script>if (a < b) c()</script>d<style>p{}</style>e<?php ?>f'
  assert.equal(shown(source).join(''), 'abcdef')
  assert.equal(shown('a<script>never closed'), ['a'])
  assert.equal(shown('a<!-- never closed'), ['a'])
})

test('character references in text are resolved', () => {
  assert.equal(shown('1 &lt; 2 &amp; 3 < 4'), ['1 < 2 & 3 < 4'])
})

test('text without markup is preserved, whatever it is', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      const plain = text.replace(/[<&]/g, '')
      assert.is(shown(plain).join(''), plain)
    }),
  )
})

test('unclosed comments are found in time linear in the source', () =>
  assertLinear(
    8_000,
    count => '<!- <script <!--x '.repeat(count),
    source => Array.from(htmlPieces(source)),
  ))

test.run()

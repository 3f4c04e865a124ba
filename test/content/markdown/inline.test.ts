import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { codeSpans, scanInline } from '../../../src/content/markdown/inline.ts'

const scan = (source: string) =>
  scanInline(source, 0, source.length).map(({ kind, start, end, text, target, linkTitle }) => [
    kind,
    source.slice(start, end),
    source.slice(text.start, text.end),
    ...(target ? [source.slice(target.start, target.end)] : []),
    ...(linkTitle ? [source.slice(linkTitle.start, linkTitle.end)] : []),
  ])

test('inline elements have the offsets of the whole, of their text, target and title', () => {
  assert.equal(scan('a [b](c.md "d") ![e](<f g>) <https://h/> `i` <k>'), [
    ['link', '[b](c.md "d")', 'b', 'c.md', 'd'],
    ['image', '![e](<f g>)', 'e', 'f g'],
    ['autolink', '<https://h/>', 'https://h/'],
    ['code', '`i`', 'i'],
    ['html', '<k>', '<k>'],
  ])
})

test('only the given part of a source is scanned', () => {
  const source = '[a](b) [c](d) [e](f)'
  assert.equal(
    scanInline(source, 7, 13).map(({ start, end }) => source.slice(start, end)),
    ['[c](d)'],
  )
  assert.equal(scanInline('`a` b', 2, 5), [])
})

test('links do not nest, images do', () => {
  assert.equal(
    scan('[a [b](c)](d)').map(([, whole]) => whole),
    ['[b](c)'],
  )
  assert.equal(
    scan('[![a](b)](c)').map(([, whole]) => whole),
    ['![a](b)', '[![a](b)](c)'],
  )
})

test('runs of backticks are closed by the next run of the same length', () => {
  const source = 'a ``b` c`` `d'
  const pair = codeSpans(source, 0, source.length)
  assert.equal(pair(2), { size: 2, close: 8 })
  assert.equal(pair(11), { size: 1, close: undefined })
})

test.run()

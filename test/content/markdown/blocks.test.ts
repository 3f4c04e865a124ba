import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { scanBlocks } from '../../../src/content/markdown/blocks.ts'

const scan = (source: string) =>
  scanBlocks(source).map(({ kind, text, item, quoted, line }) => [
    kind,
    source.slice(text.start, text.end),
    item,
    quoted,
    line,
  ])

test('blocks have their content, their list item, their quote and their line', () => {
  assert.equal(scan('# A #\n\n* b\n\n  c\n\n> d\n\n```js\ne\n```\n\n***\n'), [
    ['heading', 'A', -1, false, 1],
    ['item', 'b', -1, false, 3],
    ['paragraph', 'b', 1, false, 3],
    ['paragraph', 'c', 1, false, 5],
    ['paragraph', 'd', -2, true, 7],
    ['fence', 'e\n', -1, false, 9],
    ['rule', '***', -1, false, 13],
  ])
})

test('a list item has its marker, its indentation and its content column', () => {
  const [item] = scanBlocks('  12.   a\n')
  assert.ok(item?.kind === 'item')
  const { ordered, bullet, marker, content, indent, contentColumn } = item
  assert.equal(
    { ordered, bullet, marker, content, indent, contentColumn },
    { ordered: true, bullet: '12.', marker: 2, content: 8, indent: 2, contentColumn: 8 },
  )
})

test('tabs count to the next multiple of four, and a quote consumes part of one', () => {
  assert.equal(
    scan('>\t\ta\n').map(([kind]) => kind),
    ['code'],
  )
  assert.equal(
    scan('*\ta\n\n\tb\n').map(([kind, text]) => [kind, text]),
    [
      ['item', 'a'],
      ['paragraph', 'a'],
      ['paragraph', 'b'],
    ],
  )
})

test('a scan begins at an offset, and a byte-order mark is not content', () => {
  assert.equal(
    scanBlocks('---\na: b\n---\n# A\n', 13).map(({ kind, line }) => [kind, line]),
    [['heading', 4]],
  )
  assert.is(scanBlocks('\ufeff# A\n')[0]?.kind, 'heading')
})

test('an unclosed fence reaches to the end, a closed one is marked', () => {
  const [open] = scanBlocks('```sh\na\n')
  const [closed] = scanBlocks('~~~ sh x\na\n~~~\n')
  assert.ok(open?.kind === 'fence' && !open.closed && open.info === 'sh')
  assert.ok(closed?.kind === 'fence' && closed.closed && closed.info === 'sh x')
})

test.run()

import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { codeSpan, fencedCode, indentRest, tableOf } from '../../../src/content/markdown/write.ts'

const parser = new MarkdownIt()
const codes = fc.string({
  unit: fc.constantFrom('`', '``', ' ', 'a', '|', '\\', '~'),
  minLength: 1,
  maxLength: 20,
})

test('a code span reads as its text', () => {
  fc.assert(
    fc.property(codes, text => {
      const [inline] = parser.parseInline(codeSpan(text), {})
      assert.equal(
        inline?.children?.map(({ type, content }) => [type, content]),
        [['code_inline', text]],
      )
    }),
  )
  assert.is(codeSpan('a\r\nb'), '`a b`')
  assert.is(codeSpan('a|b\\|c', { cell: true }), '`a\\|b\\|c`')
})

test('a fenced block reads as its lines', () => {
  fc.assert(
    fc.property(codes, text => {
      const [token, ...others] = parser.parse(fencedCode(`${text}\n${text}`, 'sh'), {})
      assert.equal(
        [token?.type, token?.info, token?.content, others.length],
        ['fence', 'sh', `${text}\n${text}\n`, 0],
      )
    }),
  )
  assert.is(fencedCode(undefined), '```\n```')
  assert.is(fencedCode('```` a'), '`````\n```` a\n`````')
  assert.ok(fencedCode('``` '.repeat(300_000)).startsWith('````\n'))
})

test('a table has a row of rules with alignments', () => {
  assert.is(
    tableOf(['a', 'b', 'c'], [['1', '2', '3']], ['left', 'center', 'right']),
    '| a | b | c |\n| --- | :---: | ---: |\n| 1 | 2 | 3 |',
  )
  assert.is(tableOf(['a'], []), '| a |\n| --- |')
})

test('all lines but the first are indented, and empty lines stay empty', () => {
  assert.is(indentRest('a\n\nb\n', 2), 'a\n\n  b\n')
})

test.run()

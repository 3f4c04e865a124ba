import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { MarkupElement } from '../../../src/content/markup/tree.ts'
import { columnsOf, emsOf, piecesOf } from '../../../src/content/print/columns.ts'

const element = (name: string, ...nodes: MarkupElement['nodes']): MarkupElement => ({
  name,
  attributes: {},
  nodes,
  blocks: false,
})

const column = (...texts: string[]) => ({
  cells: texts.map(text => element('td', element('code', text))),
  title: undefined,
})

const total = (ems: readonly number[]) => ems.reduce((sum, width) => sum + width, 0)

test('a word that fits is not broken', () => {
  assert.equal(piecesOf('read:workflow-definitions', 20, true), ['read:workflow-definitions'])
})

test('code is broken after signs and before a capital letter', () => {
  assert.equal(piecesOf('IWorkflowDefinitionsApi.ListAsync', 12, true), [
    'IWorkflow',
    'Definitions',
    'Api.',
    'List',
    'Async',
  ])
  assert.equal(piecesOf('/api/v1/workflow-definitions', 9, true), [
    '/',
    'api/',
    'v1/',
    'workflow-',
    'definitions',
  ])
})

test('a part without a joint is broken where it is too wide, and no character is lost', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 120 }),
      fc.double({ min: 3, max: 30, noNaN: true }),
      (text, most) => {
        const word = text.replace(/\s/g, '')
        const pieces = piecesOf(word, most, true)
        assert.is(pieces.join(''), word)
        if (/^[\x21-\u024f]*$/.test(word))
          for (const piece of pieces) assert.ok(emsOf(piece, true) <= most, piece)
      },
    ),
  )
})

test('a table that fits keeps its natural widths', () => {
  assert.is(columnsOf([column('a', 'bb'), column('true')], 0).widths, 'auto, auto')
})

test('a table that does not fit gives each column room for its longest word', () => {
  const { ems } = columnsOf(
    [column('CONNECTIONSTRINGS__POSTGRESQL'), column('a text '.repeat(40)), column('yes')],
    0,
  )
  assert.ok(ems[0]! >= emsOf('CONNECTIONSTRINGS__POSTGRESQL', true), String(ems))
  assert.ok(ems[2]! >= emsOf('yes', true), String(ems))
  assert.ok(ems[1]! > ems[0]!, String(ems))
})

test('columns together are never wider than the sheet, and none is empty', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string({ maxLength: 60 }), { maxLength: 4 }), {
        minLength: 1,
        maxLength: 24,
      }),
      fc.integer({ min: 0, max: 8 }),
      (texts, depth) => {
        const { ems } = columnsOf(
          texts.map(cells => column(...cells)),
          depth,
        )
        assert.ok(total(ems) < 62, String(total(ems)))
        for (const width of ems) assert.ok(width > 0)
      },
    ),
  )
})

test.run()

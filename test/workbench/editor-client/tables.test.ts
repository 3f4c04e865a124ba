import { EditorState, type TransactionSpec } from '@codemirror/state'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  addColumn,
  addRow,
  alignColumn,
  moveColumn,
  moveRow,
  nextCell,
  removeColumn,
  removeRow,
  tableAt,
} from '../../../src/workbench/editor-client/tables.ts'

type Work = TransactionSpec | undefined

/** Returns a state whose cursor is where the text has a "^". */
function at(marked: string): EditorState {
  const cursor = marked.indexOf('^')
  return EditorState.create({ doc: marked.replace('^', ''), selection: { anchor: cursor } })
}

const place = (state: EditorState) => {
  const found = tableAt(state)
  if (!found) throw new Error('The cursor is in no table.')
  return found
}

/** Returns the text after a change, with what is selected in brackets. */
function after(state: EditorState, change: Work): string {
  if (!change) return 'nothing'
  const { state: next } = state.update(change)
  const { from, to } = next.selection.main
  const text = next.doc.toString()
  return `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`
}

const plain = (text: string): string => text.replace(/[[\]]/g, '')

test('the cells around the cursor are found, with bars at the ends or without', () => {
  const found = place(at('text\n\n| a | b |\n| - | - |\n| c \\| d | e^ |\n\nmore'))
  assert.equal([found.row, found.column], [2, 1])
  assert.equal(
    [place(at('a | b\n--|--\n^c | d')).row, place(at('a | b\n--|--\nc | d^')).column],
    [2, 1],
  )
  assert.is(tableAt(at('a | b^\nc | d')), undefined)
  assert.is(tableAt(at('^text')), undefined)
})

test('rows are added, removed and moved, and no other row changes', () => {
  const table = '| a | b |\n|:--|--:|\n| 1 | 2^ |\n|3|4|'
  const [state, found] = [at(table), place(at(table))]
  assert.is(
    after(state, addRow(state, found)),
    '| a | b |\n|:--|--:|\n| 1 | 2 |\n| []  |   |\n|3|4|',
  )
  assert.is(plain(after(state, removeRow(state, found))), '| a | b |\n|:--|--:|\n|3|4|')
  assert.is(after(state, moveRow(state, found, 1)), '| a | b |\n|:--|--:|\n|3|4|\n| 1 | 2[] |')
  assert.is(after(state, moveRow(state, found, -1)), 'nothing')
  const head = at('| a^ |\n|--|\n| b |')
  assert.is(after(head, removeRow(head, place(head))), 'nothing')
})

test('columns are added, removed, moved and aligned', () => {
  const state = at('| a^ | b |\n|---|---|\n| 1 | 2 |')
  const found = place(state)
  assert.is(
    plain(after(state, addColumn(state, found))),
    '| a |   | b |\n|---| --- |---|\n| 1 |   | 2 |',
  )
  assert.is(plain(after(state, removeColumn(state, found))), '| b |\n|---|\n| 2 |')
  assert.is(plain(after(state, moveColumn(state, found, 1))), '| b | a |\n|---|---|\n| 2 | 1 |')
  assert.is(
    plain(after(state, alignColumn(state, found, 'center'))),
    '| a | b |\n| :---: |---|\n| 1 | 2 |',
  )
  const last = at('a | b^\n--|--\n1 | 2')
  assert.is(plain(after(last, removeColumn(last, place(last)))), 'a \n--\n1 ')
})

test('Tab goes from cell to cell, past the row of the alignment, and adds a row at the end', () => {
  const first = at('| a^ | b |\n|---|---|\n| c | d |')
  assert.is(after(first, nextCell(first, 1)), '| a | [b] |\n|---|---|\n| c | d |')
  const head = at('| a | b^ |\n|---|---|\n| c | d |')
  assert.is(after(head, nextCell(head, 1)), '| a | b |\n|---|---|\n| [c] | d |')
  const back = at('| a | b |\n|---|---|\n| c^ | d |')
  assert.is(after(back, nextCell(back, -1)), '| a | [b] |\n|---|---|\n| c | d |')
  const last = at('| a | b |\n|---|---|\n| c | d^ |')
  assert.is(after(last, nextCell(last, 1)), '| a | b |\n|---|---|\n| c | d |\n| []  |   |')
  const outside = at('te^xt')
  assert.is(after(outside, nextCell(outside, 1)), 'nothing')
})

test('every change of a table is one to a table of the same shape', () => {
  const cell = fc.constantFrom('a', '', ' b ', '`x\\|y`', '🙂')
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }).chain(columns =>
        fc.tuple(
          fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
            minLength: 1,
            maxLength: 4,
          }),
          fc.constant(columns),
          fc.nat(),
        ),
      ),
      ([rows, columns, n]) => {
        const line = (cells: readonly string[]) => `|${cells.join('|')}|`
        const [heads = [], ...others] = rows
        const text = [line(heads), line(heads.map(() => '---')), ...others.map(line)].join('\n')
        const start = EditorState.create({
          doc: text,
          selection: { anchor: n % (text.length + 1) },
        })
        const found = place(start)
        const works: Work[] = [
          addRow(start, found),
          removeRow(start, found),
          moveRow(start, found, 1),
          moveRow(start, found, -1),
          addColumn(start, found),
          removeColumn(start, found),
          moveColumn(start, found, 1),
          moveColumn(start, found, -1),
          alignColumn(start, found, 'right'),
          nextCell(start, 1),
          nextCell(start, -1),
        ]
        for (const work of works) {
          if (!work) continue
          const { state } = start.update(work)
          const counts = new Set(tableAt(state, 0)!.table.rows.map(({ length }) => length))
          assert.is(counts.size, 1)
          assert.ok([columns - 1, columns, columns + 1].includes([...counts][0]!))
        }
      },
    ),
  )
})

test.run()

import { EditorState, type TransactionSpec } from '@codemirror/state'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageTree } from '../../../src/content/markup/parse.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { blocks, inlines } from '../../../src/workbench/editor-client/blocks.ts'
import {
  continueList,
  insertBlock,
  insertInline,
  makeLink,
  toggleMark,
} from '../../../src/workbench/editor-client/insert.ts'

/** Returns a state in which what is between two "^", or after one, is selected. */
function at(marked: string): EditorState {
  const [from, to] = [marked.indexOf('^'), marked.lastIndexOf('^')]
  const doc = marked.replaceAll('^', '')
  return EditorState.create({ doc, selection: { anchor: from, head: to === from ? from : to - 1 } })
}

function after(state: EditorState, change: TransactionSpec | undefined): string {
  if (!change) return 'nothing'
  const { state: next } = state.update(change)
  const { from, to } = next.selection.main
  const text = next.doc.toString()
  return `${text.slice(0, from)}^${text.slice(from, to)}^${text.slice(to)}`
}

const block = (id: string) => blocks.find(each => each.id === id)!

test('a block stands between blank lines, wherever the cursor is', () => {
  const hint = block('hint-info')
  const of = (text: string) => after(at(text), insertBlock(at(text), hint))
  assert.is(of('^'), '{% hint style="info" %}\n^^\n{% endhint %}')
  assert.is(of('a^'), 'a\n\n{% hint style="info" %}\n^^\n{% endhint %}')
  assert.is(of('a\n^\nb'), 'a\n\n{% hint style="info" %}\n^^\n{% endhint %}\n\nb')
  assert.is(of('a\n\n^\n\nb'), 'a\n\n{% hint style="info" %}\n^^\n{% endhint %}\n\nb')
  assert.is(
    of('one ^two^ three'),
    'one \n\n{% hint style="info" %}\n^two^\n{% endhint %}\n\n three',
  )
})

test('a block in a list is indented like the line', () => {
  const state = at('* a\n\n  ^')
  assert.is(after(state, insertBlock(state, block('code'))), '* a\n\n  ```\n^^\n  ```')
})

test('what the menus insert is read as a block of the format, with nothing left over', () => {
  for (const { id, text } of blocks) {
    const state = EditorState.create({ doc: 'Before.\n\n\n\nAfter.', selection: { anchor: 9 } })
    const { state: next } = state.update(insertBlock(state, { text }))
    const { root } = atOnce(pageTree(next.doc.toString(), 'page.md'))
    const words = JSON.stringify(root)
    assert.not.match(words, /\{%|%\}/, id)
    assert.is(root.nodes.length >= 2, true, id)
  }
  for (const { text } of inlines) {
    const state = at('one ^two^ three')
    assert.match(after(state, insertInline(state, { text })), '^two^')
  }
})

test('marks are put around what is selected, and taken away again', () => {
  const on = at('a ^b^ c')
  assert.is(after(on, toggleMark(on, '**')), 'a **^b^** c')
  const around = at('a **^b^** c')
  assert.is(after(around, toggleMark(around, '**')), 'a ^b^ c')
  const inside = at('a ^**b**^ c')
  assert.is(after(inside, toggleMark(inside, '**')), 'a ^b^ c')
})

test('a link is made of words or of an address', () => {
  const words = at('see ^this^')
  assert.is(after(words, makeLink(words)), 'see [this](^^)')
  const address = at('see ^https://a.example^')
  assert.is(after(address, makeLink(address)), 'see [^^](https://a.example)')
})

test('Enter continues lists, tasks and quotes, and ends them in an empty item', () => {
  const of = (text: string) => after(at(text), continueList(at(text)))
  assert.is(of('* a^'), '* a\n* ^^')
  assert.is(of('  9. a^'), '  9. a\n  10. ^^')
  assert.is(of('- [x] a^'), '- [x] a\n- [ ] ^^')
  assert.is(of('> a^'), '> a\n> ^^')
  assert.is(of('* a\n* ^'), '* a\n^^')
  assert.is(of('text^'), 'nothing')
  assert.is(of('^* a'), 'nothing')
})

test.run()

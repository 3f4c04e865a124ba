import type { EditorState, TransactionSpec } from '@codemirror/state'
import type { EditorView, KeyBinding } from '@codemirror/view'
import { continueList, makeLink, toggleMark } from './insert.ts'
import { nextCell } from './tables.ts'

type Work = (state: EditorState) => TransactionSpec | undefined

/** Returns a command that applies a change, where there is one. */
export const command =
  (work: Work) =>
  (view: EditorView): boolean => {
    const change = work(view.state)
    if (!change) return false
    view.dispatch(change)
    return true
  }

/** The keys of what is written, besides those of every editor. */
export const writingKeys: readonly KeyBinding[] = [
  { key: 'Mod-b', run: command(state => toggleMark(state, '**')), preventDefault: true },
  { key: 'Mod-i', run: command(state => toggleMark(state, '_')), preventDefault: true },
  { key: 'Mod-e', run: command(state => toggleMark(state, '`')), preventDefault: true },
  { key: 'Mod-k', run: command(makeLink), preventDefault: true },
  { key: 'Enter', run: command(continueList) },
  {
    key: 'Tab',
    run: command(state => nextCell(state, 1)),
    shift: command(state => nextCell(state, -1)),
  },
]

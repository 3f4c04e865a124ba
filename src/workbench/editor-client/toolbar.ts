import type { EditorView } from '@codemirror/view'
import { blocks, inlines, type Piece } from './blocks.ts'
import { insertBlock, insertInline, makeLink, toggleMark } from './insert.ts'
import { command } from './keys.ts'
import {
  addColumn,
  addRow,
  alignColumn,
  moveColumn,
  moveRow,
  removeColumn,
  removeRow,
  type TablePlace,
  tableAt,
} from './tables.ts'

type Button = { label: string; face: string; run: (view: EditorView) => boolean }

const marks: readonly Button[] = [
  { label: 'Bold (Ctrl B)', face: 'B', run: command(state => toggleMark(state, '**')) },
  { label: 'Italic (Ctrl I)', face: 'I', run: command(state => toggleMark(state, '_')) },
  { label: 'Struck out', face: 'S', run: command(state => toggleMark(state, '~~')) },
  { label: 'Code (Ctrl E)', face: '<>', run: command(state => toggleMark(state, '`')) },
  { label: 'Link (Ctrl K)', face: 'Link', run: command(makeLink) },
]

const inTable =
  (work: (state: EditorView['state'], place: TablePlace) => ReturnType<typeof removeRow>) =>
  (view: EditorView): boolean => {
    const place = tableAt(view.state)
    const change = place && work(view.state, place)
    if (change) view.dispatch(change)
    view.focus()
    return change !== undefined
  }

const ofTables: readonly Button[] = [
  { label: 'Add a row below', face: '+ Row', run: inTable(addRow) },
  { label: 'Remove the row', face: '− Row', run: inTable(removeRow) },
  { label: 'Move the row up', face: '↑', run: inTable((state, at) => moveRow(state, at, -1)) },
  { label: 'Move the row down', face: '↓', run: inTable((state, at) => moveRow(state, at, 1)) },
  { label: 'Add a column', face: '+ Column', run: inTable(addColumn) },
  { label: 'Remove the column', face: '− Column', run: inTable(removeColumn) },
  {
    label: 'Move the column left',
    face: '←',
    run: inTable((state, at) => moveColumn(state, at, -1)),
  },
  {
    label: 'Move the column right',
    face: '→',
    run: inTable((state, at) => moveColumn(state, at, 1)),
  },
  {
    label: 'Align left',
    face: 'Left',
    run: inTable((state, at) => alignColumn(state, at, 'left')),
  },
  {
    label: 'Align in the middle',
    face: 'Middle',
    run: inTable((state, at) => alignColumn(state, at, 'center')),
  },
  {
    label: 'Align right',
    face: 'Right',
    run: inTable((state, at) => alignColumn(state, at, 'right')),
  },
]

/** The buttons above the editor, and those for the table that the cursor is in. */
export type Toolbar = { update: (view: EditorView) => void }

/** Fills an element with buttons and a menu of blocks for an editor. */
export function makeToolbar(
  element: HTMLElement,
  view: EditorView,
  images: { label: string; limit: string; choose: (view: EditorView) => boolean },
): Toolbar {
  const row = (label: string, buttons: readonly Button[]) => {
    const group = document.createElement('div')
    group.setAttribute('role', 'group')
    group.setAttribute('aria-label', label)
    group.append(...buttons.map(button => buttonOf(view, button)))
    return group
  }

  const first = row('Text', marks)
  const table = row('Table', ofTables)
  first.append(menuOf(view))
  const image = { label: images.label, face: 'Image', run: (on: EditorView) => images.choose(on) }
  const limit = document.createElement('small')
  limit.textContent = images.limit
  first.append(buttonOf(view, image), limit)
  table.hidden = true
  element.replaceChildren(first, table)

  return {
    update: ({ state }) => {
      table.hidden = tableAt(state) === undefined
    },
  }
}

function buttonOf(view: EditorView, { label, face, run }: Button): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = face
  button.title = label
  button.setAttribute('aria-label', label)
  button.addEventListener('click', () => {
    run(view)
    view.focus()
  })
  return button
}

/** Returns the list from which a block is chosen. */
function menuOf(view: EditorView): HTMLSelectElement {
  const select = document.createElement('select')
  select.setAttribute('aria-label', 'Insert a block')
  select.append(new Option('Insert…', ''))

  const group = (label: string, pieces: readonly Piece[], kind: string) => {
    const list = document.createElement('optgroup')
    list.label = label
    list.append(...pieces.map(({ id, title }) => new Option(title, `${kind} ${id}`)))
    select.append(list)
  }

  group('Blocks', blocks, 'block')
  group('In a line', inlines, 'inline')
  select.addEventListener('change', () => {
    const [kind, id] = select.value.split(' ')
    const isBlock = kind === 'block'
    const found = (isBlock ? blocks : inlines).find(each => each.id === id)
    select.value = ''
    if (found) view.dispatch((isBlock ? insertBlock : insertInline)(view.state, found))
    view.focus()
  })

  return select
}

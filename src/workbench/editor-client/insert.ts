import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state'
import type { Piece } from './blocks.ts'

/** What a piece replaces: what is selected, or what was typed to find the piece. */
type Range = { from: number; to: number }

/**
 * Returns the change that inserts a block between blank lines, with what is selected in it. In an
 * indented line, as in a list, all its lines are indented.
 */
export function insertBlock(
  state: EditorState,
  { text }: Pick<Piece, 'text'>,
  range: Range = state.selection.main,
): TransactionSpec {
  const line = state.doc.lineAt(range.from)
  const end = state.doc.lineAt(range.to)
  const indent = /^[ \t]*/.exec(line.text)?.[0] ?? ''
  const before = line.text.slice(0, range.from - line.from)
  const after = end.text.slice(range.to - end.from)
  const above = line.number > 1 ? state.doc.line(line.number - 1).text : ''
  const below = end.number < state.doc.lines ? state.doc.line(end.number + 1).text : ''
  const isLineEmpty = before.trim() === ''
  const start = isLineEmpty ? (above.trim() === '' ? '' : '\n') : '\n\n'
  const rest = after.trim() === '' ? (below.trim() === '' ? '' : '\n') : '\n\n'

  const selected = state.sliceDoc(range.from, range.to)
  const cut = text.lastIndexOf('$0')
  const [head, tail] = [text.slice(0, cut), text.slice(cut + 2)]
  const indented = (part: string) => part.replace(/\n(?=[^\n])/g, `\n${indent}`)
  const lead = isLineEmpty ? (start === '' ? indent : start + indent) : start + indent
  const inner = lead + indented(head)
  const from = isLineEmpty ? line.from : range.from
  const to = after.trim() === '' ? end.to : range.to
  const insert = inner + selected + indented(tail) + rest

  return {
    changes: { from, to, insert },
    selection: EditorSelection.range(from + inner.length, from + inner.length + selected.length),
    scrollIntoView: true,
    userEvent: 'input',
  }
}

/** Returns the change that inserts a piece within a line, with what is selected in it. */
export function insertInline(
  state: EditorState,
  { text }: Pick<Piece, 'text'>,
  { from, to }: Range = state.selection.main,
): TransactionSpec {
  const at = text.lastIndexOf('$0')
  const [head, tail] = [text.slice(0, at), text.slice(at + 2)]
  const selected = state.sliceDoc(from, to)
  return {
    changes: { from, to, insert: head + selected + tail },
    selection: EditorSelection.range(from + head.length, from + head.length + selected.length),
    scrollIntoView: true,
    userEvent: 'input',
  }
}

/** Returns the change that puts marks around what is selected, or takes them away. */
export function toggleMark(state: EditorState, mark: string): TransactionSpec {
  const { from, to } = state.selection.main
  const inner = state.sliceDoc(from, to)
  const isInside = inner.length >= 2 * mark.length && inner.startsWith(mark) && inner.endsWith(mark)
  const isAround =
    state.sliceDoc(from - mark.length, from) === mark &&
    state.sliceDoc(to, to + mark.length) === mark
  const base = { scrollIntoView: true, userEvent: 'input' }

  if (isInside) {
    const plain = inner.slice(mark.length, -mark.length)
    return {
      ...base,
      changes: { from, to, insert: plain },
      selection: EditorSelection.range(from, from + plain.length),
    }
  }

  if (isAround)
    return {
      ...base,
      changes: [
        { from: from - mark.length, to: from },
        { from: to, to: to + mark.length },
      ],
      selection: EditorSelection.range(from - mark.length, to - mark.length),
    }

  return {
    ...base,
    changes: [
      { from, insert: mark },
      { from: to, insert: mark },
    ],
    selection: EditorSelection.range(from + mark.length, to + mark.length),
  }
}

/** Returns the change that makes a link of what is selected. */
export function makeLink(state: EditorState): TransactionSpec {
  const { from, to } = state.selection.main
  const words = state.sliceDoc(from, to)
  const isAddress = /^https?:\/\/\S+$/.test(words)
  const insert = isAddress ? `[](${words})` : `[${words}]()`
  const at = isAddress ? from + 1 : from + words.length + 3
  return {
    changes: { from, to, insert },
    selection: EditorSelection.cursor(words === '' ? from + 1 : at),
    scrollIntoView: true,
    userEvent: 'input',
  }
}

const item = /^([ \t]*)(?:([*+-])|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?/

/**
 * Returns the change of the Enter key in a list or a quote: the next item, or the end of the list
 * in an empty one. Returns undefined elsewhere.
 */
export function continueList(state: EditorState): TransactionSpec | undefined {
  const { from, empty } = state.selection.main
  if (!empty) return undefined
  const line = state.doc.lineAt(from)
  const quote = /^[ \t]*(?:>[ \t]?)+/.exec(line.text)?.[0] ?? ''
  const found = item.exec(line.text.slice(quote.length))
  const mark = quote + (found?.[0] ?? '')
  if (mark === '' || from - line.from < mark.length) return undefined

  if (line.text.slice(mark.length).trim() === '')
    return {
      changes: { from: line.from, to: line.to, insert: found ? quote : '' },
      scrollIntoView: true,
      userEvent: 'input',
    }

  const [, indent = '', bullet, number, end = '', gap = ' ', task] = found ?? []
  const next = bullet ?? (number === undefined ? '' : String(Number(number) + 1) + end)
  const insert = `\n${quote}${found ? indent + next + gap + (task ? '[ ] ' : '') : ''}`

  return {
    changes: { from, insert },
    selection: EditorSelection.cursor(from + insert.length),
    scrollIntoView: true,
    userEvent: 'input',
  }
}

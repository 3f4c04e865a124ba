import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from '@codemirror/autocomplete'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { blocks, inlines, type Piece } from './blocks.ts'
import { insertBlock, insertInline } from './insert.ts'

type Insert = (
  state: EditorState,
  piece: Piece,
  range: { from: number; to: number },
) => TransactionSpec

const optionOf =
  (insert: Insert, section: string) =>
  (piece: Piece): Completion => ({
    label: `/${piece.title}`,
    displayLabel: piece.title,
    detail: piece.hint,
    section,
    apply: (view: EditorView, completion: Completion, from: number, to: number) =>
      view.dispatch(insert(view.state, piece, { from, to }), {
        annotations: pickedCompletion.of(completion),
      }),
  })

const menu = [
  ...blocks.map(piece => ({ piece, option: optionOf(insertBlock, 'Blocks')(piece) })),
  ...inlines.map(piece => ({ piece, option: optionOf(insertInline, 'In a line')(piece) })),
]

/** Returns what a menu offers for the words typed behind "/": titles first, then other words. */
function findPieces(typed: string): Completion[] {
  const words = typed.toLowerCase()
  const ranked = menu.flatMap(({ piece, option }) => {
    const title = piece.title.toLowerCase()
    if (title.startsWith(words)) return [{ rank: 0, option }]
    if (title.includes(words) || piece.id.includes(words)) return [{ rank: 1, option }]
    return piece.words.includes(words) ? [{ rank: 2, option }] : []
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ option }) => option)
}

/** Completes blocks behind a "/" that begins a line or follows a blank. */
export function completePieces(context: CompletionContext): CompletionResult | null {
  const found = context.matchBefore(/(?:^|\s)\/[\w -]{0,30}$/)
  if (!found) return null
  const from = found.from + found.text.indexOf('/')
  const options = findPieces(context.state.sliceDoc(from + 1, context.pos))
  return options.length === 0 ? null : { from, options, filter: false }
}

/** A page or a heading that a link can lead to; `target` is the address relative to the page. */
type LinkTarget = { title: string; target: string; detail: string }

/** Returns the completion of pages and headings behind "[[" and "@", asked at an address. */
export const completeLinks =
  (address: string) =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const found =
      context.matchBefore(/\[\[[^\]\n]{0,80}$/) ?? context.matchBefore(/(?:^|[\s(])@[^\s@]{0,60}$/)
    if (!found) return null
    const isMention = !found.text.startsWith('[[')
    const from = isMention ? found.from + found.text.indexOf('@') : found.from
    const words = context.state.sliceDoc(from + (isMention ? 1 : 2), context.pos)
    const asked = new URL(address, location.href)
    asked.searchParams.set('q', words)
    const stop = new AbortController()
    context.addEventListener('abort', () => stop.abort(), { onDocChange: true })

    try {
      const reply = await fetch(asked, { signal: stop.signal })
      if (!reply.ok) return null
      const { items } = (await reply.json()) as { items: LinkTarget[] }
      return { from, options: items.map(item => linkOption(item, isMention)), filter: false }
    } catch {
      return null
    }
  }

const linkOption = ({ title, target, detail }: LinkTarget, isMention: boolean): Completion => ({
  label: title,
  detail,
  apply: (view, completion, from, to) => {
    const rest = isMention ? 0 : view.state.sliceDoc(to, to + 2) === ']]' ? 2 : 0
    const insert = writeLink(title, target, isMention)
    view.dispatch({
      changes: { from, to: to + rest, insert },
      selection: { anchor: from + insert.length },
      annotations: pickedCompletion.of(completion),
    })
  },
})

/** Returns a link in Markdown; a mention shows the title of what it leads to. */
function writeLink(title: string, target: string, isMention: boolean): string {
  const words = title.replace(/[\\[\]]/g, '\\$&')
  const address = /[\s()<>]/.test(target) ? `<${target.replace(/[<>]/g, '\\$&')}>` : target
  return isMention ? `[${words}](${address} "mention")` : `[${words}](${address})`
}

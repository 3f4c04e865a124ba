import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import {
  defaultKeymap,
  history,
  historyField,
  historyKeymap,
  indentWithTab,
} from '@codemirror/commands'
import { syntaxHighlighting, syntaxTree } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
} from '@codemirror/view'
import { completeLinks, completePieces } from './completion.ts'
import { writingKeys } from './keys.ts'
import { contentLanguage } from './language.ts'
import { highlighting, look } from './look.ts'

type Options = {
  text: string
  label: string
  nonce: string
  /** The address that finds pages and headings. */
  links: string
  more: Extension
  onChange: (view: EditorView) => void
  onMove: (view: EditorView) => void
  /** A state that an earlier editor left, with its history. */
  former?: unknown
}

/** Opens an editor in an element. */
export function openView(parent: HTMLElement, options: Options): EditorView {
  const extensions = extensionsOf(options)
  const state = stateOf(options, extensions)
  return new EditorView({ parent, state })
}

function stateOf({ text, former }: Options, extensions: Extension): EditorState {
  if (former) {
    try {
      const state = EditorState.fromJSON(former, { extensions }, { history: historyField })
      if (state.doc.toString() === text) return state
    } catch {
      // What an older editor left is not understood: the text is there all the same.
    }
  }

  return EditorState.create({ doc: text, extensions })
}

/** Returns a state with its history, as `former` takes it. */
export const keptState = (view: EditorView): unknown => view.state.toJSON({ history: historyField })

const extensionsOf = ({ label, nonce, links, more, onChange, onMove }: Options): Extension => [
  EditorView.cspNonce.of(nonce),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  dropCursor(),
  highlightActiveLine(),
  EditorState.allowMultipleSelections.of(true),
  EditorView.lineWrapping,
  contentLanguage,
  syntaxHighlighting(highlighting),
  closeBrackets(),
  autocompletion({
    override: [completePieces, completeLinks(links)],
    icons: false,
    activateOnTyping: true,
    maxRenderedOptions: 60,
  }),
  search({ top: true }),
  highlightSelectionMatches(),
  more,
  keymap.of([
    ...completionKeymap,
    ...writingKeys,
    ...closeBracketsKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...defaultKeymap,
    indentWithTab,
  ]),
  look,
  EditorView.contentAttributes.of({
    'aria-label': label,
    spellcheck: 'true',
    autocorrect: 'on',
    'aria-description': 'Tab indents. To leave the text with Tab, press Escape first.',
    // Not every reader of the page takes text that can be edited as something to tab to.
    tabindex: '0',
  }),
  EditorView.updateListener.of(update => {
    if (update.docChanged) onChange(update.view)
    if (update.docChanged || update.selectionSet) onMove(update.view)
  }),
]

/** Returns the heights at which the headings of the source stand, with the beginning and the end. */
export function headingHeights(view: EditorView): number[] {
  const heights = [0]
  syntaxTree(view.state).iterate({
    enter: ({ name, from }) => {
      if (/^(?:ATX|Setext)Heading/.test(name)) heights.push(view.lineBlockAt(from).top)
      return name === 'Document'
    },
  })
  const { scrollHeight, clientHeight } = view.scrollDOM
  return [...heights, scrollHeight - clientHeight]
}

/** Replaces the text of an editor where it differs, so that the cursor and the history stay. */
export function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString()
  const most = Math.min(before.length, text.length)
  let from = 0
  while (from < most && before[from] === text[from]) from++
  let same = 0
  while (same < most - from && before.at(-1 - same) === text.at(-1 - same)) same++
  const insert = text.slice(from, text.length - same)
  view.dispatch({ changes: { from, to: before.length - same, insert } })
}

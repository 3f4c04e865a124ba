import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The colours of the source, which are those of code on pages. */
export const highlighting = HighlightStyle.define([
  { tag: tags.heading, color: 'var(--strong)', fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650', color: 'var(--strong)' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--primary)' },
  { tag: tags.monospace, color: 'var(--var)' },
  { tag: tags.quote, color: 'var(--muted)' },
  { tag: tags.tagName, color: 'var(--fn)' },
  { tag: tags.angleBracket, color: 'var(--key)' },
  { tag: tags.attributeName, color: 'var(--num)' },
  { tag: tags.attributeValue, color: 'var(--str)' },
  { tag: tags.labelName, color: 'var(--num)' },
  { tag: tags.atom, color: 'var(--num)' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.comment], color: 'var(--com)' },
])

const line = '1px solid var(--line)'

/** The look of the editor: sizes and colours are the variables of the page. */
export const look = EditorView.theme({
  '&': {
    height: '100%',
    fontSize: '.875rem',
    color: 'var(--text)',
    backgroundColor: 'var(--paper)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65', overflow: 'auto' },
  '.cm-content': { padding: '1rem 0 40vh', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 1.25rem' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '2px' },
  '.cm-activeLine': { backgroundColor: 'var(--raised)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in oklch, var(--primary) 25%, var(--paper))' },
  '.cm-panels': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    borderColor: 'var(--line)',
  },
  '.cm-panels.cm-panels-top': { borderBottom: line },
  '.cm-panels.cm-panels-bottom': { borderTop: line },
  '.cm-panel.cm-search': { padding: '.5rem 1.25rem', fontFamily: 'var(--sans)' },
  '.cm-panel.cm-search label': { fontSize: '.8125rem' },
  '.cm-textfield': {
    backgroundColor: 'var(--paper)',
    color: 'var(--text)',
    border: line,
    borderRadius: '.375rem',
    padding: '.25rem .5rem',
    fontSize: '.8125rem',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--paper)',
    color: 'var(--text)',
    border: line,
    borderRadius: '.375rem',
    padding: '.25rem .6rem',
    fontSize: '.8125rem',
  },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in oklch, var(--warning) 30%, var(--paper))' },
  '.cm-searchMatch-selected': {
    backgroundColor: 'color-mix(in oklch, var(--warning) 55%, var(--paper))',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--paper)',
    color: 'var(--text)',
    border: line,
    borderRadius: '.5rem',
    boxShadow: '0 .5rem 1.5rem rgb(0 0 0 / .18)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--sans)',
    fontSize: '.875rem',
    maxHeight: '20rem',
    minWidth: '16rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: '.35rem .75rem',
    display: 'flex',
    justifyContent: 'space-between',
    gap: '1.5rem',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--wash)',
    color: 'var(--strong)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '0' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '650' },
})

import type { Steps } from '../../lib/slices.ts'
import { wordsTree } from '../markup/parse.ts'
import { escapeHtml } from './escape.ts'
import { writeInlines } from './inline.ts'
import { noteIds } from './note-mark.ts'
import { isFull, type Noted, put, type Sheet } from './sheet.ts'

function writeNote(sheet: Sheet, { number, text, origin }: Noted): void {
  const { note, mark } = noteIds(number)
  put(sheet, `<li id="${note}">`)
  sheet.origin = origin
  writeInlines(sheet, wordsTree(text).nodes)
  const label = escapeHtml(sheet.options.words.backToText)
  put(sheet, ` <a href="#${mark}" role="doc-backlink" aria-label="${label}">↩</a></li>\n`)
}

/** Writes the footnotes of the page at its end. */
export function* writeNotes(sheet: Sheet): Steps<void> {
  const notes = [...sheet.noted.values()].flatMap(names => [...names.values()])
  if (notes.length === 0) return
  notes.sort((a, b) => a.number - b.number)
  const { origin } = sheet
  const label = escapeHtml(sheet.options.words.footnotes)

  put(sheet, `<section class="notes" role="doc-endnotes" aria-label="${label}"><ol>\n`)

  for (const note of notes) {
    if (isFull(sheet)) break
    writeNote(sheet, note)
    yield
  }

  put(sheet, '</ol></section>\n')
  sheet.origin = origin
}

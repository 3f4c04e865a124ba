import { type Noted, put, type Sheet } from './sheet.ts'

/**
 * Returns the ids of a footnote and of the place that refers to it. No heading has such an id: a
 * slug has no colon.
 */
export const noteIds = (number: number): { note: string; mark: string } => ({
  note: `note:${number}`,
  mark: `note-mark:${number}`,
})

/** Returns a footnote by its name, with its number on the page; undefined where there is none. */
function notedOf(sheet: Sheet, name: string): { noted: Noted; isNew: boolean } | undefined {
  const { origin } = sheet
  const text = origin.notes.get(name)
  if (text === undefined) return undefined

  const names = sheet.noted.get(origin.notes) ?? new Map<string, Noted>()

  sheet.noted.set(origin.notes, names)
  const known = names.get(name)
  if (known) return { noted: known, isNew: false }

  const noted = { number: ++sheet.notes, text, origin }

  names.set(name, noted)

  return { noted, isNew: true }
}

/** Writes the number of a footnote as a link to it. */
export function writeNoteMark(sheet: Sheet, name: string): void {
  const found = notedOf(sheet, name)
  if (!found) return
  const { number } = found.noted
  const { note, mark } = noteIds(number)
  const id = found.isNew ? ` id="${mark}"` : ''
  const shown = sheet.linked
    ? String(number)
    : `<a href="#${note}" role="doc-noteref">${number}</a>`

  put(sheet, `<sup class="note"${id}>${shown}</sup>`)
}

import { directoryOf, insidePath, isMarkdown } from '../files.ts'
import { parseSummary, type Summary, type SummaryEntry } from '../summary/parse.ts'
import { decode } from '../text/bytes.ts'
import type { Navigation, Outline, OutlineGroup } from './outline.ts'
import { entryFor, sectionFor } from './sections.ts'

/** The file with the languages of a book of the old GitBook and of HonKit. */
export const languagesPath = 'LANGS.md'

/** The most languages that are read, and the most bytes of all their lists of pages. */
const mostLanguages = 50
const mostBytes = 1_048_576

/** A language: its name and its folder, with its slash. */
type Language = { title: string; folder: string }

/** Returns the languages of `LANGS.md` with their folders, each folder once. */
function languagesIn(text: string): Language[] {
  const folders = new Map<string, Language>()
  const entries = parseSummary(text).groups.flatMap(group => group.entries)
  for (const { kind, title, target = '' } of entries) {
    const path = kind === 'page' ? insidePath('', target.replace(/^\/+/, '')) : undefined
    const folder = path && (isMarkdown(path) ? directoryOf(path) : `${path}/`)
    if (folder && !folders.has(folder)) folders.set(folder, { title, folder })
  }
  return [...folders.values()].slice(0, mostLanguages)
}

/** Returns the paths of the lists of pages that `LANGS.md` leads to. */
export const languageLists = (bytes: Uint8Array): string[] =>
  languagesIn(decode(bytes).text).map(({ folder }) => `${folder}SUMMARY.md`)

/**
 * Reads `LANGS.md`: a group for each language, with the list of pages of its folder. `lists` are
 * the contents of the files that `languageLists` names, as far as they exist.
 */
export function readLanguages(
  bytes: Uint8Array,
  lists: ReadonlyMap<string, Uint8Array>,
): Omit<Navigation, 'path'> {
  const notTaken = ['each language is a group of pages in this space, not a variant of its site']
  const taken: string[] = []
  let left = mostBytes

  const groups = languagesIn(decode(bytes).text).map(({ title, folder }): OutlineGroup => {
    const path = `${folder}SUMMARY.md`
    const list = lists.get(path)
    const front = [entryFor(`${folder}README.md`)]
    left -= list?.length ?? 0
    if (!list || left < 0) {
      notTaken.push(
        list
          ? `${path} is too long: not read`
          : `${path} was not read: it is not there, or too long`,
      )
      return { title, entries: front }
    }
    taken.push(path)
    const summary = parseSummary(decode(list).text)
    const [issue] = summary.issues
    if (issue)
      notTaken.push(`${path}, line ${issue.line ?? 1}: ${issue.message.replace(/\.$/, '')}`)
    return { title, entries: entriesOf(summary, folder) }
  })

  return { folder: '', ...(taken.length > 0 && { groups, lists: taken }), notTaken }
}

/** Returns the entries of a language; those below a heading are a section. */
const entriesOf = ({ groups }: Summary, folder: string): Outline[] =>
  groups.flatMap(({ title, entries }) => {
    const own = entries.flatMap(entry => below(entry, folder))
    return title === null ? own : [sectionFor(title, own)]
  })

/** Returns an entry with its target relative to the top folder; a computed one has no place here. */
function below({ kind, title, target = '', children }: SummaryEntry, folder: string): Outline[] {
  const entries = children.flatMap(child => below(child, folder))
  if (kind === 'computed') return entries
  if (kind === 'text') return [{ kind, title, children: entries }]
  const isUrl = /^[a-z][a-z0-9+.-]+:|^\/\//i.test(target)
  const path = isUrl ? target : `/${folder}${target.replace(/^\/+/, '')}`
  return [{ kind, title, target: path, children: entries }]
}

import { Fault, invalid } from '../../errors.ts'
import { mustGet } from '../../lib/must-get.ts'
import { directoryOf, insidePath, isMarkdown } from '../files.ts'
import { findLinks } from '../links/find.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { escapeText, formatTarget } from '../markdown/plain-text.ts'
import { findHeading, replaceBody } from '../page/edit.ts'
import { emptySummary, insertEntries, removeEntry } from '../summary/edit.ts'
import {
  parseSummary,
  type Summary,
  type SummaryEntry,
  type SummaryGroup,
} from '../summary/parse.ts'
import { decode } from '../text/bytes.ts'
import { blanksAfter, isBlank, lineAt, spliceAll } from '../text/lines.ts'
import { foldSlug } from '../text/slug.ts'
import type { ApplyTemplate, ContentRef } from './changes.ts'
import { type Draft, fileAt, putBytes, putText, setSummary, tellPage } from './draft.ts'
import { insertNewGroup } from './insert.ts'
import { folderFor, takenPaths, targetFor } from './paths.ts'
import { destinationOf, orderWith, summaryOf } from './places.ts'
import { bytesAt, structureOf } from './read.ts'
import type { Asking } from './requests.ts'
import { relink } from './settle-links.ts'
import type { Template, TemplateRef } from './template.ts'
import { fillTemplate, type RefValue } from './template-fill.ts'
import { treeInSteps, treeOf } from './tree.ts'

const firstPage = 'README.md'
const contents = 'SUMMARY.md'
const mostGroups = 100

/**
 * Adds the files of a template to the content, and the entries of its table of contents to that of
 * the space. Nothing is overwritten: throws 'conflict' with the files that exist. The first page of
 * the template fills the first page of the space if that is empty, and is left out otherwise.
 * Throws 'invalid' for names that are unknown, missing or unsuitable.
 */
export function* applyTemplate(draft: Draft, { template, refs }: ApplyTemplate): Asking<void> {
  yield* structureOf(draft)
  const values = valuesOf(draft, template, refs)
  const { root } = treeOf(draft).config
  const filled = fillTemplate(template, values, path => root + path)
  const bytesOf = (path: string) => filled.get(path) ?? mustGet(template.files, path)
  const hasFirst = fileAt(draft, root + firstPage) !== undefined
  const paths = [...template.files.keys()].filter(
    path => path !== contents && !(path === firstPage && hasFirst),
  )
  const opening = hasFirst ? yield* openingOf(draft, filled.get(firstPage)) : undefined

  refuseTaken(draft, template, paths, opening !== undefined)

  // A table of contents that does not exist yet is created first, from the tree without the new
  // pages.
  summaryOf(draft)
  for (const path of paths) putBytes(draft, root + path, bytesOf(path))
  if (opening !== undefined) putText(draft, root + firstPage, opening)
  yield* listPages(draft, readContents(draft, template, filled, hasFirst))
  const tree = treeOf(draft)

  for (const path of paths) {
    const page = tree.pageByFile.get(root + path)
    if (page) tellPage(draft, page.id, 'created_page')
  }

  const first = opening === undefined ? undefined : tree.pageByFile.get(root + firstPage)
  if (first) tellPage(draft, first.id, 'updated_page')
}

/** Returns the values of the template's names. */
function valuesOf(
  draft: Draft,
  template: Template,
  refs: ApplyTemplate['refs'],
): Map<string, RefValue> {
  const known = new Map(template.refs.map(ref => [ref.name, ref]))
  const list = (names: readonly string[]) =>
    names.map(name => JSON.stringify(name.slice(0, 60))).join(', ')
  const unknown = Object.keys(refs).filter(name => !known.has(name))

  if (unknown.length > 0)
    throw invalid(
      `"params.contentRefs": the template "${template.id}" does not have ${list(unknown.slice(0, 10))}. Its names: ${list([...known.keys()]) || 'none'}.`,
      { unknown },
    )

  const lacking = template.refs.filter(
    ({ name, required }) => required && !Object.hasOwn(refs, name),
  )

  if (lacking.length > 0)
    throw invalid(
      `"params.contentRefs": the template "${template.id}" needs ${list(lacking.map(({ name }) => name))}.`,
      { missing: lacking.map(({ name }) => name) },
    )

  return new Map(
    Object.entries(refs).map(([name, ref]) => [name, filling(draft, mustGet(known, name), ref)]),
  )
}

function filling(draft: Draft, { name, kinds }: TemplateRef, ref: ContentRef): RefValue {
  const where = `"params.contentRefs.${name}"`
  if (!kinds.some(kind => kind === ref.kind))
    throw invalid(`${where} must be of the kind ${kinds.join(', ')}, not "${ref.kind}".`)

  if (ref.space !== undefined && ref.space !== draft.source.spaceId)
    throw invalid(
      `${where} is in another space, which a relative link cannot reach. Use the kind "url".`,
    )

  const tree = treeOf(draft)
  if (ref.kind === 'url') return { url: ref.url! }
  if (ref.kind === 'openapi') return { spec: ref.spec! }

  if (ref.kind === 'file') {
    const file = tree.fileById.get(ref.file!)
    if (!file) throw invalid(`${where}: there is no file "${ref.file}" in this revision.`)
    return { path: file.path }
  }

  if (ref.page === undefined) throw invalid(`${where} needs the "page" that the anchor is in.`)

  const page = tree.pageById.get(ref.page)
  if (!page) throw invalid(`${where}: there is no page "${ref.page}" in this revision.`)
  if (!page.file)
    throw invalid(`${where}: the page "${page.title}" has no file that a link could lead to.`)

  return { path: page.file.path, fragment: ref.anchor }
}

/**
 * Returns the first page of the space with the text of the template's; undefined if it has text of
 * its own.
 */
function* openingOf(draft: Draft, bytes: Uint8Array | undefined): Asking<string | undefined> {
  if (!bytes) return undefined
  const there = yield* bytesAt(draft, treeOf(draft).config.root + firstPage)
  const { text: old, exact } = decode(there ?? new Uint8Array())
  if (!there || !exact) return undefined

  const parts = splitFrontMatter(old)
  if (!isBlank(old, wordsFrom(old, parts.body), old.length)) return undefined

  const text = decode(bytes).text
  const fresh = splitFrontMatter(text)
  const own = parts.block || fresh.body === 0 ? '' : `${text.slice(0, fresh.body)}\n`
  if (!findHeading(old)) return replaceBody(old, own + text.slice(blanksAfter(text, fresh.body)))

  const heading = old.slice(parts.body, wordsFrom(old, parts.body)).trim()
  const words = text.slice(blanksAfter(text, wordsFrom(text, fresh.body)))

  return replaceBody(old, `${own}${heading}\n\n${words}`)
}

/** Returns the offset at which the text of a page begins: behind its heading, if it has one. */
function wordsFrom(text: string, body: number): number {
  const heading = findHeading(text)
  return heading ? lineAt(text, heading.range.end).next : body
}

function refuseTaken(
  draft: Draft,
  template: Template,
  paths: readonly string[],
  opens: boolean,
): void {
  const { root } = treeOf(draft).config
  const taken = takenPaths(draft)
  const there = paths.filter(path => {
    const full = root + path
    return (
      taken.has(foldSlug(full)) || folderFor(draft, taken, directoryOf(full)) !== directoryOf(full)
    )
  })
  if (paths.length === 0 && !opens) there.push(firstPage)
  if (there.length === 0) return

  const shown = there.slice(0, 10).map(path => `"${root}${path}"`)
  const more = there.length > 10 ? ` and ${there.length - 10} more` : ''

  throw new Fault(
    'file_exists',
    `The template "${template.id}" would overwrite ${shown.join(', ')}${more}: rename or delete these files first. Nothing was written.`,
    { template: template.id, paths: there.slice(0, 100).map(path => root + path) },
  )
}

/**
 * Returns the template's table of contents, relative to that of the space, without the first page
 * if that is listed.
 */
function readContents(
  draft: Draft,
  template: Template,
  filled: ReadonlyMap<string, Uint8Array>,
  hasFirst: boolean,
): Summary {
  const { summaryPath, config } = treeOf(draft)
  const bytes = filled.get(contents)
  const text = bytes ? decode(bytes).text : listOf(filled)
  const folder = directoryOf(summaryPath)
  let summary = parseSummary(folder === config.root ? text : rebased(text, config.root, folder))

  if (summary.groups.length > mostGroups)
    throw invalid(
      `The table of contents of the template "${template.id}" has more than ${mostGroups} groups.`,
    )

  const target = targetFor(folder, config.root + firstPage)
  const own = summary.groups
    .flatMap(group => group.entries)
    .find(entry => entry.kind === 'page' && entry.target === target && entry.children.length === 0)
  if (own && hasFirst && draft.summary && listed(draft.summary, target))
    summary = parseSummary(removeEntry(summary, own))

  return summary
}

/** Returns a table of contents for a template without one: its pages by path. */
function listOf(filled: ReadonlyMap<string, Uint8Array>): string {
  const pages = [...filled.keys()].filter(path => !path.startsWith('.gitbook/') && isMarkdown(path))
  const lines = pages.sort().map(path => {
    const title = findHeading(decode(mustGet(filled, path)).text)?.text.trim() || path
    return `* [${escapeText(title)}](${formatTarget(path)})\n`
  })
  return emptySummary() + lines.join('')
}

/** Returns a table of contents with its targets relative to another folder. */
function rebased(text: string, root: string, folder: string): string {
  const splices = findLinks(text).flatMap(link => {
    const [path = '', ...rest] = link.target.split('#')
    const isPath = path !== '' && !/^(?:[A-Za-z][A-Za-z0-9+.-]+:|\/)/.test(path)
    const inside = isPath ? insidePath('', path) : undefined
    if (inside === undefined) return []
    return [relink(text, link, [targetFor(folder, root + inside), ...rest].join('#'))]
  })
  return spliceAll(text, splices)
}

const entriesIn = (entries: readonly SummaryEntry[]): SummaryEntry[] =>
  entries.flatMap(entry => [entry, ...entriesIn(entry.children)])

const listed = (summary: Summary, target: string): boolean =>
  summary.groups.some(group => entriesIn(group.entries).some(entry => entry.target === target))

/** Appends the entries of a template to those of the space; groups of the same name are merged. */
function* listPages(draft: Draft, from: Summary): Asking<void> {
  for (const group of from.groups)
    yield* putEntries(draft, from, group, yield* groupFor(draft, group))
}

/**
 * Returns the id of the space's group with this name, creating it if necessary; null for entries
 * without a group.
 */
function* groupFor(draft: Draft, { title, anchor }: SummaryGroup): Asking<string | null> {
  if (title === null) return null
  const groups = () => treeOf(draft).pages.filter(page => page.type === 'group')
  const { groups: written } = summaryOf(draft)
  const there = groups().find(page => written[page.group]?.title === title)
  if (there) return there.id
  yield* insertNewGroup(draft, { operation: 'insert_group', title, slug: anchor })
  return groups().at(-1)!.id
}

function* putEntries(
  draft: Draft,
  from: Summary,
  { entries }: SummaryGroup,
  into: string | null,
): Asking<void> {
  if (entries.length === 0) return
  const to = destinationOf(draft, into, undefined)
  const fresh = entriesIn(entries).map(() => null)
  const order = orderWith(draft, fresh, to.before)
  setSummary(draft, insertEntries(draft.summary!, to.place, from, entries), order)
  yield* treeInSteps(draft)
}

import type { Steps } from '../../lib/slices.ts'
import { baseName, directoryOf, withoutEnding } from '../files.ts'
import type { Outline } from '../navigation/outline.ts'
import type { PageFacts } from '../page/facts.ts'
import type { SummaryEntry, SummaryGroup } from '../summary/parse.ts'
import type { Issue, IssueList } from '../text/issues.ts'
import { safeSlug, slugOfFile, slugOfTitle } from '../text/slug.ts'
import { addressPages, type PagePlace } from './addresses.ts'
import { readComputed } from './computed.ts'
import { ownAddress } from './navigate.ts'
import { keySteps, type MadePage } from './page-keys.ts'
import { applyFacts, type PageNode, splitEmoji, titleOfDocument } from './page-node.ts'
import { type FileIndex, hasFolder, type Resolved, resolveEntry } from './resolve.ts'

/** Where an entry is: its group in the table of contents, and the page with an address above it. */
type EntryGroup = { group: number; above: PagePlace | undefined }

/** The state of building the pages of a tree. */
type PageMaking = {
  index: FileIndex
  facts: (oid: string) => PageFacts | undefined
  issues: IssueList
  lineAt: (offset: number) => number
  /** The page of each path that the table of contents names, missing files included. */
  claimed: Map<string, PageNode>
  /** The parsed source of each computed entry, by its YAML. */
  computed: Map<string, ReturnType<typeof readComputed>>
  /** Pages have the addresses of their files, whatever is above them. */
  followsFiles: boolean
  /** Beside a table of contents, too, front matter gives addresses and an entry may be a folder. */
  isOfTool: boolean
  /** All pages in order, parents before children. */
  made: MadePage[]
}

/** A group of a table of contents, or of an inferred one. */
export type Source = Pick<SummaryGroup, 'title'> &
  Partial<Pick<SummaryGroup, 'anchor' | 'heading'>> & {
    entries: readonly (SummaryEntry | Outline)[]
  }

/**
 * Builds the pages of a table of contents in steps: a node per heading; entries above the first
 * heading are at the top. Also returns all pages in order.
 */
export function* makePages(
  making: Omit<PageMaking, 'made'>,
  groups: readonly Source[],
): Steps<{ pages: PageNode[]; places: PagePlace[] }> {
  const pages: PageNode[] = []
  const all: PageMaking = { ...making, made: [] }
  for (const [group, source] of groups.entries()) {
    if (source.title === null) {
      yield* makeEntries(all, source.entries, { group, above: undefined }, pages)
      continue
    }
    const above = makeGroup(all, source, group)
    pages.push(above.node)
    yield* makeEntries(all, source.entries, { group, above }, above.node.pages)
  }

  const places: PagePlace[] = []
  for (const { place } of all.made) {
    places.push(withSafeSlug(place))
    if (places.length % 2048 === 0) yield
  }
  yield* addressPages(places)
  yield* keySteps(all.made)
  for (const [at, made] of all.made.entries()) {
    if (at % 2048 === 2047) yield
    reportEqual(all, made)
  }

  return { pages, places }
}

/** Returns a place whose slug leads to its page, whatever title, anchor or front matter it is from. */
function withSafeSlug(place: PagePlace): PagePlace {
  const { wanted, before = wanted } = place
  if (wanted === undefined) return place
  const safe = safeSlug(wanted)
  return safe === wanted ? place : Object.assign(place, { wanted: safe, before })
}

function makeGroup(making: PageMaking, source: Source, group: number): PagePlace {
  const { title, emoji } = splitEmoji(source.title ?? '')
  const node: PageNode = {
    id: '',
    key: '',
    type: 'group',
    title: title || 'Untitled',
    slug: '',
    path: '',
    group,
    pages: [],
  }
  if (emoji) node.emoji = emoji
  const wanted = source.anchor?.replaceAll('/', '-').trim() || slugOfTitle(title)
  const place = { node, above: undefined, wanted }
  making.made.push({ place, start: source.heading?.start })

  return place
}

// Recursion is bounded: the table of contents and the inferred tree are at most 64 levels deep.
function* makeEntries(
  making: PageMaking,
  entries: Source['entries'],
  group: EntryGroup,
  siblings: PageNode[],
): Steps<void> {
  for (const entry of entries) {
    const made = makeEntry(making, entry, group)
    const { node, wanted } = made.place
    if ('range' in entry) node.entry = entry
    making.made.push({ ...made, start: startOf(entry) })
    siblings.push(node)
    if (entry.kind === 'computed' || making.made.length % 256 === 0) yield
    if (entry.children.length === 0) continue
    const above = wanted === undefined ? group.above : made.place
    yield* makeEntries(making, entry.children, { ...group, above }, node.pages)
  }
}

function makeEntry(making: PageMaking, entry: SummaryEntry | Outline, group: EntryGroup): MadePage {
  if (entry.kind === 'computed') return makeComputed(making, entry, group)
  const resolved = entry.kind === 'text' ? undefined : resolveEntry(making.index, entry)
  if (!resolved)
    return entry.kind === 'text' ? makeText(making, entry, group) : makeLink(making, entry, group)

  if (resolved.kind === 'file') {
    report(making, entry, `"${entry.target}" is not a page; it is shown as a link.`)
    return makeLink(making, entry, group)
  }

  const path = pathOf(resolved)

  if (path !== undefined && making.claimed.has(path)) {
    report(
      making,
      entry,
      `"${path}" is listed twice; the first entry is the page, this one is a link to it.`,
    )
    return makeLink(making, entry, group)
  }

  return resolved.kind === 'page'
    ? makeDocument(making, entry, group, resolved)
    : makeMissing(making, entry, group, path)
}

const pathOf = (resolved: Exclude<Resolved, { kind: 'file' }>): string | undefined =>
  resolved.kind === 'page'
    ? resolved.file.path
    : resolved.kind === 'missing'
      ? resolved.path
      : undefined

function makeDocument(
  making: PageMaking,
  entry: SummaryEntry | Outline,
  group: EntryGroup,
  { file, ofFolder }: Extract<Resolved, { kind: 'page' }>,
): MadePage {
  const inside = file.path.slice(making.index.root.length)
  const facts = making.facts(file.oid)
  const named = slugOfFile(ofFolder ? `${directoryOf(inside)}README.md` : inside)
  const asked = making.isOfTool || !('range' in entry) ? facts?.frontMatter.slug : undefined
  const own = ownAddress(making, inside, asked)
  const label = 'range' in entry ? undefined : (entry.label ?? facts?.frontMatter.label?.trim())
  const title = titleOfDocument(entry.title, inside, facts, label)
  const node = newPage(making, entry, group, file.path, title)

  node.file = { path: file.path, oid: file.oid }
  if (ofFolder) node.ofFolder = true
  if (own.isAsked) node.isAsked = true
  if (facts) applyFacts(node, facts)
  if (label) node.linkTitle = label
  for (const issue of facts?.issues ?? []) making.issues.add({ ...issue, path: file.path })
  making.claimed.set(file.path, node)

  const before = own.place ? {} : { before: earlierSlug(inside, ofFolder) }

  return { place: { node, above: group.above, wanted: named, ...own.place, inside, ...before } }
}

/** Returns the slug of a file before other spellings of `README.md` counted, and names were made safe. */
function earlierSlug(inside: string, ofFolder: boolean): string {
  const name = baseName(inside)
  if (!ofFolder && name !== 'README.md') return withoutEnding(name) || name
  return baseName(directoryOf(inside).slice(0, -1)) || 'readme'
}

/** Makes a page whose file does not exist or, without a path, would be outside the root. */
function makeMissing(
  making: PageMaking,
  entry: SummaryEntry | Outline,
  group: EntryGroup,
  path?: string,
): MadePage {
  const target = path ?? entry.target ?? ''
  const folder = folderNamed(making, entry, path)
  if (folder === undefined)
    report(making, entry, whyMissing(making, target, path), 0, 'missing-page')

  const inside = path?.slice(making.index.root.length)

  // The name of a missing file may be any string; only a plain one becomes an address.
  const isPlain = inside !== undefined && !/[\\\p{Cc}]/u.test(inside)
  const wanted = isPlain ? slugOfFile(inside) : slugOfTitle(splitEmoji(entry.title).title)
  const node = newPage(making, entry, group, path ?? '', entry.title)

  node.missing = target
  if (folder !== undefined) node.folder = folder
  if (path !== undefined) making.claimed.set(path, node)

  return { place: { node, above: group.above, wanted, ...(isPlain && { inside }) } }
}

function whyMissing({ index }: PageMaking, target: string, path: string | undefined): string {
  const odd = index.odd.get(target)?.mode
  if (path === undefined) return `"${target}" is outside the content directory.`
  if (!odd) return `The file "${path}" does not exist.`
  return `"${path}" is a ${odd === '160000' ? 'submodule' : 'symbolic link'}, not a page.`
}

/** Returns the folder that an entry names with a slash, if it has files but no page of its own. */
function folderNamed(
  { index, isOfTool }: PageMaking,
  { target = '' }: SummaryEntry | Outline,
  path: string | undefined,
): string | undefined {
  if (!isOfTool || path === undefined || !target.endsWith('/') || index.odd.has(path))
    return undefined
  const folder = directoryOf(path)
  return folder !== index.root && hasFolder(index, folder) ? folder : undefined
}

function makeText(making: PageMaking, entry: SummaryEntry | Outline, group: EntryGroup): MadePage {
  const wanted = slugOfTitle(splitEmoji(('name' in entry && entry.name) || entry.title).title)
  const node = newPage(making, entry, group, '', entry.title)
  if (making.isOfTool && 'folder' in entry && entry.folder !== undefined) node.folder = entry.folder
  return { place: { node, above: group.above, wanted } }
}

function makeLink(making: PageMaking, entry: SummaryEntry | Outline, group: EntryGroup): MadePage {
  const node = newPage(making, entry, group, '', entry.title || entry.target || '')
  node.type = 'link'
  node.target = entry.target ?? ''
  return { place: { node, above: group.above }, name: splitEmoji(entry.title).title }
}

function makeComputed(
  making: PageMaking,
  entry: SummaryEntry | Outline,
  group: EntryGroup,
): MadePage {
  const yaml = ('yaml' in entry ? entry.yaml : undefined) ?? ''
  const read = making.computed.get(yaml) ?? readComputed(yaml)
  making.computed.set(yaml, read)
  const { computed, title, issues } = read

  for (const issue of issues) report(making, entry, issue.message, issue.line)
  const node = newPage(making, entry, group, '', entry.title || title)

  node.type = 'computed'
  if (computed) node.computed = computed

  return { place: { node, above: group.above }, name: title }
}

/** Makes a page without its address; the key is '' if it depends on that. */
function newPage(
  making: PageMaking,
  entry: SummaryEntry | Outline,
  { group }: EntryGroup,
  key: string,
  written: string,
): PageNode {
  const { title, emoji } = splitEmoji(written)
  const node: PageNode = {
    id: '',
    key,
    type: 'document',
    title: title || 'Untitled',
    slug: '',
    path: '',
    group,
    pages: [],
  }
  if (emoji) node.emoji = emoji
  const linkTitle =
    'range' in entry ? entry.linkTitle : entry.label === written ? undefined : entry.label
  if (linkTitle) node.linkTitle = linkTitle
  if (title === '') report(making, entry, 'This entry has no title.')

  return node
}

/** Reports a page that does not have the slug that it wants. */
function reportEqual({ index, issues, lineAt }: PageMaking, { place, start }: MadePage): void {
  const { node, wanted } = place
  if (wanted === undefined || node.slug === wanted || start === undefined) return
  const at =
    start >= 0
      ? { path: index.summaryPath, line: lineAt(start) }
      : node.file && { path: node.file.path }
  issues.add({
    message: `Another page at this level has the slug "${wanted}"; this one gets "${node.slug}".`,
    kind: 'equal-address',
    ...at,
  })
}

/** Returns the offset of an entry in the source; -1 in an inferred tree. */
const startOf = (entry: SummaryEntry | Outline): number =>
  'range' in entry ? entry.range.start : -1

function report(
  making: PageMaking,
  entry: SummaryEntry | Outline,
  message: string,
  within = 0,
  kind: Issue['kind'] & string = 'contents-entry',
): void {
  const start = startOf(entry)
  const place =
    start < 0 ? {} : { path: making.index.summaryPath, line: making.lineAt(start) + within }
  making.issues.add({ message: message.slice(0, 500), kind, ...place })
}

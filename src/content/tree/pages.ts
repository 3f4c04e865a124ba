import type { Steps } from '../../lib/slices.ts'
import { baseName, directoryOf } from '../files.ts'
import type { Outline } from '../navigation/outline.ts'
import type { PageFacts } from '../page/facts.ts'
import type { SummaryEntry, SummaryGroup } from '../summary/parse.ts'
import type { Issue, IssueList } from '../text/issues.ts'
import { foldSlug, slugOfFile, slugOfTitle, uniqueSlug } from '../text/slug.ts'
import { readComputed } from './computed.ts'
import { besideFiles, ownAddress } from './navigate.ts'
import { applyFacts, type PageNode, splitEmoji, titleOfDocument } from './page-node.ts'
import { type FileIndex, hasFolder, type Resolved, resolveEntry } from './resolve.ts'

type Scope = { taken: Set<string>; next: Map<string, number> }
type EntryGroup = { group: number; prefix: string }

/** The state of building the pages of a tree. */
type PageMaking = {
  index: FileIndex
  facts: (oid: string) => PageFacts | undefined
  issues: IssueList
  lineAt: (offset: number) => number
  /** The page of each path that the table of contents names, missing files included. */
  claimed: Map<string, PageNode>
  /** The slugs in use below each path. */
  scopes: Map<string, Scope>
  /** The parsed source of each computed entry, by its YAML. */
  computed: Map<string, ReturnType<typeof readComputed>>
  /** The addresses of the files, if pages have those of their files whatever is above them. */
  addresses?: ReadonlySet<string> | undefined
  /** Beside a table of contents, too, front matter gives addresses and an entry may be a folder. */
  isOfTool: boolean
  /** All pages in order, parents before children. */
  nodes: PageNode[]
}

/** A group of a table of contents, or of an inferred one. */
export type Source = Pick<SummaryGroup, 'title'> &
  Partial<Pick<SummaryGroup, 'anchor' | 'heading'>> & {
    entries: readonly (SummaryEntry | Outline)[]
  }

/**
 * Builds the pages of a table of contents in steps: a node per heading; entries above the first
 * heading are at the top.
 */
export function* makePages(making: PageMaking, groups: readonly Source[]): Steps<PageNode[]> {
  const pages: PageNode[] = []
  for (const [group, source] of groups.entries()) {
    if (source.title === null) {
      yield* makeEntries(making, source.entries, { group, prefix: '' }, pages)
      continue
    }
    const node = makeGroup(making, source, group)
    pages.push(node)
    yield* makeEntries(making, source.entries, { group, prefix: `${node.path}/` }, node.pages)
  }

  return pages
}

function makeGroup(making: PageMaking, source: Source, group: number): PageNode {
  const { title, emoji } = splitEmoji(source.title ?? '')
  const named = source.anchor?.replaceAll('/', '-').trim() || slugOfTitle(title)
  const wanted = besideFiles(making, '', named)
  const slug = takeSlug(making, '', wanted, source.heading?.start)
  const node: PageNode = {
    id: '',
    key: `#group:${slug}`,
    type: 'group',
    title: title || 'Untitled',
    slug,
    path: slug,
    group,
    pages: [],
  }
  if (emoji) node.emoji = emoji
  making.nodes.push(node)

  return node
}

// Recursion is bounded: the table of contents and the inferred tree are at most 64 levels deep.
function* makeEntries(
  making: PageMaking,
  entries: Source['entries'],
  place: EntryGroup,
  siblings: PageNode[],
): Steps<void> {
  for (const entry of entries) {
    const node = makeEntry(making, entry, place)
    if ('range' in entry) node.entry = entry
    making.nodes.push(node)
    siblings.push(node)
    if (entry.kind === 'computed' || making.nodes.length % 256 === 0) yield
    if (entry.children.length === 0) continue
    const prefix = node.path === '' ? place.prefix : `${node.path}/`
    yield* makeEntries(making, entry.children, { group: place.group, prefix }, node.pages)
  }
}

function makeEntry(making: PageMaking, entry: SummaryEntry | Outline, place: EntryGroup): PageNode {
  if (entry.kind === 'computed') return makeComputed(making, entry, place)
  const resolved = entry.kind === 'text' ? undefined : resolveEntry(making.index, entry)
  if (!resolved)
    return entry.kind === 'text' ? makeText(making, entry, place) : makeLink(making, entry, place)

  if (resolved.kind === 'file') {
    report(making, entry, `"${entry.target}" is not a page; it is shown as a link.`)
    return makeLink(making, entry, place)
  }

  const path = pathOf(resolved)

  if (path !== undefined && making.claimed.has(path)) {
    report(
      making,
      entry,
      `"${path}" is listed twice; the first entry is the page, this one is a link to it.`,
    )
    return makeLink(making, entry, place)
  }

  return resolved.kind === 'page'
    ? makeDocument(making, entry, place, resolved)
    : makeMissing(making, entry, place, path)
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
  place: EntryGroup,
  { file, ofFolder }: Extract<Resolved, { kind: 'page' }>,
): PageNode {
  const inside = file.path.slice(making.index.root.length)
  const facts = making.facts(file.oid)
  const named = slugOfFile(ofFolder ? `${directoryOf(inside)}README.md` : inside)
  const asked = making.isOfTool || !('range' in entry) ? facts?.frontMatter.slug : undefined
  const own = ownAddress(making, inside, place.prefix, asked)
  const address = own.address ?? place.prefix + named
  const prefix = directoryOf(address)
  const slug = takeSlug(making, prefix, baseName(address), startOf(entry), file.path)
  const label = 'range' in entry ? undefined : (entry.label ?? facts?.frontMatter.label?.trim())
  const title = titleOfDocument(entry.title, inside, facts, label)
  const node = newPage(making, entry, { ...place, prefix }, file.path, title, slug)

  node.file = { path: file.path, oid: file.oid }
  if (ofFolder) node.ofFolder = true
  if (own.isAsked) node.isAsked = true
  if (facts) applyFacts(node, facts)
  if (label) node.linkTitle = label
  for (const issue of facts?.issues ?? []) making.issues.add({ ...issue, path: file.path })
  making.claimed.set(file.path, node)

  return node
}

/** Makes a page whose file does not exist or, without a path, would be outside the root. */
function makeMissing(
  making: PageMaking,
  entry: SummaryEntry | Outline,
  place: EntryGroup,
  path?: string,
): PageNode {
  const target = path ?? entry.target ?? ''
  const folder = folderNamed(making, entry, path)
  if (folder === undefined)
    report(making, entry, whyMissing(making, target, path), 0, 'missing-page')

  const inside = path?.slice(making.index.root.length)

  // The name of a missing file may be any string; only a plain one becomes an address.
  const isPlain = inside !== undefined && !/[\\\p{Cc}]/u.test(inside)
  const wanted = isPlain ? slugOfFile(inside) : slugOfTitle(splitEmoji(entry.title).title)
  const slug = takeSlug(making, place.prefix, wanted, startOf(entry))
  const node = newPage(
    making,
    entry,
    place,
    path ?? `#page:${place.prefix}${slug}`,
    entry.title,
    slug,
  )

  node.missing = target
  if (folder !== undefined) node.folder = folder
  if (path !== undefined) making.claimed.set(path, node)

  return node
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

function makeText(making: PageMaking, entry: SummaryEntry | Outline, place: EntryGroup): PageNode {
  const named = slugOfTitle(splitEmoji(('name' in entry && entry.name) || entry.title).title)
  const wanted = besideFiles(making, place.prefix, named)
  const slug = takeSlug(making, place.prefix, wanted, startOf(entry))
  const key = `#page:${place.prefix}${slug}`
  const node = newPage(making, entry, place, key, entry.title, slug)
  if (making.isOfTool && 'folder' in entry && entry.folder !== undefined) node.folder = entry.folder
  return node
}

function makeLink(making: PageMaking, entry: SummaryEntry | Outline, place: EntryGroup): PageNode {
  const key = keyWithoutPath(making, 'link', place, splitEmoji(entry.title).title)
  const node = newPage(making, entry, place, key, entry.title || entry.target || '')
  node.type = 'link'
  node.target = entry.target ?? ''
  return node
}

function makeComputed(
  making: PageMaking,
  entry: SummaryEntry | Outline,
  place: EntryGroup,
): PageNode {
  const yaml = ('yaml' in entry ? entry.yaml : undefined) ?? ''
  const read = making.computed.get(yaml) ?? readComputed(yaml)
  making.computed.set(yaml, read)
  const { computed, title, issues } = read

  for (const issue of issues) report(making, entry, issue.message, issue.line)
  const node = newPage(
    making,
    entry,
    place,
    keyWithoutPath(making, 'computed', place, title),
    entry.title || title,
  )

  node.type = 'computed'
  if (computed) node.computed = computed

  return node
}

/** Returns the key of a page that has no address; a scope per kind and place keeps it unique. */
function keyWithoutPath(
  making: PageMaking,
  kind: string,
  place: EntryGroup,
  title: string,
): string {
  const scope = `#${kind}:${place.prefix}`
  return scope + takeSlug(making, scope, slugOfTitle(title))
}

function newPage(
  making: PageMaking,
  entry: SummaryEntry | Outline,
  { group, prefix }: EntryGroup,
  key: string,
  written: string,
  slug = '',
): PageNode {
  const { title, emoji } = splitEmoji(written)
  const path = slug === '' ? '' : prefix + slug
  const node: PageNode = {
    id: '',
    key,
    type: 'document',
    title: title || 'Untitled',
    slug,
    path,
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

/**
 * Returns the slug, with a suffix when a sibling has it. The suffix is reported as an issue if
 * `from`, the offset of the entry, is given.
 */
function takeSlug(
  making: PageMaking,
  prefix: string,
  wanted: string,
  from?: number,
  path?: string,
): string {
  let scope = making.scopes.get(prefix)
  if (!scope) {
    scope = { taken: new Set(), next: new Map() }
    making.scopes.set(prefix, scope)
  }

  const slug = uniqueSlug(wanted, scope.taken, scope.next)
  scope.taken.add(foldSlug(slug))

  if (slug !== wanted && from !== undefined)
    making.issues.add({
      message: `Another page at this level has the slug "${wanted}"; this one gets "${slug}".`,
      kind: 'equal-address',
      ...(from >= 0
        ? { path: making.index.summaryPath, line: making.lineAt(from) }
        : path
          ? { path }
          : {}),
    })

  return slug
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

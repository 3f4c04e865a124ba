import type { Steps } from '../../lib/slices.ts'
import { baseName, type ContentFile, directoryOf, isFolderPage, isRegular } from '../files.ts'
import type { Navigation, Outline, OutlineGroup } from '../navigation/outline.ts'
import { entryFor } from '../navigation/sections.ts'
import { safeSlug, slugOfFile } from '../text/slug.ts'
import { type ContentConfig, isUrl, spelledAs, spellingsIn } from './config.ts'
import { type FileIndex, indexFiles, type Navigated, resolveEntry } from './resolve.ts'

/** The most paths of missing pages that are watched for. */
const mostDecisive = 500

/**
 * Returns the table of contents of another tool with its front page at the top, wherever the tool
 * lists it.
 */
export function* navigatedSteps(
  index: FileIndex,
  { path, groups = [] }: Navigation,
): Steps<Navigated> {
  const missing: string[] = []
  const listed = new Map<string, Outline>()
  let seen = 0

  function* walk(entries: readonly Outline[]): Steps<void> {
    for (const entry of entries) {
      const found = resolveEntry(index, entry)
      if (found?.kind === 'missing') missing.push(found.path)
      // Of several entries for a page the first is the page, the others are links to it.
      const file = found?.kind === 'page' ? found.file.path : undefined
      if (file !== undefined && !listed.has(file)) listed.set(file, entry)
      if (++seen % 1024 === 0) yield
      yield* walk(entry.children)
    }
  }

  for (const { entries } of groups) yield* walk(entries)
  const names = ['index.md', 'index.mdx', ...(path.startsWith('mkdocs') ? ['README.md'] : [])]
  const name = names.find(each => index.byPath.has(index.root + each))
  const front =
    name === undefined
      ? listed.values().next().value
      : (listed.get(index.root + name) ?? entryFor(name))

  const decisive = listed.size > 0 ? [...listed.keys()].slice(0, 1) : missing.slice(0, mostDecisive)

  return {
    groups: front ? withFront(groups, front) : groups,
    hasPages: listed.size > 0,
    decisive,
  }
}

/**
 * Returns the settings of a space with those of another tool. The folder of its pages is the root if
 * a listed page or a table of contents is in it. A navigation without a page that exists is not
 * taken: its tool would list nothing, and a settings file alone must not move the pages of a space.
 */
export function* withNavigation(
  files: readonly ContentFile[],
  own: ContentConfig,
  navigation: Navigation,
): Steps<ContentConfig> {
  const placed = placedBy(files, own, navigation)
  if (typeof placed === 'object') return placed
  const decisive: string[] = []
  const roots = navigation.groups ? new Set([navigation.folder, '']) : []
  for (const root of roots) {
    const names = { root, readme: `${root}README.md`, summary: `${root}SUMMARY.md` }
    const config = spelledIn(files, { ...own, ...names, navigation })
    const index = yield* indexFiles(files, config)
    index.navigated ??= yield* navigatedSteps(index, navigation)
    decisive.push(...index.navigated.decisive, ...(navigation.lists ?? []))
    const hasSummary = root !== '' && index.byPath.has(config.summary)
    if (!index.navigated.hasPages && !hasSummary) continue
    return { ...config, redirects: redirectsBelow(root, own.redirects), decisive }
  }

  const { groups, ...others } = navigation
  const { places } = others
  const notTaken = groups
    ? [`${navigation.path}: no page that it lists exists; the folders are the list of pages`]
    : places
      ? [`${navigation.path}: ${placed}`]
      : []

  return {
    ...own,
    navigation: { ...others, notTaken: [...notTaken, ...navigation.notTaken] },
    decisive: [...decisive, ...Object.values(places ?? {})],
  }
}

/** Returns settings with the names of files as they are spelled. */
function spelledIn(files: readonly ContentFile[], config: ContentConfig): ContentConfig {
  const spellings = new Set(spellingsIn(config).flat())
  const there = new Set<string>()
  for (const file of files) if (spellings.has(file.path) && isRegular(file)) there.add(file.path)
  return spelledAs(config, path => there.has(path))
}

/**
 * Returns the settings with the places of pages that a settings file names, or why it is not
 * followed; undefined if it names none.
 */
function placedBy(
  files: readonly ContentFile[],
  own: ContentConfig,
  navigation: Navigation,
): ContentConfig | string | undefined {
  const { folder, places } = navigation
  if (!places) return undefined
  const has = (named: (path: string) => boolean) => files.some(({ path }) => named(path))
  const hasFile = (path: string) => has(each => each === path)
  const named = Object.values(places)
  // Beside the folder of the pages, the settings name that folder, which is the top one here.
  const isTop = folder !== '' && has(path => named.includes(folder + path))
  if (!isTop && !has(path => path.startsWith(folder)))
    return `the folder "${folder.slice(0, 200)}" has no files`
  const root = isTop && !has(path => path.startsWith(folder)) ? '' : folder
  const placeOf = (path: string) => root + path.slice(folder.length)
  const names = { readme: placeOf(places.readme), summary: placeOf(places.summary) }
  const redirects = redirectsBelow(root, own.redirects)
  const decisive = [own.summary]
  const config = spelledIn(files, { ...own, root, ...names, navigation, redirects, decisive })
  const isOwn = !hasFile(config.summary) && hasFile(own.summary)
  return isOwn
    ? `the table of contents is ${own.summary}, as "${config.summary.slice(0, 200)}" is not there`
    : config
}

/** Returns redirects with their targets, which are relative to the root, below the root. */
const redirectsBelow = (
  root: string,
  redirects: ContentConfig['redirects'],
): ContentConfig['redirects'] =>
  redirects.map(({ from, to }) => ({
    from,
    to: isUrl(to) ? to : root + to,
  }))

/** Returns groups with an entry before all others; the page of a section stays with its section. */
function withFront(groups: OutlineGroup[], front: Outline): OutlineGroup[] {
  const first = groups.flatMap(({ entries }) => entries).find(({ kind }) => kind !== 'link')
  if (first === front || front.children.length > 0) return groups
  const others = groups.map(({ title, entries }) => ({ title, entries: without(entries, front) }))
  return [{ title: null, entries: [front] }, ...others.filter(({ entries }) => entries.length > 0)]
}

/** Returns entries without one of them, and without sections that had no other. */
const without = (entries: readonly Outline[], gone: Outline): Outline[] =>
  entries.flatMap(entry => {
    if (entry === gone) return []
    const children = without(entry.children, gone)
    return entry.kind === 'text' && children.length === 0 ? [] : [{ ...entry, children }]
  })

/** Returns the address of a file where addresses follow files: that of a folder for its page. */
function addressOfFile(inside: string): string {
  const folder = directoryOf(inside).split('/').map(safeSlug).join('/')
  if (isFolderPage(inside) && folder !== '') return folder.slice(0, -1)
  return folder + slugOfFile(inside)
}

/**
 * Returns the names of the address that front matter asks for; undefined if it is none, and for the
 * front page.
 */
function namesAsked(slug: string): string[] | undefined {
  const parts = slug.split('/').filter(part => part !== '')
  const isAddress = (part: string) =>
    part.length <= 100 && !/^\.{1,2}$|^~|[\\?#%\p{Cc}]/u.test(part)
  return parts.length === 0 || parts.length > 16 || !parts.every(isAddress) ? undefined : parts
}

/**
 * Returns the place that a page asks for with `slug`, or that of its file where all pages have
 * those. A single name replaces that of the file. Without a place, the name of the file and its
 * place in the list decide.
 */
export function ownAddress(
  { followsFiles }: { followsFiles: boolean },
  inside: string,
  slug: string | undefined,
): { place?: { wanted: string; folder?: string }; isAsked?: true } {
  const parts = slug === undefined ? undefined : namesAsked(slug)?.map(safeSlug)
  if (slug !== undefined && parts) {
    const wanted = parts.at(-1)!
    const isOnlyName = parts.length === 1 && !slug.startsWith('/')
    const folder = isOnlyName ? followsFiles && directoryOf(inside) : directoryOf(parts.join('/'))
    return { place: { wanted, ...(folder !== false && { folder }) }, isAsked: true }
  }
  if (!followsFiles) return {}
  const address = addressOfFile(inside)
  return { place: { wanted: baseName(address), folder: directoryOf(address) } }
}

import {
  type Category,
  isCategory,
  longestCategory,
  readCategory,
} from '../../content/navigation/category.ts'
import { languagesPath } from '../../content/navigation/languages.ts'
import {
  isNamedSettings,
  listsFor,
  navigationPaths,
  readNavigation,
} from '../../content/navigation/navigation.ts'
import type { Navigation } from '../../content/navigation/outline.ts'
import type { Issue } from '../../content/text/issues.ts'
import {
  type ContentConfig,
  configPath,
  readConfig,
  spelledAs,
  spellingsIn,
} from '../../content/tree/config.ts'
import { withNavigation } from '../../content/tree/navigate.ts'
import { readBlob, streamBlobs, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { findEntry, listFiles, type TreeFile } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices, pauses } from '../../lib/slices.ts'

/** Larger tables of contents are ignored: the page tree is inferred, with a notice. */
const largest = 8 * 1024 * 1024

/**
 * Returns the settings of a tree: those of `.gitbook.yaml`, and those of another tool, unless the
 * former say where the pages are. Throws GitError 'object_unreadable'.
 */
export async function readConfigOf(
  repo: Repository,
  tree: Oid,
  listed?: readonly TreeFile[],
): Promise<{ config: ContentConfig; issues: Issue[] }> {
  const own = await findFile(repo, tree, configPath)
  const { placesPages, config: wanted, issues } = readConfig(await readSmall(repo, own))
  const read = { config: await spelledIn(repo, tree, wanted), issues }
  if (placesPages) return read
  const found = await toolFiles(repo, tree)
  const [first] = found
  if (!first) return read

  const settings: string[] = []
  for (const { path, oid } of found)
    if (isNamedSettings(path) || (await navigationOf(repo, tree, path, oid)).groups)
      settings.push(path)

  const navigation = await navigationOf(repo, tree, first.path, first.oid)
  settings.push(...(navigation.lists ?? []))
  const files = listed ?? (await listFiles(repo, tree)).files
  // A table of contents in the top folder says that the pages are there, unless settings name it.
  const isTop =
    !navigation.places && (await findFile(repo, tree, read.config.summary)) !== undefined
  const placed = isTop ? { ...navigation, folder: '' } : navigation
  const config = await inSlices(withNavigation(files, read.config, placed))
  if (config.navigation) sources.set(config.navigation, navigation)

  return { ...read, config: { ...config, settings } }
}

/** Returns settings with the names of files as they are spelled in a tree. */
async function spelledIn(
  repo: Repository,
  tree: Oid,
  config: ContentConfig,
): Promise<ContentConfig> {
  const there = new Set<string>()
  for (const paths of spellingsIn(config))
    for (const path of paths) {
      if ((await findFile(repo, tree, path)) === undefined) continue
      there.add(path)
      break
    }
  return spelledAs(config, path => there.has(path))
}

/** Returns the files in the top folder that may be settings of another tool. */
async function toolFiles(repo: Repository, tree: Oid): Promise<{ path: string; oid: Oid }[]> {
  const found: { path: string; oid: Oid }[] = []
  for (const path of navigationPaths) {
    const oid = await findFile(repo, tree, path)
    if (oid !== undefined) found.push({ path, oid })
  }

  return found
}

/** Returns a cache of values while a view holds them: YAML takes long to parse. */
function weakCache<Value extends object>() {
  const refs = new Map<string, WeakRef<Value>>()
  const collected = new FinalizationRegistry<string>(key => {
    if (!refs.get(key)?.deref()) refs.delete(key)
  })
  return {
    get: (key: string): Value | undefined => refs.get(key)?.deref(),
    set: (key: string, value: Value): void => {
      refs.set(key, new WeakRef(value))
      collected.register(value, key)
    },
  }
}

/** Settings of other tools by path and blob. */
const navigations = weakCache<Navigation>()
/** What was read of a file, kept in memory as long as what a view has taken of it. */
const sources = new WeakMap<Navigation, Navigation>()

async function navigationOf(
  repo: Repository,
  tree: Oid,
  path: string,
  oid: Oid,
): Promise<Navigation> {
  const lists = path === languagesPath ? await listsOf(repo, tree, path, oid) : new Map()
  const key = [`${oid} ${path}`, ...[...lists].map(([name, list]) => `${list} ${name}`)].join('\n')
  const known = navigations.get(key)
  if (known) return known
  const contents = new Map<string, Buffer>()
  for (const [name, list] of lists) {
    const bytes = await readSmall(repo, list, longestList)
    if (bytes) contents.set(name, bytes)
  }
  const read = readNavigation(path, await readSmall(repo, oid), contents)
  navigations.set(key, read)
  return read
}

/** Longer lists of pages of one language are not read. */
const longestList = 262_144

/** Returns the blobs of the other files that settings of another tool need, by path. */
async function listsOf(
  repo: Repository,
  tree: Oid,
  path: string,
  oid: Oid,
): Promise<Map<string, Oid>> {
  const found = new Map<string, Oid>()
  for (const name of listsFor(path, await readSmall(repo, oid))) {
    const list = await findFile(repo, tree, name)
    if (list !== undefined) found.set(name, list)
  }
  return found
}

/** The most folders whose settings are read, and the most bytes of all of them. */
const mostCategories = 1_000
const mostCategoryBytes = 262_144

/** Settings of folders by blob. */
const categories = weakCache<Category>()

/** Returns what the folders below the root say about themselves, by path with its slash. */
export async function readCategories(
  repo: Repository,
  files: readonly TreeFile[],
  root: string,
): Promise<Map<string, Category> | undefined> {
  const found = files
    .filter(({ path, mode }) => isCategory(path) && path.startsWith(root) && mode.startsWith('100'))
    .slice(0, mostCategories)
  if (found.length === 0) return undefined
  const oids = [...new Set(found.map(({ oid }) => oid))]
  const { read, left } = await categoriesOf(repo, oids)
  const whyNot = (oid: Oid) =>
    left.has(oid)
      ? `the settings of all folders have more than ${mostCategoryBytes / 1_024} KB together`
      : `it has more than ${longestCategory / 1_024} KB`

  return new Map(
    found.map(({ path, oid }) => {
      const folder = path.slice(0, path.lastIndexOf('/') + 1)
      return [folder, read.get(oid) ?? { notTaken: whyNot(oid) }]
    }),
  )
}

/** Returns the settings in blobs, and the blobs that were left because the others are too long. */
async function categoriesOf(
  repo: Repository,
  oids: readonly Oid[],
): Promise<{ read: Map<Oid, Category>; left: Set<Oid> }> {
  const read = new Map<Oid, Category>()
  const pause = pauses()
  let bytes = 0

  for await (const [oid, content] of streamBlobs(repo, oids, longestCategory)) {
    // The same folders are read of every revision, whatever was parsed before.
    bytes += content.length
    if (bytes > mostCategoryBytes) return { read, left: new Set(oids.slice(oids.indexOf(oid))) }
    const category = categories.get(oid) ?? readCategory(content)
    categories.set(oid, category)
    read.set(oid, category)
    await pause()
  }

  return { read, left: new Set() }
}

/** Returns the blob of the file at a path of a tree; undefined for other entries and for none. */
export async function findFile(
  repo: Repository,
  tree: Oid,
  path: string,
): Promise<Oid | undefined> {
  const entry = await findEntry(repo, tree, path)
  return entry?.mode.startsWith('100') ? entry.oid : undefined
}

/** Returns the bytes of a blob; undefined without one, or if it is too large. */
export async function readSmall(
  repo: Repository,
  oid: Oid | undefined,
  most = largest,
): Promise<Buffer | undefined> {
  if (oid === undefined) return undefined
  try {
    const bytes = await readBlob(repo, oid, most)
    if (!bytes) throw unreadable(oid)
    return bytes
  } catch (error) {
    if (isGitError(error, 'too_large')) return undefined
    throw error
  }
}

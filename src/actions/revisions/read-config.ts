import { type Category, isCategory, readCategory } from '../../content/navigation/category.ts'
import { navigationPaths, readNavigation } from '../../content/navigation/navigation.ts'
import type { Navigation } from '../../content/navigation/outline.ts'
import type { Issue } from '../../content/text/issues.ts'
import {
  type ContentConfig,
  configPath,
  readConfig,
  withNavigation,
} from '../../content/tree/config.ts'
import { readBlob, streamBlobs, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { findEntry, folderMode, type TreeFile } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'

/** Larger tables of contents are ignored: the page tree is inferred, with a notice. */
const largest = 8 * 1024 * 1024

/**
 * Returns the settings of a tree: those of `.gitbook.yaml`, or, without them and without a table of
 * contents, those of another tool. Throws GitError 'object_unreadable'.
 */
export async function readConfigOf(
  repo: Repository,
  tree: Oid,
): Promise<{ config: ContentConfig; issues: Issue[] }> {
  const own = await findFile(repo, tree, configPath)
  const read = readConfig(await readSmall(repo, own))
  if (own || (await findFile(repo, tree, read.config.summary))) return read

  for (const path of navigationPaths) {
    const oid = await findFile(repo, tree, path)
    if (oid === undefined) continue
    const navigation = await navigationOf(repo, path, oid)
    const folder =
      navigation.folder && (await findEntry(repo, tree, navigation.folder.slice(0, -1)))
    const hasFolder = folder !== '' && folder?.mode === folderMode
    return { ...read, config: withNavigation(read.config, navigation, hasFolder) }
  }

  return read
}

/** Settings of other tools by path and blob, while a view holds them: YAML takes long to parse. */
const navigations = new Map<string, WeakRef<Navigation>>()
const collected = new FinalizationRegistry<string>(key => {
  if (!navigations.get(key)?.deref()) navigations.delete(key)
})

async function navigationOf(repo: Repository, path: string, oid: Oid): Promise<Navigation> {
  const key = `${oid} ${path}`
  const known = navigations.get(key)?.deref()
  if (known) return known
  const read = readNavigation(path, await readSmall(repo, oid))
  navigations.set(key, new WeakRef(read))
  collected.register(read, key)
  return read
}

/** The most folders whose settings are read, and the most bytes of one. */
const mostCategories = 1_000
const largestCategory = 8_192

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
  const read = new Map<Oid, Category>()
  const oids = [...new Set(found.map(({ oid }) => oid))]

  for await (const [oid, bytes] of streamBlobs(repo, oids, largestCategory))
    read.set(oid, readCategory(bytes))

  return new Map(
    found.map(({ path, oid }) => {
      const folder = path.slice(0, path.lastIndexOf('/') + 1)
      return [folder, read.get(oid) ?? { notTaken: 'it is too long to be read' }]
    }),
  )
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
): Promise<Buffer | undefined> {
  if (oid === undefined) return undefined
  try {
    const bytes = await readBlob(repo, oid, largest)
    if (!bytes) throw unreadable(oid)
    return bytes
  } catch (error) {
    if (isGitError(error, 'too_large')) return undefined
    throw error
  }
}

import type { Steps } from '../../lib/slices.ts'
import { baseName, canBePage, directoryOf, folderPages, isMarkdown } from '../files.ts'
import type { Category } from '../navigation/category.ts'
import type { Outline } from '../navigation/outline.ts'
import type { PageFacts } from '../page/facts.ts'
import type { ContentConfig } from './config.ts'
import { type FileIndex, resolveEntry } from './resolve.ts'

type Folder = {
  name: string
  path: string
  pages: string[]
  folders: Map<string, Folder>
}

const deepest = 62

/**
 * Infers a table of contents from the files: the space's first page, then files and folders by
 * name. A folder is a page with its `README.md` or else its index, or a page without a file, whose
 * title is made from the name of the folder. Names that
 * start with a dot and folders without Markdown are left out. Titles of pages with a file are
 * empty, because the file has them. Targets start with a slash, relative to the root.
 */
export function* inferSteps(
  index: FileIndex,
  { readme, categories }: ContentConfig,
): Steps<Outline[]> {
  const top: Folder = { name: '', path: index.root, pages: [], folders: new Map() }
  let seen = 0
  for (const path of index.byPath.keys()) {
    if (++seen % 1024 === 0) yield
    const inside = path.slice(index.root.length)
    if (!isMarkdown(path) || path === index.summaryPath || path === readme) continue
    if (!canBePage(path) || /(?:^|\/)\./.test(inside)) continue
    folderOf(top, directoryOf(inside)).pages.push(path)
  }

  const isFirst = index.byPath.has(readme) && isMarkdown(readme) && readme.startsWith(index.root)
  const first = isFirst ? { ...entryOf(index, readme), isFront: true } : takePage(index, top)
  return [...(first ? [first] : []), ...(yield* entriesOf(index, top, categories))]
}

/**
 * Returns the folder of a path, creating it if necessary; below the depth limit everything goes
 * into the last folder.
 */
function folderOf(top: Folder, directory: string): Folder {
  let folder = top
  for (const name of directory.split('/').slice(0, -1).slice(0, deepest)) {
    let next = folder.folders.get(name)
    if (!next) {
      next = { name, path: `${folder.path}${name}/`, pages: [], folders: new Map() }
      folder.folders.set(name, next)
    }
    folder = next
  }

  return folder
}

function* entriesOf(
  index: FileIndex,
  folder: Folder,
  categories: ContentConfig['categories'],
): Steps<Outline[]> {
  const named: [string, Outline][] = folder.pages.map(path => [
    baseName(path).replace(/\.(?:mdx?|markdown)$/i, ''),
    entryOf(index, path),
  ])

  for (const child of folder.folders.values()) {
    const entry = takePage(index, child) ?? folderEntry(child)
    entry.children = yield* entriesOf(index, child, categories)
    named.push([child.name, { ...entry, ...namesIn(entry, categories?.get(child.path)) }])
  }

  // README first, then by name ignoring case; names that are equal then by code unit, so that the
  // order is deterministic.
  const rank = (name: string) => (name === 'README' ? 0 : 1)
  const keyed = named.map(([name, entry]) => {
    const position = entry.position ?? positionIn(name)
    if (position !== undefined) entry.position = position
    return { name, folded: name.toLowerCase(), entry }
  })

  yield
  keyed.sort(
    (a, b) =>
      rank(a.name) - rank(b.name) ||
      placeOf(a.entry) - placeOf(b.entry) ||
      order(a.folded, b.folded) ||
      order(a.name, b.name),
  )
  yield

  return keyed.map(({ entry }) => entry)
}

/** Returns what the settings of a folder change of its entry. */
function namesIn(entry: Outline, category: Category = {}): Partial<Outline> {
  const { label, position, title = label } = category
  return {
    ...(position !== undefined && { position }),
    ...(label && { label }),
    ...(entry.kind === 'text' && title && { title }),
  }
}

/** Numbers before a name, as in `02-install`; not dates and versions. */
const prefix = /^(\d{1,4})[ \t]*[-_.]+[ \t]*(?![\d\s._-]|$)/

function positionIn(name: string): number | undefined {
  const found = prefix.exec(name)?.[1]
  return found === undefined ? undefined : Number(found)
}

const placeOf = ({ position = Number.MAX_SAFE_INTEGER }: Outline): number => position

/**
 * Returns an inferred table of contents in the order that the front matter of its pages asks for.
 * Pages without a position follow; the page of the top folder stays the first.
 */
export function* orderedSteps(
  index: FileIndex,
  entries: readonly Outline[],
  facts: (oid: string) => PageFacts | undefined,
  isTop = true,
): Steps<Outline[]> {
  const placed: { entry: Outline; place: number }[] = []
  for (const [at, entry] of entries.entries()) {
    if (at % 256 === 255) yield
    const resolved = resolveEntry(index, entry)
    const page = resolved?.kind === 'page' ? facts(resolved.file.oid) : undefined
    const isFront =
      (at === 0 && (entry.target === '/' || entry.isFront === true)) ||
      (isTop && page?.frontMatter.slug === '/')
    const place = isFront ? -1 / 0 : (page?.frontMatter.position ?? placeOf(entry))
    const children = yield* orderedSteps(index, entry.children, facts, false)

    placed.push({ entry: { ...entry, children }, place })
  }

  placed.sort((a, b) => (a.place === b.place ? 0 : a.place - b.place))

  return placed.map(({ entry }) => entry)
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const entryOf = (index: FileIndex, path: string): Outline => ({
  kind: 'page',
  title: '',
  target: `/${path.slice(index.root.length)}`,
  children: [],
})

/**
 * Takes the page of a folder out of its pages. The target is the folder, so that the page has the
 * folder's address whatever the name of the file is.
 */
function takePage(index: FileIndex, folder: Folder): Outline | undefined {
  const page = folderPages(folder.path).find(path => folder.pages.includes(path))
  if (page === undefined) return undefined
  folder.pages.splice(folder.pages.indexOf(page), 1)
  return entryOf(index, folder.path)
}

/** Returns the entry of a folder without a page. */
function folderEntry({ name, path: folder }: Folder): Outline {
  const words = name.replace(prefix, '').replace(/[-_]+/g, ' ').trim() || name
  const title = words.replace(/^\p{Ll}/u, first => first.toUpperCase())
  return { kind: 'text', title, name, folder, children: [] }
}

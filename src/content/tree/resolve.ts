import { mustGet } from '../../lib/must-get.ts'
import type { Steps } from '../../lib/slices.ts'
import {
  type ContentFile,
  canBePage,
  directoryOf,
  folderPages,
  insidePath,
  isFolderPage,
  isMarkdown,
  isRegular,
  pageSpellings,
} from '../files.ts'
import { isCategory } from '../navigation/category.ts'
import type { Outline, OutlineGroup } from '../navigation/outline.ts'
import type { ContentConfig } from './config.ts'

/** The regular files under the root by path, and the places that targets are relative to. */
export type FileIndex = {
  byPath: Map<string, ContentFile>
  /** Symbolic links and submodules under the root. */
  odd: Map<string, ContentFile>
  root: string
  summaryPath: string
  /** A folder has a file about itself, as in Docusaurus. */
  hasCategories?: boolean
  /** The inferred table of contents, computed on first use. */
  inferred?: Outline[]
  /** That of another tool, likewise. */
  navigated?: Navigated
  /** The folders with files, computed on first use. */
  folders?: Set<string>
}

/** The table of contents of another tool. */
export type Navigated = {
  groups: OutlineGroup[]
  /** A page of the list exists. */
  hasPages: boolean
  /** The paths whose files decide about `hasPages`. */
  decisive: string[]
}

/** The result of resolving a target of the table of contents. */
export type Resolved =
  | { kind: 'page'; file: ContentFile; ofFolder: boolean }
  | { kind: 'file'; path: string }
  | { kind: 'missing'; path: string }
  | { kind: 'outside' }

const indexes = new WeakMap<readonly ContentFile[], FileIndex>()

/**
 * Indexes the files of a revision under the root; all others are not content. Cached per list of
 * files.
 */
export function* indexFiles(
  files: readonly ContentFile[],
  config: ContentConfig,
): Steps<FileIndex> {
  const known = indexes.get(files)
  if (known?.root === config.root && known.summaryPath === config.summary) return known
  const byPath = new Map<string, ContentFile>()
  const odd = new Map<string, ContentFile>()

  let hasCategories = false

  for (const [i, file] of files.entries()) {
    if (file.path.startsWith(config.root)) {
      ;(isRegular(file) ? byPath : odd).set(file.path, file)
      hasCategories ||= isRegular(file) && isCategory(file.path)
    }
    if (i % 2048 === 0) yield
  }

  const places = { root: config.root, summaryPath: config.summary }
  const index = { byPath, odd, hasCategories, ...places }

  indexes.set(files, index)

  return index
}

/**
 * Resolves a target against the directory of the table of contents or, with a leading slash,
 * against the root: verbatim first, then percent-decoded. `dir/` and `dir` mean the page of the
 * folder, `page` means `page.md`. Never leaves the root.
 */
export function resolveTarget(index: FileIndex, target: string): Resolved {
  const written = target.trim()
  const plain = written.startsWith('/')
    ? index.root + written.slice(1)
    : directoryOf(index.summaryPath) + written

  // Most targets are equal to the path and need no normalising.
  if (index.byPath.has(plain) && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(plain)) return kindOf(index, plain)

  let missing: string | undefined
  let outside = false

  for (const spelling of spellings(written)) {
    const base = spelling.startsWith('/') ? index.root : directoryOf(index.summaryPath)
    const path = insidePath(base, spelling.replace(/^\/+/, ''))
    if (path === undefined || !`${path}/`.startsWith(index.root)) {
      outside = true
      continue
    }

    const { candidates, meant } = candidatesOf(path, spelling)
    const found = candidates.find(candidate => index.byPath.has(candidate))
    if (found !== undefined) return kindOf(index, found, found !== path && isFolderPage(found))
    missing = meant
  }

  return outside || missing === undefined ? { kind: 'outside' } : { kind: 'missing', path: missing }
}

function kindOf(index: FileIndex, path: string, ofFolder = false): Resolved {
  const isPage = isMarkdown(path) && path !== index.summaryPath && canBePage(path)
  if (!isPage) return { kind: 'file', path }
  return { kind: 'page', file: mustGet(index.byPath, path), ofFolder }
}

function spellings(target: string): string[] {
  if (!target.includes('%')) return [target]
  try {
    const decoded = decodeURIComponent(target)
    return decoded === target ? [target] : [target, decoded]
  } catch {
    return [target]
  }
}

/** Returns the paths that a target may mean, in order, and the one meant when none of them exists. */
function candidatesOf(path: string, spelling: string): { candidates: string[]; meant: string } {
  if (path === '' || /(?:^|\/)\.{0,2}$/.test(spelling)) {
    const candidates = folderPages(path === '' ? '' : `${path}/`)
    return { candidates, meant: candidates[0] ?? path }
  }
  if (isMarkdown(path)) return { candidates: [path], meant: path }
  return { candidates: pageSpellings(path), meant: `${path}.md` }
}

/** Reports whether a folder, with its slash, has files. */
export function hasFolder(index: FileIndex, folder: string): boolean {
  index.folders ??= foldersOf(index.byPath.keys())
  return index.folders.has(folder)
}

function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>()
  for (const path of paths)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }

  return folders
}

/** Resolves the target of an entry; undefined for a link: a URL, or a path with a fragment. */
export function resolveEntry(
  index: FileIndex,
  entry: { kind: string; target?: string },
): Resolved | undefined {
  const target = entry.target ?? ''
  if (entry.kind === 'page') return resolveTarget(index, target)
  // `#` may start a fragment or be part of a file name: an existing file wins.
  if (!/^[^#:]+#/.test(target)) return undefined
  const path = insidePath(directoryOf(index.summaryPath), target)
  return path !== undefined && index.byPath.has(path) ? kindOf(index, path) : undefined
}

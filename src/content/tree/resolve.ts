import type { Steps } from '../../lib/slices.ts'
import { type ContentFile, canBePage, directoryOf, insidePath, isMarkdown, isRegular } from '../files.ts'
import type { ContentConfig } from './config.ts'
import type { Outline } from './infer.ts'

/** The regular files under the root by path, and where a table of contents' targets start. */
export type FileIndex = {
  byPath: Map<string, ContentFile>
  /** Symbolic links and submodules under the root. */
  odd: Map<string, ContentFile>
  root: string
  summaryPath: string
  /** What a table of contents would say that is not there, once somebody asked. */
  inferred?: Outline[]
}

/** What a target of the table of contents leads to. */
export type Resolved =
  | { kind: 'page'; file: ContentFile }
  | { kind: 'file'; path: string }
  | { kind: 'missing'; path: string }
  | { kind: 'outside' }

const indexes = new WeakMap<readonly ContentFile[], FileIndex>()

/** Sorts the files of a revision: those under the root by path; the rest is not part of the content. Once for a list. */
export function* indexFiles(files: readonly ContentFile[], config: ContentConfig): Steps<FileIndex> {
  const known = indexes.get(files)
  if (known?.root === config.root && known.summaryPath === config.summary) return known
  const byPath = new Map<string, ContentFile>()
  const odd = new Map<string, ContentFile>()
  for (const [i, file] of files.entries()) {
    if (file.path.startsWith(config.root)) (isRegular(file) ? byPath : odd).set(file.path, file)
    if (i % 2048 === 0) yield
  }
  const index = { byPath, odd, root: config.root, summaryPath: config.summary }
  indexes.set(files, index)
  return index
}

/**
 * Resolves a target against the directory of the table of contents (with a leading slash: against the root), verbatim
 * first and then percent-decoded. `dir/`, `dir` and `page` mean `dir/README.md` and `page.md`. Never outside the root.
 */
export function resolveTarget(index: FileIndex, target: string): Resolved {
  const written = target.trim()
  const plain = written.startsWith('/')
    ? index.root + written.slice(1)
    : directoryOf(index.summaryPath) + written
  // Most targets are written as the path is: nothing to normalise.
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
    const candidates = candidatesOf(path, spelling)
    const found = candidates.find(candidate => index.byPath.has(candidate))
    if (found !== undefined) return kindOf(index, found)
    missing = candidates.at(-1)
  }
  return outside || missing === undefined ? { kind: 'outside' } : { kind: 'missing', path: missing }
}

function kindOf(index: FileIndex, path: string): Resolved {
  const isPage = isMarkdown(path) && path !== index.summaryPath && canBePage(path)
  return isPage ? { kind: 'page', file: index.byPath.get(path)! } : { kind: 'file', path }
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

/** The paths that a target may mean, the one it means when nothing is there last. */
function candidatesOf(path: string, spelling: string): string[] {
  const readme = path === '' ? 'README.md' : `${path}/README.md`
  if (path === '' || /(?:^|\/)\.{0,2}$/.test(spelling)) return [readme]
  return isMarkdown(path) ? [path] : [path, readme, `${path}.md`]
}

/** What an entry's target leads to; undefined when it is a link: a URL, or a path with a fragment. */
export function resolveEntry(
  index: FileIndex,
  entry: { kind: string; target?: string },
): Resolved | undefined {
  const target = entry.target ?? ''
  if (entry.kind === 'page') return resolveTarget(index, target)
  // A fragment and a number sign in a file's name look alike: the file wins when it is there.
  if (!/^[^#:]+#/.test(target)) return undefined
  const path = insidePath(directoryOf(index.summaryPath), target)
  return path !== undefined && index.byPath.has(path) ? kindOf(index, path) : undefined
}

import type { Oid } from '../lib/oid.ts'
/** One entry of a tree: its path from the root of the content, its blob and its Git mode. */
export type ContentFile = { path: string; oid: Oid; mode: string }

/** Reports whether an entry is a regular file, not a symbolic link or a submodule. */
export const isRegular = (file: ContentFile): boolean =>
  file.mode === '100644' || file.mode === '100755'

/** Reports whether a path has the extension of a Markdown file. */
export const isMarkdown = (path: string): boolean => /\.(?:mdx?|markdown)$/i.test(path)

/** Returns a path without the extension of a Markdown file. */
export const withoutEnding = (path: string): string => path.replace(/\.(?:mdx?|markdown)$/i, '')

/** Returns the directory of a path with its slash, '' for the root. */
export const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Returns the last part of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * The spellings of `README.md` and `SUMMARY.md`, the first of them the exact one. On disks that
 * ignore case, people do not notice which one they have.
 */
export const readmeNames = ['README.md', 'readme.md', 'Readme.md', 'ReadMe.md', 'README.MD']
export const summaryNames = ['SUMMARY.md', 'summary.md', 'Summary.md', 'SUMMARY.MD']

/** The names of the file that is the page of its folder; the first that exists counts. */
const folderPageNames = [
  ...readmeNames,
  ...['index.md', 'Index.md', 'INDEX.md', 'index.MD', 'INDEX.MD'],
  ...['_index.md', 'index.mdx', 'Index.mdx'],
]

/** Returns the files that may be the page of a folder ('' or with its slash), likeliest first. */
export const folderPages = (folder: string): string[] => folderPageNames.map(name => folder + name)

/** Reports whether a file has a name of the page of a folder. */
export const isFolderPage = (path: string): boolean => folderPageNames.includes(baseName(path))

/**
 * Returns the files that a path in a link may mean, likeliest first: `dir/` the page of the folder,
 * `dir` also `dir.md`.
 */
export function pageSpellings(path: string): string[] {
  if (path === '' || path.endsWith('/')) return folderPages(path)
  const pages = folderPages(`${path}/`)
  const [readmes, indexes] = [pages.slice(0, readmeNames.length), pages.slice(readmeNames.length)]
  // The indexes of other tools come last, so that they never take a link from a page.
  return [path, ...readmes, `${path}.md`, ...indexes, `${path}.mdx`]
}

// Characters that mislead a terminal, a URL or a reader: control characters, direction overrides,
// and U+FFFD, which stands for bytes that are not UTF-8.
const misleading = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffd]/

/**
 * Reports whether a path can be shown as a page: no control characters, no direction overrides, at
 * most 4,096 characters.
 */
export const canBePage = (path: string): boolean => path.length <= 4096 && !misleading.test(path)

/**
 * Resolves a path against the directory `from` ('' or with its slash) by POSIX rules; a leading
 * slash starts at the root. Returns undefined for a path that leaves the root or contains a NUL,
 * and '' for the root itself.
 */
export function insidePath(from: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : from + path).split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

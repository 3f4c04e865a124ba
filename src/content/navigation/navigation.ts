import { decode } from '../text/bytes.ts'
import { readBook } from './book.ts'
import { languageLists, languagesPath, readLanguages } from './languages.ts'
import { readMintlify } from './mintlify.ts'
import { readMkdocs } from './mkdocs.ts'
import type { Navigation, ReadNavigation } from './outline.ts'

const readers: ReadonlyMap<string, ReadNavigation> = new Map([
  ['mkdocs.yml', readMkdocs],
  ['mkdocs.yaml', readMkdocs],
  ['docs.json', readMintlify],
  ['mint.json', readMintlify],
])

/** Settings that name places of pages and are files of the space like others. */
const bookReaders: ReadonlyMap<string, ReadNavigation> = new Map([
  ['book.json', readBook],
  ['book.js', readBook],
])

/** The paths of the files that `readNavigation` reads; the first that exists counts. */
export const navigationPaths: readonly string[] = [
  ...readers.keys(),
  languagesPath,
  ...bookReaders.keys(),
]

/** Reports whether one of `navigationPaths` is settings whatever is in it; JSON may be anything. */
export const isNamedSettings = (path: string): boolean =>
  readers.has(path) && !path.endsWith('.json')

/** The longest file that is read; the readers may have lower limits. */
const longest = 65_536

/** Returns the other files that one of `navigationPaths` needs to be read. */
export const listsFor = (path: string, bytes: Uint8Array | undefined): string[] =>
  path === languagesPath && bytes && bytes.length <= longest ? languageLists(bytes) : []

/**
 * Reads one of `navigationPaths`; without bytes, the file is too large. `lists` are the contents of
 * the files that `listsFor` names, as far as they exist. Never throws.
 */
export function readNavigation(
  path: string,
  bytes: Uint8Array | undefined,
  lists: ReadonlyMap<string, Uint8Array> = new Map(),
): Navigation {
  const read = readers.get(path) ?? bookReaders.get(path)
  if (!bytes || bytes.length > longest)
    return { path, folder: '', notTaken: [`${path} is longer than ${longest} bytes: not read`] }
  const { notTaken, ...navigation } = read ? read(decode(bytes).text) : readLanguages(bytes, lists)
  return { path, ...navigation, notTaken: notTaken.map(what => `${path}: ${what}`) }
}

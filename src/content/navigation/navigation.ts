import { decode } from '../text/bytes.ts'
import { readMintlify } from './mintlify.ts'
import { readMkdocs } from './mkdocs.ts'
import type { Navigation, ReadNavigation } from './outline.ts'

const readers: ReadonlyMap<string, ReadNavigation> = new Map([
  ['mkdocs.yml', readMkdocs],
  ['mkdocs.yaml', readMkdocs],
  ['docs.json', readMintlify],
  ['mint.json', readMintlify],
])

/** The paths of the files that `readNavigation` reads; the first that exists counts. */
export const navigationPaths: readonly string[] = [...readers.keys()]

/** Reports whether one of `navigationPaths` is settings whatever is in it; JSON may be anything. */
export const isNamedSettings = (path: string): boolean => !path.endsWith('.json')

/** The longest file that is read; the readers may have lower limits. */
const longest = 65_536

/** Reads one of `navigationPaths`; without bytes, the file is too large. Never throws. */
export function readNavigation(path: string, bytes: Uint8Array | undefined): Navigation {
  const read = readers.get(path)
  if (!read || !bytes || bytes.length > longest)
    return { path, folder: '', notTaken: [`${path} is longer than ${longest} bytes: not read`] }
  const { notTaken, ...navigation } = read(decode(bytes).text)
  return { path, ...navigation, notTaken: notTaken.map(what => `${path}: ${what}`) }
}

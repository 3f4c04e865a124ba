import { createHash } from 'node:crypto'
import { normalize } from '../../lib/normalize.ts'

/** The most bytes of a segment: file systems take 255, with the ending and a digest. */
const longest = 200

/** Returns a segment of a path as a file name that every system takes. */
function safe(segment: string): string {
  const name = decoded(segment)
    .replace(/[<>:"\\|?*\p{C}]/gu, '_')
    .replace(/^\.+$/, '_')
  const cut = Buffer.from(name)
    .subarray(0, longest)
    .toString()
    .replace(/\uFFFD$/, '')
  return cut === '' ? '_' : cut
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll('/', '_')
  } catch {
    return segment
  }
}

/** Returns the path of the file of a page whose address has this path below the site. */
export function fileOfPage(below: string): string {
  const segments = below.split('/').filter(segment => segment !== '')
  const path = segments.map(safe).join('/')
  return below === '' || below.endsWith('/') ? `${path}${path && '/'}index.html` : `${path}.html`
}

/**
 * Returns the path of a file with a digest of its address, for a path that the file of another
 * address has.
 */
export function otherFile(file: string, address: string): string {
  const digest = createHash('sha256').update(address).digest('hex').slice(0, 10)
  return file.replace(/(?=\.html$)/, `-${digest}`)
}

/**
 * Returns a path in the form in which it is equal to others that some systems take for the same.
 */
export const foldedFile = (file: string): string => normalize('NFC', file).toLowerCase()

/** Returns the path of the file of an image, a style sheet or another file with this address. */
export function fileOfAsset({ pathname, search }: URL): string {
  const digest = createHash('sha256')
    .update(pathname + search)
    .digest('hex')
    .slice(0, 10)
  return `_files/${digest}-${safe(pathname.split('/').at(-1) ?? '')}`
}

/** Returns the relative address of a file as another one names it. */
export function relativeAddress(from: string, to: string): string {
  const here = from.split('/').slice(0, -1)
  const there = to.split('/')
  let common = 0
  while (common < here.length && common < there.length - 1 && here[common] === there[common])
    common++

  return [
    ...here.slice(common).map(() => '..'),
    ...there.slice(common).map(encodeURIComponent),
  ].join('/')
}

import type { Oid } from '../../lib/oid.ts'
import type { ObjectType } from '../process/cat-file.ts'
import { parseTree, type TreeEntry } from '../values/parse.ts'

/** An object of a pack. */
export type PackObject = { type: ObjectType; content: Buffer }

/** Maximum bytes of all trees together: reading their entries takes time of the event loop. */
const mostTreeBytes = 256 * 1024

/**
 * Returns whether `git index-pack --strict` finds nothing wrong with each of these objects. They
 * are commits, trees and blobs of the form that Git writes today. Returns false where only Git can
 * tell: for tags, for trees of more than 256 kB together, and for trees in which an object of the
 * pack has a name that resembles `.git`, `.gitmodules` or `.gitattributes`. Does not check that the
 * objects they name exist.
 */
export function arePlain(objects: ReadonlyMap<Oid, PackObject>): boolean {
  let treeBytes = 0
  for (const { type, content } of objects.values()) {
    if (type === 'tree') treeBytes += content.length
    if (treeBytes > mostTreeBytes) return false
    if (type === 'commit' && !isPlainCommit(content)) return false
    if (type === 'tree' && !isPlainTree(content, oid => objects.has(oid))) return false
    if (type === 'tag') return false
  }

  return true
}

const person = String.raw`[^<>\n]* <[^<>\n]*> (?:0|[1-9]\d{0,9}) [+-]\d{4}`
const commit = new RegExp(
  String.raw`^tree [0-9a-f]{40}\n(?:parent [0-9a-f]{40}\n){0,100}author ${person}\ncommitter ${person}\n(?:(?:encoding|gpgsig) .*\n(?: .*\n)*)*\n`,
)

function isPlainCommit(content: Buffer): boolean {
  return !content.includes(0) && commit.test(content.toString('latin1'))
}

const folder = '40000'
const modes = new Set(['100644', '100755', '120000', folder])
/** File systems have no longer names. */
const mostNameBytes = 255

/**
 * Names of objects that are not in the pack are not looked at: they must be in the same place in a
 * visible commit.
 */
function isPlainTree(content: Buffer, isNew: (oid: Oid) => boolean): boolean {
  const entries = parsed(content)
  if (!entries) return false
  const names = new Set<string>()
  let before: Buffer | undefined

  for (const { mode, oid, raw } of entries) {
    const sorted = mode === folder ? Buffer.concat([raw, Buffer.from('/')]) : raw
    const name = raw.toString('latin1')
    if (!modes.has(mode) || /^0+$/.test(oid) || names.has(name)) return false
    if (before && before.compare(sorted) >= 0) return false
    if (raw.length === 0 || raw.length > mostNameBytes || name.includes('/')) return false
    if (isNew(oid) && !isPlainName(name, mode)) return false
    names.add(name)
    before = sorted
  }

  return true
}

function parsed(content: Buffer): readonly TreeEntry[] | undefined {
  try {
    return parseTree(content)
  } catch {
    return undefined
  }
}

/** The first bytes, in UTF-8, of the characters that HFS+ ignores in names. */
const maybeIgnored = /\xe2\x80|\xe2\x81|\xef\xbb/

/**
 * Returns whether no file system takes a name, given as one character per byte, for one that is
 * special to Git. HFS+ ignores some characters. Windows ignores case, dots and spaces at the end,
 * and what follows a colon; its short names have a tilde.
 */
export function isPlainName(name: string, mode: string): boolean {
  if (/[\\:~\x00-\x1f]/.test(name)) return false
  if (!name.startsWith('.') && name.search(maybeIgnored) !== 0) return true
  if (maybeIgnored.test(name) || mode === '120000') return false
  if (name === '.' || name === '..') return false
  return !/^\.git(?:[^a-z]|$|modules|attributes)/i.test(name)
}

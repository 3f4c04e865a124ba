import type { Oid } from '../../lib/oid.ts'
import { GitError } from '../values/errors.ts'
import type { TreeEntry } from '../values/parse.ts'

/**
 * One change of a tree: the object to put at the path, null to remove it. `mode` defaults to
 * '100644' for a new entry and to its present mode for an existing one; '40000' puts a whole tree
 * there. Removing a folder removes everything in it.
 */
export type TreeChangeRequest = { path: string; oid: Oid | null; mode?: string }

/** Where an edit reads trees from and writes new ones to. */
export type TreeStore = {
  readTree: (oid: Oid) => Promise<readonly TreeEntry[]>
  writeTree: (bytes: Buffer) => Promise<Oid>
}

type Node = { change: TreeChangeRequest | undefined; below: Map<string, Node> }

/**
 * Returns the tree that results from applying the changes to `base`; null when nothing is left.
 * Entries that no change names are copied byte for byte, including odd modes and names that are not
 * UTF-8. Folders without entries disappear. Throws GitError 'path_conflict' where a file and a
 * folder would have the same path, 'path_invalid' for a path that Git or another system could
 * interpret differently, both with `path`.
 */
export async function editTree(
  store: TreeStore,
  base: Oid | null,
  changes: readonly TreeChangeRequest[],
): Promise<Oid | null> {
  const root: Node = { change: undefined, below: new Map() }
  for (const change of changes) plant(root, change)
  return applyTo(store, base, root, '')
}

/** Throws GitError 'path_invalid' unless every part of the path may be written into a tree. */
export function checkPath(path: string): void {
  const parts = path.split('/')
  const bad = () =>
    new GitError('path_invalid', 'The path is not allowed.', { path: path.slice(0, 300) })
  if (Buffer.byteLength(path) > 1024 || parts.length > 64 || path.includes('\ufffd')) throw bad()
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > 255) throw bad()
    if (/[\x00-\x1f\x7f\\]/.test(part) || !part.isWellFormed() || isDotGit(part)) throw bad()
  }
}

/**
 * Names that HFS+ or NTFS treat as `.git`: invisible characters, trailing dots and spaces, streams,
 * short names.
 */
function isDotGit(part: string): boolean {
  const visible = part.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').toLowerCase()
  return /^(\.git|git~1)[. ]*(:.*)?$/.test(visible)
}

function plant(root: Node, change: TreeChangeRequest): void {
  checkPath(change.path)
  let node = root
  for (const part of change.path.split('/')) {
    let next = node.below.get(part)
    if (!next) {
      next = { change: undefined, below: new Map() }
      node.below.set(part, next)
    }
    node = next
  }

  node.change = change // for a repeated path the last change wins
}

async function applyTo(
  store: TreeStore,
  base: Oid | null,
  node: Node,
  at: string,
): Promise<Oid | null> {
  const old = base ? await store.readTree(base) : []
  const entries: TreeEntry[] = []
  const left = new Map(node.below)

  for (const entry of old) {
    const child = entry.name === undefined ? undefined : left.get(entry.name)
    if (!child) entries.push(entry)
    else {
      left.delete(entry.name!)
      await addChild(store, entries, at, entry.name!, child, entry)
    }
  }

  for (const [name, child] of left) await addChild(store, entries, at, name, child, undefined)
  if (entries.length === 0) return null

  return store.writeTree(serializeTree(inGitOrder(entries)))
}

async function addChild(
  store: TreeStore,
  entries: TreeEntry[],
  at: string,
  name: string,
  child: Node,
  entry: TreeEntry | undefined,
): Promise<void> {
  const path = at + name
  const put = (mode: string, oid: Oid) => entries.push({ mode, oid, name, raw: Buffer.from(name) })
  const old = entry && { ...entry, isFolder: isFolder(entry.mode) }
  const { change } = child

  if (change?.oid) put(await modeAt(store, path, child, change, old), change.oid)
  else if (child.below.size > 0) {
    if (entry && !old?.isFolder && !change) {
      // Removing something below a file has no effect; adding something there is a conflict.
      if (hasAdditions(child.below)) throw conflict(path)
      entries.push(entry)
      return
    }
    const tree = await applyTo(store, old?.isFolder && !change ? old.oid : null, child, `${path}/`)
    if (tree) put('40000', tree)
  }
}

/** Returns the mode of an object that is put at a path. Throws GitError 'path_conflict'. */
async function modeAt(
  store: TreeStore,
  path: string,
  child: Node,
  change: TreeChangeRequest,
  old: { mode: string; oid: Oid; isFolder: boolean } | undefined,
): Promise<string> {
  const mode = change.mode ?? (old && !old.isFolder ? old.mode : '100644')
  if (hasAdditions(child.below)) throw conflict(path)
  // A file may replace a folder only when the same changes empty the folder.
  if (old?.isFolder && !isFolder(mode) && (await applyTo(store, old.oid, child, `${path}/`)))
    throw conflict(path)
  return mode
}

const hasAdditions = (below: Map<string, Node>): boolean =>
  [...below.values()].some(node => Boolean(node.change?.oid) || hasAdditions(node.below))

/** Returns whether the mode of an entry is that of a folder. */
export const isFolder = (mode: string): boolean =>
  (Number.parseInt(mode, 8) & 0o170000) === 0o040000

const conflict = (path: string) =>
  new GitError('path_conflict', 'A file and a folder cannot have the same path.', { path })

/** Returns the bytes of a tree with these entries. */
export const serializeTree = (entries: readonly TreeEntry[]): Buffer =>
  Buffer.concat(
    entries.flatMap(({ mode, raw, oid }) => [
      Buffer.from(`${mode} `),
      raw,
      Buffer.of(0),
      Buffer.from(oid, 'hex'),
    ]),
  )

/**
 * Sorts entries as Git does: by the bytes of their names, a folder as if its name ended in a slash.
 */
export const inGitOrder = (entries: readonly TreeEntry[]): TreeEntry[] =>
  entries
    .map(entry => ({
      entry,
      key: isFolder(entry.mode) ? Buffer.concat([entry.raw, Buffer.of(47)]) : entry.raw,
    }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ entry }) => entry)

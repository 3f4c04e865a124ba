import { Fault, missing } from '../../errors.ts'
import type { Oid } from '../../lib/oid.ts'
import type { Link } from '../links/find.ts'
import { inboundOf } from '../links/inbound.ts'
import { decode } from '../text/bytes.ts'
import type { ContentTree } from '../tree/build.ts'
import { type Draft, fileAt } from './draft.ts'
import { type Asking, ask, type Structure } from './requests.ts'

/** Reads blobs of the repository, unless they were read before. */
export function* readBlobs(draft: Draft, oids: Iterable<Oid>): Asking<void> {
  const unread = [...new Set(oids)].filter(oid => !draft.bytes.has(oid) && !draft.blobs.has(oid))
  if (unread.length === 0) return
  const blobs = yield* ask<'blobs'>({ ask: 'blobs', oids: unread })
  for (const oid of unread) draft.blobs.set(oid, blobs.get(oid))
}

/** Returns the bytes of a blob; undefined if it is too large. */
export function* blobOf(draft: Draft, oid: Oid): Asking<Uint8Array | undefined> {
  yield* readBlobs(draft, [oid])
  return draft.bytes.get(oid) ?? draft.blobs.get(oid)
}

/** Returns the current bytes of a file; undefined if it does not exist or is too large. */
export function* bytesAt(draft: Draft, path: string): Asking<Uint8Array | undefined> {
  const file = fileAt(draft, path)
  return file && (yield* blobOf(draft, file.oid))
}

/**
 * Returns the text of a file to edit. Throws 'missing' if it does not exist, 'content_not_editable' if it
 * is too large or not UTF-8.
 */
export function* textAt(draft: Draft, path: string): Asking<string> {
  const bytes = yield* bytesAt(draft, path)
  if (!bytes) {
    if (!fileAt(draft, path)) throw missing('file', path)
    throw new Fault(
      'content_not_editable',
      `"${path}" is too large to be edited here: change it with Git.`,
      { path },
    )
  }
  const { text, exact } = decode(bytes)

  if (!exact)
    throw new Fault(
      'content_not_editable',
      `"${path}" is not valid UTF-8, so it cannot be edited here: change it with Git.`,
      { path },
    )

  return text
}

/**
 * Returns the input of the page tree. A change that may affect more than the text of pages asks for
 * it first: before that, only the files of pages are known.
 */
export function* structureOf(draft: Draft): Asking<Structure> {
  if (draft.structure) return draft.structure.input
  const input = yield* ask<'structure'>({ ask: 'structure' })
  const files = new Map(input.files.map(file => [file.path, file]))
  draft.structure = { input, files }

  // The modes of the pages that were written so far were not known.
  for (const [path, file] of draft.changed) {
    const mode = files.get(path)?.mode
    if (file && mode !== undefined) draft.changed.set(path, { ...file, mode })
  }

  return input
}

/** Reads revisions, unless they were read before. */
export function* readSnapshots(draft: Draft, names: Iterable<string>): Asking<void> {
  const unread = [...new Set(names)].filter(name => !draft.snapshots.has(name))
  if (unread.length === 0) return
  const snapshots = yield* ask<'snapshots'>({ ask: 'snapshots', names: unread })
  for (const name of unread) draft.snapshots.set(name, snapshots.get(name))
}

/**
 * Returns the tree of a revision by the name that changes use; undefined for '' if the batch has no
 * such revision.
 */
export function* snapshotOf(draft: Draft, name: string): Asking<ContentTree | undefined> {
  yield* readSnapshots(draft, [name])
  return draft.snapshots.get(name)
}

/**
 * Returns the links of each blob that may link to one of the files, by id; undefined for a blob
 * without any.
 */
export function* linksTo(
  draft: Draft,
  paths: ReadonlySet<string>,
  oids: readonly Oid[],
): Asking<ReadonlyMap<string, readonly Link[] | undefined>> {
  // One search serves every file whose links the batch is known to rewrite.
  if (![...paths].every(path => draft.links.to.has(path)))
    draft.links = { to: new Set([...draft.links.to, ...paths]), found: new Map() }
  const { to, found } = draft.links
  const unread = oids.filter(oid => !found.has(oid) && !draft.blobs.has(oid))

  if (unread.length > 0) {
    const linking = yield* ask<'links'>({ ask: 'links', to: [...to], oids: unread })
    for (const oid of unread) found.set(oid, linking.get(oid)?.links)
    for (const [oid, { bytes }] of linking) draft.blobs.set(oid, bytes)
  }

  const linksOf = inboundOf([...to])

  for (const oid of oids) {
    if (found.has(oid)) continue
    const bytes = draft.blobs.get(oid)
    found.set(oid, bytes && (yield* linksOf(bytes)))
    yield
  }

  return found
}

import type { Oid } from '../../lib/oid.ts'
import { installObjects } from '../objects/install-objects.ts'
import { type ObjectType, readObject, readTree } from '../objects/objects.ts'
import { type BlobFile, storeFile } from '../objects/store-file.ts'
import type { Repository } from '../process/processes.ts'
import { editTree, serializeTree, type TreeChangeRequest } from '../trees/tree-edit.ts'
import { type FileList, listTree } from '../trees/tree-files.ts'
import { uniteTrees } from '../trees/unite-trees.ts'
import { parseTree } from '../values/parse.ts'
import type { ObjectVolume } from './object-volume.ts'

/**
 * The author or committer of a new commit. `at` is in whole seconds since 1970; the zone is always
 * UTC.
 */
export type Person = { name: string; email: string; at: number }

type NewCommit = {
  tree: Oid
  parents: readonly Oid[]
  author: Person
  committer: Person
  message: string
}

/**
 * The new objects of one change, held in memory (large files: on disk) until `flush`; without it
 * they leave no trace.
 */
export type Quarantine = {
  writeBlob: (bytes: Uint8Array) => Promise<Oid>
  /** Adds a blob that `flush` writes from a file on disk: its bytes are not held. */
  addFile: (file: BlobFile) => void
  /** Writes the tree `base` (null: empty) with the changes applied. Errors: see `editTree`. */
  writeTree: (base: Oid | null, changes: readonly TreeChangeRequest[]) => Promise<Oid>
  /** Writes the tree with the files of both; see `uniteTrees`. */
  uniteTrees: (winner: Oid, other: Oid) => Promise<Oid>
  writeCommit: (commit: NewCommit) => Promise<Oid>
  /** Writes an object that Git made, from its bytes with header. */
  writeWhole: (oid: Oid, whole: Buffer) => Promise<void>
  /** Returns an object of this change or of the repository; undefined when neither has it. */
  readObject: (oid: Oid) => Promise<{ type: ObjectType; content: Buffer } | undefined>
  /** Returns all files of a tree of this change or of the repository; see `listFiles`. */
  listFiles: (tree: Oid) => Promise<FileList>
  /** Returns the objects of this change. */
  objects: () => Promise<ReadonlyMap<Oid, { type: ObjectType; content: Buffer }>>
  /**
   * Writes all objects into the repository; safe to repeat. They survive a power cut, at the latest after
   * `syncObjects` where nodes share the repository. Throws GitError 'no_space'.
   */
  flush: () => Promise<void>
}

/** Opens a quarantine over the repository. */
export function openQuarantine(repo: Repository): Quarantine {
  let opening: Promise<ObjectVolume> | undefined
  const files = new Map<Oid, BlobFile>()
  const volume = (): Promise<ObjectVolume> => {
    opening ??= openVolume()
    return opening
  }

  const trees = {
    readTree: async (oid: Oid) => {
      const own = await (await volume()).readObject(oid)
      return own ? parseTree(own.content) : readTree(repo, oid)
    },
    writeTree: async (bytes: Buffer) => (await volume()).writeContent('tree', bytes),
  }

  return {
    writeBlob: async bytes => (await volume()).writeBlob(bytes),
    addFile: file => void files.set(file.oid, file),
    writeTree: async (base, changes) =>
      (await editTree(trees, base, changes)) ?? trees.writeTree(serializeTree([])),
    uniteTrees: (winner, other) => uniteTrees(trees, winner, other),
    writeCommit: async commit =>
      (await volume()).writeContent('commit', Buffer.from(commitText(commit))),
    writeWhole: async (oid, whole) => (await volume()).writeWhole(oid, whole),
    readObject: async oid => (await (await volume()).readObject(oid)) ?? readObject(repo, oid),
    listFiles: tree => listTree(trees.readTree, tree),
    objects: async () => new Map((await volume()).objects().map(object => [object.oid, object])),
    flush: async () => {
      const objects = (await volume()).objects()
      // Before what refers to them.
      for (const file of files.values()) await storeFile(repo, file)
      await installObjects(repo, objects, { maySyncLater: true })
      const known = repo.processes.sizes.get(repo.dir)
      if (known) for (const { size } of files.values()) known.written += size
      if (known) for (const { whole } of objects) known.written += whole().length
      // The next change starts from these trees.
      for (const { oid, type, content } of objects)
        if (type === 'tree') repo.processes.trees.set(oid, parseTree(content), content.length)
    },
  }
}

/**
 * Opens a volume. Its packages are loaded with the first change: a server starts and reads without
 * them.
 */
async function openVolume(): Promise<ObjectVolume> {
  const { openObjectVolume } = await import('./object-volume.ts')
  return openObjectVolume()
}

function commitText({ tree, parents, author, committer, message }: NewCommit): string {
  const headers = [
    `tree ${tree}`,
    ...parents.map(parent => `parent ${parent}`),
    `author ${personText(author)}`,
    `committer ${personText(committer)}`,
  ]
  const text = message.replaceAll('\0', '').toWellFormed().trimEnd()
  return `${headers.join('\n')}\n\n${text}\n`
}

const personText = ({ name, email, at }: Person): string =>
  `${identity(name) || 'unknown'} <${identity(email)}> ${Math.max(0, Math.floor(at))} +0000`

/**
 * Removes what a name or an address in a commit must not contain: line breaks, angle brackets,
 * stray punctuation at the ends.
 */
const identity = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f<>]+/g, ' ')
    .replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, '')

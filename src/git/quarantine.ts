import { createHash } from 'node:crypto'
import { installObjects } from './install-objects.ts'
import { type ObjectType, readObject, readTree } from './objects.ts'
import { asOid, type Oid } from './oid.ts'
import { parseTree } from './parse.ts'
import type { Repository } from './repository.ts'
import { editTree, serializeTree, type TreeChangeRequest } from './tree-edit.ts'
import { uniteTrees } from './unite-trees.ts'

/** Who makes a commit, and when: whole seconds since 1970. The zone is always UTC. */
export type Person = { name: string; email: string; at: number }

export type NewCommit = {
  tree: Oid
  parents: readonly Oid[]
  author: Person
  committer: Person
  message: string
}

/**
 * The new objects of one change, in memory until `flush`; one that is never flushed leaves nothing behind.
 */
export type Quarantine = {
  writeBlob: (bytes: Uint8Array) => Promise<Oid>
  /** The tree `base` (null: the empty one) with the changes made. Errors: see `editTree`. */
  writeTree: (base: Oid | null, changes: readonly TreeChangeRequest[]) => Promise<Oid>
  /** The tree that has the files of both, those of `winner` where both have one. See `uniteTrees`. */
  uniteTrees: (winner: Oid, other: Oid) => Promise<Oid>
  writeCommit: (commit: NewCommit) => Promise<Oid>
  /** An object of this change, or else of the repository; undefined when it is in neither. */
  readObject: (oid: Oid) => Promise<{ type: ObjectType; content: Buffer } | undefined>
  /**
   * Writes all objects into the repository, durably. Throws GitError 'no_space'; calling it again is
   * harmless.
   */
  flush: () => Promise<void>
}

/** `whole` is the header and the content. */
type OwnObject = { type: ObjectType; content: Buffer; whole: Buffer }

/** Opens a quarantine over the repository. */
export function openQuarantine(repo: Repository): Quarantine {
  const own = new Map<Oid, OwnObject>()

  const write = async (type: ObjectType, content: Uint8Array): Promise<Oid> => {
    const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
    const oid = asOid(createHash('sha1').update(whole).digest('hex'))
    if (!own.has(oid))
      own.set(oid, {
        type,
        content: whole.subarray(whole.length - content.length),
        whole,
      })
    return oid
  }
  const read = async (oid: Oid) => own.get(oid) ?? readObject(repo, oid)
  const trees = {
    readTree: async (oid: Oid) => {
      const tree = own.get(oid)
      return tree ? parseTree(tree.content) : readTree(repo, oid)
    },
    writeTree: (bytes: Buffer) => write('tree', bytes),
  }
  return {
    writeBlob: bytes => write('blob', bytes),
    writeTree: async (base, changes) =>
      (await editTree(trees, base, changes)) ?? write('tree', serializeTree([])),
    uniteTrees: (winner, other) => uniteTrees(trees, winner, other),
    writeCommit: commit => write('commit', Buffer.from(commitText(commit))),
    readObject: read,
    flush: async () => {
      await installObjects(
        repo,
        [...own].map(([oid, { whole }]) => ({ oid, whole: () => whole })),
      )
      const size = repo.processes.sizes.get(repo.dir)
      if (size) for (const { whole } of own.values()) size.written += whole.length
      // The next change begins with these: it need not ask for them.
      for (const [oid, { type, content }] of own)
        if (type === 'tree') repo.processes.trees.set(oid, parseTree(content), content.length)
    },
  }
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
 * What may stand in a name or an address of a commit: no line ends, no angle brackets, no crumbs at the ends.
 */
const identity = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f<>]+/g, ' ')
    .replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, '')

import type { Identity } from './identity.ts'
import type { ContentTree } from './tree.ts'

/** One revision, read and understood: never changes, so it can be kept by commit. */
export type RevisionView = {
  /** The commit. */
  readonly oid: string
  readonly treeOid: string
  readonly parents: readonly string[]
  readonly message: string
  /** Seconds since 1970. */
  readonly committedAt: number
  readonly content: ContentTree
  /** The keys whose id is not the one they would be born with. */
  readonly identity: Identity
  /** Paths that are no content but deserve a word: symlinks, submodules, odd names. */
  readonly notices: readonly string[]
  /** Answers made from it, ready to be sent, by what was asked. */
  readonly answers: Map<string, Buffer>
}

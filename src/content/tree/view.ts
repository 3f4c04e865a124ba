import type { ContentTree } from './build.ts'
import type { Identity } from './identity.ts'

/** An answer made from a revision, ready to be sent. */
export type Prepared = {
  /** What it was made from beside the revision; for another stamp it is made again. */
  readonly stamp: string
  readonly etag: string
  readonly bytes: Buffer
}

/** One revision, read and understood: never changes, so it can be kept by commit. */
export type RevisionView = {
  /** The commit. */
  readonly oid: string
  readonly treeOid: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: { readonly name: string; readonly email: string }
  readonly committer: { readonly name: string; readonly email: string }
  /** Seconds since 1970. */
  readonly committedAt: number
  readonly content: ContentTree
  /** The keys whose id is not the one they would be born with. */
  readonly identity: Identity
  /** Paths that are no content but deserve a word: symlinks, submodules, odd names. */
  readonly notices: readonly string[]
  /** By what was asked; `keepAnswer` adds to it. */
  readonly answers: Map<string, Prepared>
}

import type { Oid } from '../../lib/oid.ts'
import type { ContentTree } from './build.ts'
import type { IdOverrides } from './identity.ts'

/** One parsed revision. Immutable, so it can be cached by commit. */
export type RevisionView = {
  /** The commit. */
  readonly oid: Oid
  readonly treeOid: Oid
  readonly parents: readonly Oid[]
  readonly message: string
  readonly author: { readonly name: string; readonly email: string }
  readonly committer: { readonly name: string; readonly email: string }
  /** Seconds since 1970. */
  readonly committedAt: number
  readonly content: ContentTree
  /** The keys whose id is not their default id. */
  readonly identity: IdOverrides
  /** Notices about paths that are not content: symlinks, submodules, odd names. */
  readonly notices: readonly string[]
}

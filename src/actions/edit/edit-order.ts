import type { Idempotency, Origin } from '../../access/asker.ts'
import type { Outcome } from '../../content/edit/apply.ts'
import type { Change } from '../../content/edit/changes.ts'
import type { FileNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { Effect } from '../journal/effects.ts'

/** What an edit does for the job that makes it. */
type EditJob<Body> = {
  /** Throws if the job may no longer make the edit. Called in the transaction that decides. */
  check: () => void
  /** Returns the row changes that end the job, from what `present` made. */
  effects: (body: Body) => Effect[]
}

/** A batch of changes to one branch. */
export type EditOrder<Body> = {
  space: SpaceRow
  /** The change request whose branch is edited; undefined: the primary content. */
  changeRequest?: ChangeRequestRow | undefined
  by: UserRow
  changes: readonly Change[]
  /** The first line of the commit message; undefined: what the changes do. */
  message?: string | undefined
  /** The edit is refused unless the head is one of these revisions. */
  ifMatch?: readonly string[] | '*' | undefined
  idempotency?: Idempotency | undefined
  /** The status of the answer that is kept for the key; 200 by default. */
  status?: number | undefined
  origin?: Origin | null | undefined
  /** The job that makes the edit, whose end is recorded with it. */
  job?: EditJob<Body> | undefined
  /**
   * Makes the value that the caller gets. Called with the space's lock held, before anything has
   * moved.
   */
  present: (edited: Edited) => Promise<Body>
}

/** The result of a batch. */
export type Edited = {
  revision: Oid
  /** The change request with its new revision; undefined for primary content. */
  changeRequest: ChangeRequestRow | undefined
  /** Returns whether the branch lacks something of the primary content. */
  outdated: boolean
  outcomes: readonly Outcome[]
  insertedFiles: readonly FileNode[]
  /** The revision that the batch was applied to. */
  base: RevisionView
}

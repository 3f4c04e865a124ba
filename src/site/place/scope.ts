import type { OpenContent } from '../../actions/audience/open-content.ts'
import type { ChangedPages } from '../../content/changes/changed-pages.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'

/** A commit, and when it was made, in seconds since 1970. */
export type Version = { oid: Oid; at: number }

/** A file that differs between two versions and is the text of no page that is shown. */
export type ChangedFile = {
  path: string
  mark: 'changed' | 'new' | 'removed'
  /** The blob of the later version; undefined for a removed file. */
  oid: Oid | undefined
}

/** The pages and the other files in which two versions differ. */
export type Differences = { pages: ChangedPages; files: readonly ChangedFile[] }

/** What is compared with the shown content: an earlier version, and what differs from it. */
export type Compared = Differences & {
  before: OpenContent
  /** Whether pages show their changes. */
  marks: boolean
}

/** The version of the content that a place shows instead of the published one. */
export type Scope = { current: OpenContent } & (
  | { kind: 'revision'; version: Version }
  | {
      kind: 'change-request'
      request: ChangeRequestRow
      author: string
      compared: Compared | undefined
    }
  | { kind: 'comparison'; from: Version; to: Version; compared: Compared }
)

/** Returns what a place compares its content with. */
export const comparedIn = (scope: Scope | undefined): Compared | undefined =>
  scope && scope.kind !== 'revision' ? scope.compared : undefined

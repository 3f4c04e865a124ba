import type { Comparison } from '../../actions/audience/compare.ts'
import type { OpenContent } from '../../actions/audience/open-content.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'

/** A commit, and when it was made, in seconds since 1970. */
export type Version = { oid: Oid; at: number }

/** What is compared with the shown content, and whether pages show their changes. */
export type Compared = Comparison & { marks: boolean }

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

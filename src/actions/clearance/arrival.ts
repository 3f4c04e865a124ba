import type { Oid } from '../../git/values/oid.ts'

/**
 * A commit that becomes content, and the commits that it was made from and that were content
 * before.
 */
export type Arrival = { head: Oid; beside: readonly Oid[] }

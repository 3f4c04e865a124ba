import type { Oid } from '../../lib/oid.ts'

/**
 * A commit that becomes content, and the commits that it was made from and that were content
 * before.
 */
export type Arrival = { head: Oid; beside: readonly Oid[] }

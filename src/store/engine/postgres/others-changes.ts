import type { Session } from './session.ts'

/** How long rows of `change` are kept at least, in milliseconds. */
const keptMs = 3_600_000

const snapshotNow = 'select pg_current_snapshot()::text, null'

/** What transactions have changed that this node did not see when it looked last. */
const changesSince = `
  select pg_current_snapshot()::text, (
    select json_agg(distinct scope)::text from change
    where xid >= pg_snapshot_xmin($1::text::pg_snapshot) and origin <> $2
    and not pg_visible_in_snapshot(xid, $1::text::pg_snapshot))`

/**
 * What other nodes have changed. Exact in whatever order transactions end: what counts is whether a
 * transaction was visible at the last look, not when it began.
 */
export class OthersChanges {
  readonly #session: Session
  readonly #origin: string
  #snapshot: string | undefined
  #lookedAt = 0

  constructor(session: Session, origin: string) {
    this.#session = session
    this.#origin = origin
  }

  /** Returns the scopes that others have changed since the last look; undefined: any. */
  look(): readonly string[] | undefined {
    // An open transaction sees what it saw at its start.
    if (this.#session.inTransaction) return []
    const now = performance.now()
    const known = now - this.#lookedAt < keptMs ? this.#snapshot : undefined
    const { rows } = this.#session.read({
      sql: known === undefined ? snapshotNow : changesSince,
      values: known === undefined ? [] : [known, this.#origin],
      describe: false,
    })
    const [snapshot, scopes] = rows[0] as [string, string | null]
    this.#snapshot = snapshot
    this.#lookedAt = now
    if (known === undefined) return undefined
    return scopes === null ? [] : (JSON.parse(scopes) as string[])
  }
}

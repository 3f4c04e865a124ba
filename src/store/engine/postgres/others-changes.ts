import type { Look } from '../driver.ts'
import type { AsyncCalls } from './async-calls.ts'
import type { Question } from './messages.ts'

/**
 * The state of the database, its clock in milliseconds since 1970, and what transactions have changed
 * that were not visible in the last snapshot; null: anything. Rows of `change` are kept for two hours,
 * so that those of the last hour are complete by whatever clock.
 */
const changesSince = `
  select pg_current_snapshot()::text, (extract(epoch from clock_timestamp()) * 1000)::float8,
    case when now() - to_timestamp($2::float8 / 1000) < interval '1 hour' then (
      select coalesce(json_agg(distinct scope)::text, '[]') from change
      where xid >= pg_snapshot_xmin($1::text::pg_snapshot) and origin <> $3
      and not pg_visible_in_snapshot(xid, $1::text::pg_snapshot))
    end`

/** Whether others have changed anything since, as `changesSince` tells. */
const anySince = `
  select 1 from change
  where xid >= pg_snapshot_xmin($1::text::pg_snapshot) and origin <> $2
  and not pg_visible_in_snapshot(xid, $1::text::pg_snapshot) limit 1`

const prune = `
  delete from change where ctid = any (array(
    select ctid from (select ctid, at from change order by xid limit $1) as oldest
    where at < now() - interval '2 hours'))
  returning 1`
/** How many rows are deleted at once. */
const portion = 5_000

/** A snapshot, when it was taken by the clock of the database, and on which connection. */
type Position = { snapshot: string; at: number; connection: number }

/**
 * What other nodes have changed. Exact in whatever order transactions end: what counts is whether a
 * transaction was visible at the last look, not when it began.
 */
export class OthersChanges {
  readonly #calls: AsyncCalls
  readonly #origin: () => string
  #last: Position | undefined

  /** `origin` names this node in the rows of `change`. */
  constructor(calls: AsyncCalls, origin: () => string) {
    this.#calls = calls
    this.#origin = origin
  }

  /**
   * Returns what others have changed since the last look, by transactions that have ended by now.
   * Looks must not overlap.
   */
  async look(): Promise<Look> {
    const { rows, connection } = await this.#calls.ask(changesSince, [
      this.#last?.snapshot ?? null,
      this.#last?.at ?? null,
      this.#origin(),
    ])
    const [snapshot, at, changed] = rows[0] as unknown as [string, number, string | null]
    // A new connection may lead to another server, where ids of transactions mean others.
    const isKnown = changed !== null && connection === this.#last?.connection
    this.#last = { snapshot, at, connection }
    return { scopes: isKnown ? (JSON.parse(changed) as string[]) : undefined, time: at }
  }

  /** Returns the question whether others have changed something since the last look: its rows say so. */
  sinceLook(): Question {
    const values = [this.#last?.snapshot ?? null, this.#origin()]
    return { sql: anySince, values, describe: false }
  }

  /** Deletes the rows that no node needs: one that did not look for an hour forgets everything. */
  async prune(): Promise<void> {
    while ((await this.#calls.ask(prune, [portion])).rows.length === portion);
  }
}

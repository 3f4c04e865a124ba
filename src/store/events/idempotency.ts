import { sql } from 'kysely'
import { Fault } from '../../errors.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { IdempotencyRow } from '../tables/rows.ts'

const dayMs = 24 * 60 * 60 * 1000

/** The idempotency key of a request, its user, and a hash of the request. */
export type AskedWith = { userId: string; key: string; requestHash: string }

/** A stored answer: the body as it was sent, headers by name. */
export type KeptAnswer = {
  status: number
  body?: string | undefined
  headers?: Record<string, string>
}

/**
 * Returns the answer that was stored for the key of a caller within the 24 hours before `now`
 * (null: at any time), with the hash of its request.
 */
export const findAnswer = (
  store: Store,
  { userId, key }: Pick<AskedWith, 'userId' | 'key'>,
  now: Date | null,
): IdempotencyRow | undefined =>
  store.get(
    query
      .selectFrom('idempotency')
      .selectAll()
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .where('created_at', '>=', now === null ? '' : dayBefore(now)),
  )

/** Returns the fault for a request that another one with its key has overtaken. */
export const completedMeanwhile = (): Fault =>
  new Fault(
    'concurrent_change',
    'A request with this Idempotency-Key completed meanwhile. Send the request again to get its answer.',
  )

/**
 * Stores an answer under its key, like `keepAnswer`, in the transaction with the rows that it tells of.
 * Throws 'conflict' if there is one: a node that was asleep no longer holds the key.
 */
export function keepNewAnswer(store: Store, to: AskedWith, answer: KeptAnswer, at: Date): void {
  if (keepAnswer(store, to, answer, at) === 0) throw completedMeanwhile()
}

/**
 * Stores an answer under its key for a day. A stored answer is not replaced within that day: returns 0
 * then.
 */
export function keepAnswer(store: Store, to: AskedWith, answer: KeptAnswer, at: Date): number {
  const { status, body = null, headers = {} } = answer
  const row = {
    user_id: to.userId,
    key: to.key,
    request_hash: to.requestHash,
    status,
    body,
    headers: Object.keys(headers).length > 0 ? headers : null,
    created_at: at.toISOString(),
  }

  return store.run(
    query
      .insertInto('idempotency')
      .values(row)
      .onConflict(conflict =>
        conflict
          .columns(['user_id', 'key'])
          .doUpdateSet(row)
          .where('idempotency.created_at', '<', dayBefore(at)),
      ),
  )
}

/** How long a claim of a key holds without renewal while its node is silent, in seconds. */
const claimSeconds = 15

/**
 * True if the connection that made a claim is gone, so that its node has most likely died. The start of
 * another user's connection is not shown.
 */
const isLeft = `idempotency_claim.pid is not null and not exists (
  select from pg_stat_get_activity(idempotency_claim.pid) as other
  where other.backend_start is null or other.backend_start = idempotency_claim.connected_at)`

// Nothing waits for the disk: a claim that is lost with the database is as one whose owner has died.
const claim = `
  with unsynced as (select set_config('synchronous_commit', 'off', true))
  insert into idempotency_claim (user_id, key, owner, claimed_until, pid, connected_at)
  select $1, $2, $3, now() + interval '${claimSeconds} s', own.pid, own.backend_start
  from unsynced, pg_stat_get_activity(pg_backend_pid()) as own
  on conflict (user_id, key) do update
    set owner = excluded.owner, claimed_until = excluded.claimed_until,
      pid = excluded.pid, connected_at = excluded.connected_at
    where idempotency_claim.claimed_until <= now() or idempotency_claim.owner = excluded.owner
      or (${isLeft})
  returning 1`
const release = `
  with unsynced as (select set_config('synchronous_commit', 'off', true))
  delete from idempotency_claim using unsynced
  where user_id = $1 and key = $2 and owner = $3`

/**
 * Claims the key of a request for `owner`, or renews the claim. Returns false while another one holds
 * it, by the clock of the database: until it ends the claim, its connection is gone, or it is silent for
 * `claimSeconds`. A claim saves work; that a request takes effect once does not depend on it. Where the
 * rows are in a file, its one process needs no claims.
 */
export async function claimKey(
  store: Store,
  { userId, key }: AskedWith,
  owner: string,
): Promise<boolean> {
  const rows = await store.later?.(claim, [userId, key, owner])
  return rows === undefined || rows.length > 0
}

/** Ends the claim of a key. */
export const releaseKey = async (
  store: Store,
  { userId, key }: AskedWith,
  owner: string,
): Promise<unknown> => store.later?.(release, [userId, key, owner])

const removeLeft = `
  delete from idempotency_claim where (user_id, key) in (
    select user_id, key from idempotency_claim where claimed_until < now()
    limit $1 for update skip locked)
  returning 1`

/** Deletes the claims that dead nodes have left, a portion at a time. */
export async function deleteLeftClaims(store: Store, portion = 1_000): Promise<void> {
  while ((await store.later?.(removeLeft, [portion]))?.length === portion);
}

const dayBefore = (time: Date): string => new Date(time.getTime() - dayMs).toISOString()

/**
 * Deletes up to `limit` answers that have expired at `now`, the oldest first. Returns the number of
 * deleted rows.
 */
export const deleteOldAnswers = (store: Store, now: Date, limit: number): number =>
  store.run(
    sqlRows(sql`
      delete from idempotency where (user_id, key) in (
        select user_id, key from idempotency where created_at < ${dayBefore(now)}
        order by created_at limit ${limit})`),
  )

import { sha256 } from '../../lib/digest.ts'
import type { Store } from '../store.ts'

// Each call removes two rows that no longer count, so that the table does not grow. Nothing waits for
// the disk.
const add = `
  with unsynced as (select set_config('synchronous_commit', 'off', true)),
  old as (
    delete from guess where digest in (
      select digest from guess where full_at < now() and digest <> $1
      order by full_at limit 2 for update skip locked))
  insert into guess (digest, full_at)
  select $1, now() + $2::float8 * interval '1 ms' from unsynced
  on conflict (digest) do update
    set full_at = greatest(guess.full_at, now()) + $2::float8 * interval '1 ms'
  returning ceil(extract(epoch from full_at - now()) * 1000)::bigint`

/**
 * Counts a guess of a client that takes `costMs` of its allowance, for all nodes. Returns the
 * milliseconds until its full allowance is restored; undefined where there is one node.
 */
export async function addGuess(
  store: Store,
  client: string,
  costMs: number,
): Promise<number | undefined> {
  const rows = await store.later?.(add, [sha256(client), costMs])
  return rows?.[0]?.[0] as number | undefined
}

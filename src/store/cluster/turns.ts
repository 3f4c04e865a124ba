import type { Store } from '../store.ts'

const take = `select pg_try_advisory_lock(hashtext('turn'), hashtext($1))::int`
const give = `select pg_advisory_unlock(hashtext('turn'), hashtext($1))::int`

/**
 * Takes the turn of this node to write to a repository. Returns false while another node has it; one that
 * dies loses it. Waits for no lock and blocks nothing.
 */
export async function takeTurn({ later }: Store, key: string): Promise<boolean> {
  const rows = await later?.(take, [key])
  return rows === undefined || rows[0]?.[0] === 1
}

/** Lets the next node have its turn. */
export const giveTurn = async ({ later }: Store, key: string): Promise<unknown> =>
  later?.(give, [key])

import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { TokenRow } from '../tables/rows.ts'

/**
 * The last uses of tokens that are not written yet: a request notes its use in memory, so that
 * reads write no rows. A killed process loses the uses since the last `write`.
 */
export class TokenUses {
  readonly #store: Store
  /** Milliseconds since 1970 by token id. */
  readonly #uses = new Map<string, number>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Notes that a token is used at a time in milliseconds since 1970. */
  note(tokenId: string, at: number): void {
    this.#uses.set(tokenId, at)
  }

  /** Returns a token's row with its last use, written or not. */
  latest<Row extends Pick<TokenRow, 'id' | 'last_used_at'>>(row: Row): Row {
    const noted = this.#uses.get(row.id)
    const used = noted === undefined ? '' : new Date(noted).toISOString()
    return used > (row.last_used_at ?? '') ? { ...row, last_used_at: used } : row
  }

  /**
   * Writes all noted uses, and when the members who used the tokens were last seen, without waiting
   * for the disk. They stay noted if nothing can be written.
   */
  write(): void {
    if (this.#uses.size === 0) return
    const uses = [...this.#uses].map(([id, at]) => [id, new Date(at).toISOString()])
    const used = sql`(select value ->> 0 as id, value ->> 1 as at from json_each(${uses}))`
    this.#store.transactUnsynced(() => {
      this.#store.run(lastUses(used))
      this.#store.run(lastSeen(used))
    })
    this.#uses.clear()
  }
}

/** Sets the last uses of tokens to the times in `used`, which has an `id` and a time `at`. */
const lastUses = (used: RawBuilder<unknown>) =>
  query
    .updateTable('token')
    .from(sql<{ id: string; at: string }>`${used}`.as('used'))
    .set({ last_used_at: sql<string>`used.at` })
    .where('token.id', '=', sql<string>`used.id`)
    .where(sql<boolean>`coalesce(token.last_used_at, '') < used.at`)

/**
 * Sets when the users of tokens were last seen in their organizations: in that to which the token
 * is limited, else in all. Tokens of integrations act without their user.
 */
const lastSeen = (used: RawBuilder<unknown>) =>
  query
    .updateTable('member')
    .from(
      sql<{ organization_id: string; user_id: string; at: string }>`(
        select m.organization_id, m.user_id, max(used.at) as at
        from ${used} as used
        join token t on t.id = used.id and t.installation_id is null and t.integration_id is null
        join member m on m.user_id = t.user_id
          and coalesce(t.organization_id, m.organization_id) = m.organization_id
        group by m.organization_id, m.user_id)`.as('seen'),
    )
    .set({ last_seen_at: sql<string>`seen.at` })
    .where('member.organization_id', '=', sql<string>`seen.organization_id`)
    .where('member.user_id', '=', sql<string>`seen.user_id`)
    .where(sql<boolean>`coalesce(member.last_seen_at, '') < seen.at`)

import { sql } from 'kysely'
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
   * Writes all noted uses in one statement, without waiting for the disk. They stay noted if
   * nothing can be written.
   */
  write(): void {
    if (this.#uses.size === 0) return
    const uses = [...this.#uses].map(([id, at]) => [id, new Date(at).toISOString()])
    this.#store.transactUnsynced(() =>
      this.#store.run(
        query
          .updateTable('token')
          .from(
            sql<{
              id: string
              at: string
            }>`(select value ->> 0 as id, value ->> 1 as at from json_each(${uses}))`.as('used'),
          )
          .set({ last_used_at: sql<string>`used.at` })
          .where('token.id', '=', sql<string>`used.id`)
          .where(sql<boolean>`coalesce(token.last_used_at, '') < used.at`),
      ),
    )
    this.#uses.clear()
  }
}

import { sql } from 'kysely'
import { query, type Store } from '../store.ts'
import type { GitLogRow } from '../tables/rows.ts'

/** Puts a part of a pack, counted from 0. */
export const insertPackPart = (store: Store, row: Omit<GitLogRow, 'put_at'>): void =>
  store.send(query.insertInto('git_log').values(row))

/** Gives the parts of a pack another position, and their mark. */
export const renumberPack = (
  store: Store,
  key: string,
  from: number,
  to: Pick<GitLogRow, 'seq' | 'mark'>,
): number =>
  store.run(
    query.updateTable('git_log').set(to).where('space_id', '=', key).where('seq', '=', from),
  )

/** Deletes the pack at a position. */
export const deletePack = (store: Store, key: string, seq: number): number =>
  store.run(query.deleteFrom('git_log').where('space_id', '=', key).where('seq', '=', seq))

/** Deletes the packs of a repository up to a position. */
export const deletePacksUpTo = (store: Store, key: string, seq: number): number =>
  store.run(
    query
      .deleteFrom('git_log')
      .where('space_id', '=', key)
      .where('seq', '>', 0)
      .where('seq', '<=', seq),
  )

/** Deletes the packs of a repository, and what was sent ahead but for one position. */
export const deletePacksExcept = (store: Store, key: string, seq: number): number =>
  store.run(query.deleteFrom('git_log').where('space_id', '=', key).where('seq', '<>', seq))

/** Deletes packs that were sent ahead more than a day ago: nothing will refer to them. */
export const deleteAbandonedPacks = (store: Store): number =>
  store.run(
    query
      .deleteFrom('git_log')
      .where('seq', '<', 0)
      .where('put_at', '<', sql<string>`now() - interval '1 day'`),
  )

/** Returns the bytes of the packs of all spaces of an organization. */
export const sumPacks = (store: Store, organizationId: string): number =>
  Number(
    store.get(
      query
        .selectFrom('git_log')
        .select(sql<number | null>`sum(octet_length(bytes))::bigint`.as('bytes'))
        .where('seq', '>', 0)
        .where('space_id', 'in', eb =>
          eb.selectFrom('space').select('id').where('organization_id', '=', organizationId),
        ),
    )?.bytes ?? 0,
  )

/** Returns the keys of the repositories with more than `most` packs. */
export const listLongLogs = (store: Store, most: number): string[] =>
  store
    .all(
      query
        .selectFrom('git_log')
        .select('space_id')
        .where('part', '=', 0)
        .where('seq', '>', 0)
        .groupBy('space_id')
        .having(eb => eb(eb.fn.countAll<number>(), '>', most)),
    )
    .map(row => row.space_id)

/** A pack in the database. */
export type PackAt = Pick<GitLogRow, 'seq' | 'kind' | 'mark'> & { parts: number }

/**
 * Returns the packs of a repository after a position, in their order. The last one up to that position
 * is before them.
 */
export const listPacks = (store: Store, key: string, after: number): PackAt[] =>
  store.all(
    query
      .selectFrom('git_log')
      .select(eb => ['seq', 'kind', 'mark', eb.fn.countAll<number>().as('parts')])
      .where('space_id', '=', key)
      .where('seq', '>=', eb =>
        eb
          .selectFrom('git_log as held')
          .select(held => held.fn.coalesce(held.fn.max('held.seq'), sql<number>`1`).as('seq'))
          .where('held.space_id', '=', key)
          .where('held.seq', '>', 0)
          .where('held.seq', '<=', after),
      )
      .groupBy(['seq', 'kind', 'mark'])
      .orderBy('seq'),
  )

/** Returns the bytes of a part of a pack; undefined: another pack has replaced it. */
export const findPackPart = (
  store: Store,
  key: string,
  seq: number,
  part: number,
): Uint8Array | undefined =>
  store.get(
    query
      .selectFrom('git_log')
      .select('bytes')
      .where('space_id', '=', key)
      .where('seq', '=', seq)
      .where('part', '=', part),
  )?.bytes

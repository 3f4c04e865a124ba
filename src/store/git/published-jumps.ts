import { sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

const publishedJumps = new Rows('published_jump')

/** Records that a commit was published after another one that is not on its first-parent line. */
export const putPublishedJump = publishedJumps.put('space_id', 'oid')

/** Returns the jumps of a space's published history: the commit published before each, by oid. */
export const listPublishedJumps = (store: Store, spaceId: string): Map<Oid, Oid> =>
  new Map(
    store
      .all(
        query
          .selectFrom('published_jump')
          .select(['oid', 'previous'])
          .where('space_id', '=', spaceId),
      )
      .map(row => [row.oid, row.previous]),
  )

/** Copies the jumps of one space to another. */
export const copyPublishedJumps = (store: Store, fromId: string, toId: string): number =>
  store.run(
    sqlRows(sql`
      insert into published_jump (space_id, oid, previous)
      select ${toId}, oid, previous from published_jump where space_id = ${fromId}
      on conflict (space_id, oid) do nothing`),
  )

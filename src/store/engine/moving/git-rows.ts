import type { Oid } from '../../../lib/oid.ts'
import type { Connection } from '../postgres/connection.ts'

/** The refs of a repository by their full names, and its default branch. */
export type RefsOf = { refs: ReadonlyMap<string, Oid>; head: string }

/** Returns the keys of the repositories in a database. */
export const listRepositories = async (connection: Connection): Promise<string[]> =>
  (await connection.rows('select space_id from git_state order by space_id')).map(
    ([key]) => key as string,
  )

/** Returns the refs of a repository; undefined: it is not in the database. */
export async function findRepository(
  connection: Connection,
  key: string,
): Promise<RefsOf | undefined> {
  const [state] = await connection.rows('select head from git_state where space_id = $1', [key])
  if (!state) return undefined
  return { refs: await listRefs(connection, key), head: state[0] as string }
}

/** Returns the refs of a repository. */
export async function listRefs(connection: Connection, key: string): Promise<Map<string, Oid>> {
  const rows = await connection.rows('select name, oid from ref where space_id = $1', [key])
  return new Map(rows as [string, Oid][])
}

/** A table that has rows of a repository which has no space or organization as its owner, or no state. */
export type LooseRows = { table: string; key: string; hasOwner: boolean }

/** Returns the tables with rows of repositories that no node uses. */
export const listLooseRows = async (connection: Connection): Promise<LooseRows[]> =>
  (
    await connection.rows(`
      with owner as (select id from space union all select 'specs:' || id from organization)
      select held.name, held.space_id, (held.space_id in (select id from owner))::int from (
        select 'git_log' as name, space_id from git_log where seq > 0
        union select 'git_state', space_id from git_state
        union select 'ref', space_id from ref
      ) as held
      where held.space_id not in (select space_id from git_state)
        or held.space_id not in (select id from owner)
      order by 1, 2`)
  ).map(([table, key, hasOwner]) => ({
    table: table as string,
    key: key as string,
    hasOwner: hasOwner === 1,
  }))

/** Deletes all repositories but those with these keys. */
export async function keepRepositories(connection: Connection, keys: string[]): Promise<void> {
  for (const table of ['ref', 'git_log', 'git_state'])
    await connection.rows(`delete from ${table} where space_id <> all($1::text[])`, [keys])
}

/** Deletes what there is of a repository. */
export async function deleteRepository(connection: Connection, key: string): Promise<void> {
  for (const table of ['ref', 'git_log', 'git_state'])
    await connection.rows(`delete from ${table} where space_id = $1`, [key])
}

/** Inserts a repository whose objects are in one pack: `parts` yields its rows. */
export async function insertRepository(
  connection: Connection,
  key: string,
  { refs, head, epoch, parts }: RefsOf & { epoch: string; parts: AsyncIterable<Uint8Array> },
): Promise<void> {
  let part = 0
  for await (const bytes of parts)
    await connection.rows(
      "insert into git_log (space_id, seq, part, kind, bytes) values ($1, 1, $2, 'base', $3)",
      [key, part++, bytes],
    )
  await connection.rows(
    'insert into ref (space_id, name, oid) select $1, * from unnest($2::text[], $3::text[])',
    [key, [...refs.keys()], [...refs.values()]],
  )
  await connection.rows(
    'insert into git_state (space_id, seq, epoch, head) values ($1, 1, $2, $3)',
    [key, epoch, head],
  )
}

/** Returns the positions of the packs that have all objects of a repository, in their order. */
export async function listPacks(connection: Connection, key: string): Promise<string[]> {
  const rows = await connection.rows(
    `select git_log.seq::text from git_log where space_id = $1 and seq >= greatest(1, (
      select max(seq) from git_log where space_id = $1 and kind = 'base'))
      group by git_log.seq order by git_log.seq`,
    [key],
  )
  return rows.map(([seq]) => seq as string)
}

/** Yields the parts of a pack. */
export async function* readPack(
  connection: Connection,
  key: string,
  seq: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let part = 0; ; part++) {
    const [row] = await connection.rows(
      'select bytes from git_log where space_id = $1 and seq = $2 and part = $3',
      [key, seq, part],
    )
    if (!row) return
    yield row[0] as Uint8Array
  }
}

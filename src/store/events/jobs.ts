import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { JobRow } from '../tables/rows.ts'

/** Adds a job; a waiting one of the same kind and key stays as it is, and nothing is added. */
export const insertJob = (
  store: Store,
  row: Pick<
    JobRow,
    'id' | 'kind' | 'lane' | 'key' | 'payload' | 'run_at' | 'created_at' | 'user_id' | 'organization_id'
  >,
): number =>
  store.run(
    query
      .insertInto('job')
      .values({ ...row, owner: null, error: null })
      .onConflict(conflict => conflict.doNothing()),
  )

/** Some kinds of jobs: only these, or all but these. */
export type JobKinds = { only: readonly string[] } | { except: readonly string[] }

/** Jobs that can be claimed. The limits say how many jobs of these kinds may run at once for a user, an organization. */
export type JobSelection = {
  kinds: JobKinds
  perUser?: number
  perOrganization?: number
}

const everyJob: JobSelection = { kinds: { except: [] } }

const isOneOf = (kinds: JobKinds): RawBuilder<unknown> =>
  'only' in kinds
    ? sql`due.kind in (${sql.join(kinds.only)})`
    : kinds.except.length === 0
      ? sql`true`
      : sql`due.kind not in (${sql.join(kinds.except)})`

/** Whether nothing runs in its lane. Asked of a list, as thousands may wait in one: `exists` would look for each of them. */
const isFree = sql`due.lane not in (select lane from job where state = 'running')`

/** The running jobs of the selection by owner, with their number. */
const runningBy = (owner: 'user_id' | 'organization_id', { kinds }: JobSelection): RawBuilder<unknown> =>
  sql`select due.${sql.raw(owner)} as owner, count(*) as running from job as due
    where due.state = 'running' and due.${sql.raw(owner)} is not null and ${isOneOf(kinds)}
    group by due.${sql.raw(owner)}`

/** Whether a further job of its owner may run. Limits are uncorrelated subqueries, like lanes. */
function hasRoom(owner: 'user_id' | 'organization_id', most: number, selection: JobSelection) {
  const full = sql`select owner from (${runningBy(owner, selection)}) where running >= ${most}`
  return sql`(due.${sql.raw(owner)} is null or due.${sql.raw(owner)} not in (${full}))`
}

const isClaimable = (selection: JobSelection): RawBuilder<unknown> =>
  sql.join(
    [
      isOneOf(selection.kinds),
      isFree,
      ...(selection.perUser ? [hasRoom('user_id', selection.perUser, selection)] : []),
      ...(selection.perOrganization
        ? [hasRoom('organization_id', selection.perOrganization, selection)]
        : []),
    ],
    sql` and `,
  )

/**
 * Claims a job of the selection that is due, whose lane is free and whose owners are below their limits: of those the
 * oldest job of the organization, and within it of the user, for which the fewest are running. Undefined: there is none.
 */
export const claimJob = (
  store: Store,
  owner: string,
  now: number,
  selection: JobSelection = everyJob,
): JobRow | undefined =>
  store.get(
    sqlRows<JobRow>(sql`
      update job set state = 'running', owner = ${owner}, attempts = attempts + 1
      where seq = (
        select due.seq from job as due
        left join (${runningBy('organization_id', selection)}) as ours on ours.owner = due.organization_id
        left join (${runningBy('user_id', selection)}) as mine on mine.owner = due.user_id
        where due.state = 'waiting' and due.run_at <= ${now} and ${isClaimable(selection)}
        order by coalesce(ours.running, 0), coalesce(mine.running, 0), due.seq limit 1
      )
      returning *`),
  )

/** Removes a job that is done. */
export const finishJob = (store: Store, id: string): number =>
  store.run(query.deleteFrom('job').where('id', '=', id))

/** Takes a waiting job of this kind and key back. */
export const cancelJob = (store: Store, kind: string, key: string): number =>
  store.run(
    query.deleteFrom('job').where('kind', '=', kind).where('key', '=', key).where('state', '=', 'waiting'),
  )

/** A job that is to wait again gives way to one of its kind and key that waits already: two of them are one. */
const dropDoubled = (store: Store, which: RawBuilder<unknown>): number =>
  store.run(
    sqlRows(sql`
      delete from job where ${which} and key is not null and exists (
        select 1 from job as twin where twin.kind = job.kind and twin.key = job.key and twin.state = 'waiting')`),
  )

/**
 * Lets a job wait for another try at `runAt` (milliseconds since 1970), unless the same one waits already. The try that
 * has just ended counts, unless it is said to be `uncounted`: then it was not the job that went wrong.
 */
export const postponeJob = (
  store: Store,
  id: string,
  runAt: number,
  error: string,
  { uncounted = false } = {},
): number =>
  store.transact(() => {
    dropDoubled(store, sql`job.id = ${id}`)
    return store.run(
      sqlRows(sql`
        update job set state = 'waiting', owner = null, run_at = ${runAt}, error = ${error},
          attempts = attempts - ${uncounted ? 1 : 0}
        where id = ${id}`),
    )
  })

/** Gives a job up; it stays to be seen, until the next start. */
export const buryJob = (store: Store, id: string, error: string): number =>
  store.run(query.updateTable('job').set({ state: 'dead', owner: null, error }).where('id', '=', id))

/** A job that was begun more often than this and never came to an end most likely ends the server itself. */
export const mostStarts = 8

/** Lets jobs from the future (the machine's clock has gone back meanwhile) wait as long as they would have, from now on. */
export const retimeJobs = (store: Store, now: Date): number =>
  store.run(
    sqlRows(sql`
      update job set
        run_at = ${now.getTime()} + max(0, run_at - cast(round(unixepoch(created_at, 'subsec') * 1000) as integer)),
        created_at = ${now.toISOString()}
      where created_at > ${now.toISOString()}`),
  )

/**
 * Jobs that a server left running when it ended wait again, and those that were given up, but for what seems to end the
 * server, are tried anew. Those from the future are timed as `retimeJobs` does.
 */
export const releaseJobs = (store: Store, now: Date): number =>
  store.transact(() => {
    retimeJobs(store, now)
    // Each start of a server asks for these anew: what ends the server must be known by its starts all the same. Others
    // that wait are a next step, which has tries of its own.
    store.run(
      sqlRows(sql`
        update job set attempts = max(attempts, (
          select max(former.attempts) from job as former
          where former.kind = job.kind and former.key = job.key and former.state = 'running'))
        where state = 'waiting' and kind in ('index-search', 'tidy') and exists (
          select 1 from job as former where former.kind = job.kind and former.key = job.key and former.state = 'running')`),
    )
    dropDoubled(store, sql`job.state = 'running'`)
    const left = store.run(
      query.updateTable('job').set({ state: 'waiting', owner: null }).where('state', '=', 'running'),
    )
    return left + reviveJobs(store, now)
  })

/** Lets the jobs that were given up wait again, each as if it were new. */
function reviveJobs(store: Store, now: Date): number {
  const given = sql`job.state = 'dead' and job.attempts <= ${mostStarts}`
  dropDoubled(store, given)
  store.run(
    sqlRows(sql`
      delete from job where ${given} and key is not null and exists (
        select 1 from job as later where later.kind = job.kind and later.key = job.key and later.state = 'dead'
          and later.attempts <= ${mostStarts} and later.seq > job.seq)`),
  )
  return store.run(
    sqlRows(sql`update job set state = 'waiting', attempts = 0, run_at = ${now.getTime()} where ${given}`),
  )
}

/** Returns when the next job that `claimJob` could claim is due, in milliseconds since 1970. */
export const nextJobTime = (store: Store, selection: JobSelection = everyJob): number | undefined =>
  store.get(
    sqlRows<Pick<JobRow, 'run_at'>>(sql`
      select run_at from job as due
      where due.state = 'waiting' and ${isClaimable(selection)}
      order by due.run_at limit 1`),
  )?.run_at

/** How many jobs there are in each state. */
export const countJobs = (store: Store): { state: string; count: number }[] =>
  store.all(
    query
      .selectFrom('job')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .groupBy('state'),
  )

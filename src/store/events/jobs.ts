import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { JobRow } from '../tables/rows.ts'

/** Inserts a job, unless one with the same kind and key is waiting. */
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

/** A set of job kinds: only these, or all but these. */
export type JobKinds = { only: readonly string[] } | { except: readonly string[] }

/** The jobs that a worker may claim, with limits on the jobs of these kinds that run at the same time per user and organization. */
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

/** True if no job runs in the same lane. `not in` with a list, because `exists` would run for each of thousands of waiting jobs. */
const isFree = sql`due.lane not in (select lane from job where state = 'running')`

/** The number of running jobs of the selection by owner. */
const runningBy = (owner: 'user_id' | 'organization_id', { kinds }: JobSelection): RawBuilder<unknown> =>
  sql`select due.${sql.raw(owner)} as owner, count(*) as running from job as due
    where due.state = 'running' and due.${sql.raw(owner)} is not null and ${isOneOf(kinds)}
    group by due.${sql.raw(owner)}`

/** True if another job of the same owner may run. An uncorrelated subquery, like that for lanes. */
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
 * Claims a job of the selection that is due, whose lane is free and whose owners are below their limits. Prefers the
 * organization, and within it the user, with the fewest running jobs, then the oldest job. Returns undefined if there is none.
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

/** Deletes a finished job. */
export const finishJob = (store: Store, id: string): number =>
  store.run(query.deleteFrom('job').where('id', '=', id))

/** Deletes a waiting job of this kind and key. */
export const cancelJob = (store: Store, kind: string, key: string): number =>
  store.run(
    query.deleteFrom('job').where('kind', '=', kind).where('key', '=', key).where('state', '=', 'waiting'),
  )

/** Deletes a job that is to wait again if one with the same kind and key is already waiting. */
const dropDoubled = (store: Store, which: RawBuilder<unknown>): number =>
  store.run(
    sqlRows(sql`
      delete from job where ${which} and key is not null and exists (
        select 1 from job as twin where twin.kind = job.kind and twin.key = job.key and twin.state = 'waiting')`),
  )

/**
 * Schedules another attempt of a job at `runAt` (milliseconds since 1970), unless an equal job is waiting. The last attempt
 * counts, unless `uncounted` is set because the job did not cause its failure.
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

/** Marks a job as dead. It stays visible until the next start of a server. */
export const buryJob = (store: Store, id: string, error: string): number =>
  store.run(query.updateTable('job').set({ state: 'dead', owner: null, error }).where('id', '=', id))

/** A job that was started more often than this and never ended probably crashes the server. */
export const mostStarts = 8

/** Corrects the times of jobs after the machine's clock was set back: they wait as long as planned, from now on. */
export const retimeJobs = (store: Store, now: Date): number =>
  store.run(
    sqlRows(sql`
      update job set
        run_at = ${now.getTime()} + max(0, run_at - cast(round(unixepoch(created_at, 'subsec') * 1000) as integer)),
        created_at = ${now.toISOString()}
      where created_at > ${now.toISOString()}`),
  )

/**
 * Makes jobs that an earlier server left running wait again, and revives dead jobs, except those that probably crash the
 * server. Corrects times as `retimeJobs` does.
 */
export const releaseJobs = (store: Store, now: Date): number =>
  store.transact(() => {
    retimeJobs(store, now)
    // Each start of a server inserts these again, so a job that crashes the server must keep its count. Other waiting jobs
    // are a next step with attempts of its own.
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

/** Makes dead jobs wait again, each as if it were new. */
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

/** Returns the number of jobs in each state. */
export const countJobs = (store: Store): { state: string; count: number }[] =>
  store.all(
    query
      .selectFrom('job')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .groupBy('state'),
  )

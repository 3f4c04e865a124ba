import { type RawBuilder, sql } from 'kysely'
import { among, isSettled, lockedAsTheyAre, lockedOrSkipped, sharedTime } from '../dialect.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { JobRow } from '../tables/rows.ts'

/** The time by which jobs run, `delay` milliseconds after `now` of this node's clock. */
const timeAt = (now: number, delay = 0): RawBuilder<number> =>
  delay === 0 ? sharedTime(now) : sql`${sharedTime(now)} + ${delay}`

/**
 * Inserts a job that is due `delay` milliseconds after `now` (milliseconds since 1970), unless one
 * with the same kind and key is waiting.
 */
export const insertJob = (
  store: Store,
  row: Pick<
    JobRow,
    'id' | 'kind' | 'lane' | 'key' | 'payload' | 'created_at' | 'user_id' | 'organization_id'
  >,
  now: number,
  delay = 0,
): void =>
  store.send(
    query
      .insertInto('job')
      .values({ ...row, run_at: timeAt(now, delay), owner: null, error: null })
      .onConflict(conflict => conflict.doNothing()),
  )

/** A set of job kinds: only these, or all but these. */
type JobKinds = { only: readonly string[] } | { except: readonly string[] }

/**
 * The jobs that a worker may claim, with limits on the jobs of these kinds that run at the same
 * time per user and organization.
 */
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

/** The worker that claims jobs. */
export type Claimant = {
  /** The id of the worker. */
  owner: string
  /** The time of this node's clock in milliseconds since 1970. */
  now: number
  /**
   * The ids of the jobs that the worker runs itself. It never claims one of them, even if it has
   * lost its lease.
   */
  runs?: readonly string[]
  /**
   * False while leases cannot be compared with the clock: no job of another worker is taken over.
   */
  takesOver?: boolean
}

/** How long a claim holds without renewal, in milliseconds. */
export const leaseMs = 15_000

const isOfOther = ({ owner }: Claimant): RawBuilder<unknown> =>
  sql`due.state = 'running' and due.owner is distinct from ${owner}`

/** True for a running job whose owner has not renewed its lease, and so has most likely ended. */
const isAbandoned = (by: Claimant): RawBuilder<unknown> =>
  (by.takesOver ?? true)
    ? sql`(${isOfOther(by)} and coalesce(due.leased_until, 0) <= ${timeAt(by.now)})`
    : sql`false`

const isRunning = (by: Claimant): RawBuilder<unknown> =>
  sql`due.state = 'running' and not ${isAbandoned(by)}`

/**
 * True if no job runs in the same lane. `not in` with a list, because `exists` would run for each
 * of thousands of waiting jobs.
 */
const isFree = (by: Claimant): RawBuilder<unknown> =>
  sql`due.lane not in (select due.lane from job as due where ${isRunning(by)})`

/** The number of running jobs of the selection by user or organization. */
const runningBy = (
  whose: 'user_id' | 'organization_id',
  by: Claimant,
  { kinds }: JobSelection,
): RawBuilder<unknown> =>
  sql`select due.${sql.raw(whose)} as owner, count(*) as running from job as due
    where ${isRunning(by)} and due.${sql.raw(whose)} is not null and ${isOneOf(kinds)}
    group by due.${sql.raw(whose)}`

/**
 * True if another job of the same user or organization may run. An uncorrelated subquery, like that
 * for lanes.
 */
function hasRoom(
  whose: 'user_id' | 'organization_id',
  most: number,
  by: Claimant,
  selection: JobSelection,
): RawBuilder<unknown> {
  const full = sql`select owner from (${runningBy(whose, by, selection)}) as busy where running >= ${most}`
  return sql`(due.${sql.raw(whose)} is null or due.${sql.raw(whose)} not in (${full}))`
}

const isNoneOf = (ids: readonly string[]): RawBuilder<unknown> => sql`due.id not in ${among(ids)}`

const isClaimable = (by: Claimant, selection: JobSelection): RawBuilder<unknown> =>
  sql.join(
    [
      isOneOf(selection.kinds),
      isFree(by),
      ...(by.runs?.length ? [isNoneOf(by.runs)] : []),
      ...(selection.perUser ? [hasRoom('user_id', selection.perUser, by, selection)] : []),
      ...(selection.perOrganization
        ? [hasRoom('organization_id', selection.perOrganization, by, selection)]
        : []),
    ],
    sql` and `,
  )

/** The best of the jobs that meet `condition` and can be claimed, with what ranks it. */
const bestOf = (condition: RawBuilder<unknown>, by: Claimant, selection: JobSelection) => sql`
  select due.seq, coalesce(ours.running, 0) as ours, coalesce(mine.running, 0) as mine,
    due.kind || ' ' || due.key as name
  from job as due
  left join (${runningBy('organization_id', by, selection)}) as ours on ours.owner = due.organization_id
  left join (${runningBy('user_id', by, selection)}) as mine on mine.owner = due.user_id
  where ${condition} and ${isClaimable(by, selection)}
  order by 2, 3, 1 limit 1 ${lockedOrSkipped('due')}`

/**
 * Claims a job of the selection that is due or abandoned by its owner, whose lane is free and whose
 * user and organization are below their limits. Prefers the organization, and within it the user,
 * with the fewest running jobs, then the oldest job. Returns undefined if there is none. The claim
 * holds for `leaseMs`, unless it is renewed. A job that an open transaction has ordered again is left
 * until that has ended: it would start before it can see why.
 */
export function claimJob(
  store: Store,
  by: Claimant,
  selection: JobSelection = everyJob,
): JobRow | undefined {
  const isDue = sql`due.state = 'waiting' and due.run_at <= ${timeAt(by.now)}`
  // Two queries: with "or" in one, SQLite would sort out duplicates among thousands of waiting
  // jobs.
  const best = sql.join(
    [isDue, isAbandoned(by)].map(
      condition => sql`select * from (${bestOf(condition, by, selection)}) as best`,
    ),
    sql` union all `,
  )

  const first = sql`
    select seq from (select * from (${best}) as best order by ours, mine, seq limit 1) as first
    where name is null or ${isSettled('name')}`

  // In turn, because the choice depends on all running jobs.
  return store.inTurn('jobs', () =>
    store.get(
      sqlRows<JobRow>(sql`
        update job set state = 'running', owner = ${by.owner}, leased_until = ${timeAt(by.now, leaseMs)}, attempts = attempts + 1
        where seq = (${first})
        returning *`),
    ),
  )
}

/**
 * Renews the leases of all running jobs of a worker. Returns the number of these jobs. Does not
 * wait for the disk: after a power failure no worker is left.
 */
export const renewLeases = (store: Store, owner: string, now: number): number =>
  store.transactUnsynced(() =>
    store.run(
      query
        .updateTable('job')
        .set({ leased_until: timeAt(now, leaseMs) })
        .where('owner', '=', owner)
        .where('state', '=', 'running'),
    ),
  )

/**
 * A job as its owner claimed it. Once another worker has taken the job over, its end changes
 * nothing.
 */
type Claimed = Pick<JobRow, 'id' | 'owner'>

/**
 * Returns whether a job still belongs to its owner, and keeps it so until the end of the open
 * transaction.
 */
export const holdsJob = (store: Store, { id, owner }: Claimed): boolean =>
  store.get(
    sqlRows(
      sql`select seq from job where id = ${id} and owner = ${owner} ${lockedAsTheyAre('job')}`,
    ),
  ) !== undefined

/** Deletes a finished job. Returns 0 if `owner` no longer owns it. */
export const finishJob = (store: Store, { id, owner }: Claimed): number =>
  store.run(query.deleteFrom('job').where('id', '=', id).where('owner', '=', owner))

/** Deletes a waiting job of this kind and key. */
export const cancelJob = (store: Store, kind: string, key: string): number =>
  store.run(
    query
      .deleteFrom('job')
      .where('kind', '=', kind)
      .where('key', '=', key)
      .where('state', '=', 'waiting'),
  )

/** Deletes a job that is to wait again if one with the same kind and key is already waiting. */
const dropDoubled = (store: Store, which: RawBuilder<unknown>): number =>
  store.run(
    sqlRows(sql`
      delete from job where ${which} and key is not null and exists (
        select 1 from job as twin where twin.kind = job.kind and twin.key = job.key and twin.state = 'waiting')`),
  )

/**
 * Schedules another attempt of a job `delay` milliseconds after `now`, unless an equal job is
 * waiting. The last attempt counts, unless `uncounted` is set because the job did not cause its
 * failure. Returns 0 if `owner` no longer owns the job.
 */
export const postponeJob = (
  store: Store,
  { id, owner }: Claimed,
  { now, delay = 0, error, uncounted = false }: Postponement,
): number =>
  store.transact(() => {
    const dropped = dropDoubled(store, sql`job.id = ${id} and job.owner = ${owner}`)
    if (dropped > 0) return dropped
    return store.run(
      sqlRows(sql`
        update job set state = 'waiting', owner = null, leased_until = null, run_at = ${timeAt(now, delay)}, error = ${error},
          attempts = attempts - ${uncounted ? 1 : 0}
        where id = ${id} and owner = ${owner}`),
    )
  })

type Postponement = { now: number; delay?: number; error: string; uncounted?: boolean }

/**
 * Marks a job as dead. It stays visible until the next start of a server. Returns 0 if `owner` no
 * longer owns the job.
 */
export const buryJob = (store: Store, { id, owner }: Claimed, error: string): number =>
  store.run(
    query
      .updateTable('job')
      .set({ state: 'dead', owner: null, leased_until: null, error })
      .where('id', '=', id)
      .where('owner', '=', owner),
  )

/** A job that was started more often than this and never ended probably crashes the server. */
export const mostStarts = 8

/**
 * Corrects the times of jobs after the machine's clock was set back: they wait as long as planned,
 * from now on, and no lease is longer than a new one. An owner that has ended then keeps its jobs
 * for `leaseMs` at most. Not for rows in a database with a clock of its own.
 */
export const retimeJobs = (store: Store, now: Date): number =>
  store.transact(() => {
    const longest = now.getTime() + leaseMs
    store.run(
      query.updateTable('job').set({ leased_until: longest }).where('leased_until', '>', longest),
    )
    const created_at = now.toISOString()
    const later = store.all(
      query
        .selectFrom('job')
        .select(['seq', 'run_at', 'created_at'])
        .where('created_at', '>', created_at),
    )
    for (const { seq, ...job } of later) {
      const run_at = now.getTime() + Math.max(0, job.run_at - Date.parse(job.created_at))
      store.run(query.updateTable('job').set({ run_at, created_at }).where('seq', '=', seq))
    }
    return later.length
  })

/**
 * Makes jobs that other workers left running wait again, whatever their leases, and revives dead
 * jobs, except those that probably crash the server. The caller holds the lock of the data folder
 * with the rows, so all other workers have ended. Corrects times as `retimeJobs` does.
 */
export const releaseJobs = (store: Store, owner: string, now: Date): number =>
  store.transact(() => {
    retimeJobs(store, now)
    // Each start of a server inserts these again, so a job that crashes the server must keep its
    // count. Other waiting jobs are a next step with attempts of its own.
    store.run(
      sqlRows(sql`
        update job set attempts = former.attempts from (
          select kind, key, max(attempts) as attempts from job
          where state = 'running' group by kind, key) as former
        where job.state = 'waiting' and job.kind in ('index-search', 'tidy')
          and former.kind = job.kind and former.key = job.key and former.attempts > job.attempts`),
    )
    const left = sql`job.state = 'running' and job.owner is distinct from ${owner}`
    dropDoubled(store, left)
    const released = store.run(
      sqlRows(
        sql`update job set state = 'waiting', owner = null, leased_until = null where ${left}`,
      ),
    )

    return released + reviveJobs(store, now)
  })

/** Makes dead jobs wait again, each as if it were new. */
export const reviveJobs = (store: Store, now: Date): number =>
  store.transact(() => {
    const given = sql`job.state = 'dead' and job.attempts <= ${mostStarts}`
    dropDoubled(store, given)
    store.run(
      sqlRows(sql`
      delete from job where ${given} and key is not null and exists (
        select 1 from job as later where later.kind = job.kind and later.key = job.key and later.state = 'dead'
          and later.attempts <= ${mostStarts} and later.seq > job.seq)`),
    )

    return store.run(
      sqlRows(
        sql`update job set state = 'waiting', attempts = 0, run_at = ${timeAt(now.getTime())} where ${given}`,
      ),
    )
  })

/**
 * Returns for each selection the milliseconds until the next job that `claimJob` could claim is due, at
 * most 0 if one is, or until the lease of another worker ends, which it may renew before; or undefined.
 */
export function nextJobDelays(
  store: Store,
  by: Claimant,
  selections: readonly JobSelection[] = [everyJob],
): (number | undefined)[] {
  const row = store.get(nextDelays(by, selections))
  return selections.map((_, at) => row?.[`delay${at}`] ?? undefined)
}

/** Returns what `nextJobDelays` returns, from a database on another machine. Nothing is blocked meanwhile. */
export async function nextJobDelaysBeside(
  store: Store,
  by: Claimant,
  selections: readonly JobSelection[],
): Promise<(number | undefined)[]> {
  const values = await store.valuesBeside(nextDelays(by, selections))
  return selections.map((_, at) => (values?.[at] as number | null | undefined) ?? undefined)
}

const nextDelays = (by: Claimant, selections: readonly JobSelection[]) =>
  sqlRows<Record<string, number | null>>(
    sql`select ${sql.join(selections.map((selection, at) => sql`${nextDelay(by, selection)} as ${sql.ref(`delay${at}`)}`))}`,
  )

/**
 * Returns the query of the times of the first waiting jobs of a selection that can be claimed, one for
 * each kind: the index of kinds has them in order.
 */
function firstTimes(by: Claimant, selection: JobSelection): RawBuilder<unknown> {
  const { kinds } = selection
  const ofKinds = 'only' in kinds ? kinds.only.map(kind => sql`due.kind = ${kind}`) : [sql`true`]
  return sql.join(
    ofKinds.map(
      ofKind => sql`select * from (
        select run_at as at from job as due
        where due.state = 'waiting' and ${ofKind} and ${isClaimable(by, selection)}
        order by due.run_at limit 1) as waiting`,
    ),
    sql` union all `,
  )
}

const nextDelay = (by: Claimant, selection: JobSelection): RawBuilder<unknown> => sql`(
  select min(at) - ${timeAt(by.now)} from (
    ${firstTimes(by, selection)}
    union all
    select ${timeAt(by.now)} as at from job as due where ${isAbandoned(by)} and ${isClaimable(by, selection)}
    union all
    select due.leased_until as at from job as due
    where ${isOfOther(by)} and due.leased_until > ${timeAt(by.now)} and ${isOneOf(selection.kinds)}
  ) as due)`

/** Returns whether a job of a kind is waiting or running. */
export const hasJob = (store: Store, kind: string): boolean =>
  store.get(
    query
      .selectFrom('job')
      .select('id')
      .where('kind', '=', kind)
      .where('state', '!=', 'dead')
      .limit(1),
  ) !== undefined

/** Returns the number of jobs in each state. */
export const countJobs = (store: Store): { state: string; count: number }[] =>
  store.all(
    query
      .selectFrom('job')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .groupBy('state'),
  )

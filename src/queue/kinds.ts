/**
 * Every kind of job with its payload. The handlers are in `jobs/`; only `worker.ts` joins the two.
 */
export type JobPayloads = {
  /** Purges a deleted space when its time has come. */
  'purge-space': { spaceId: string }
  /** Runs the earliest queued Git import or export of a space. */
  'git-sync': { spaceId: string }
  /** Records commits that were pushed from outside. */
  'reconcile-space': { spaceId: string }
  /** Sends the oldest due delivery of a webhook. */
  'deliver-webhook': { webhookId: string }
  /** Updates the search index of a space to its heads. */
  'index-search': { spaceId: string }
  /** Packs the repository of a space that many pushes have left in many packs. */
  'pack-space': { spaceId: string }
  /** Processes the new source of an OpenAPI spec, or removes the rest of a deleted spec. */
  'process-openapi': { specId: string; deleted?: { organizationId: string; slug: string } }
  /** Makes uploaded files pages of a space. */
  'import-files': { runId: string }
  /** Publishes the manual of Stemma after the first start. The key identifies its space. */
  'bring-manual': { key: string }
  /** Deletes expired data, once a day. */
  tidy: Record<string, never>
}

export type JobKind = keyof JobPayloads

/** A run of a job. */
export type JobAttempt = {
  /** Aborts when the server stops. */
  signal: AbortSignal
  /** Counts from 1. */
  attempt: number
  /**
   * Throws if another worker has taken the job over, as it does from one that was asleep. Call it in
   * the transaction that records the result. Missing where no worker runs the job.
   */
  checkLease?: () => void
}

/** A job to enqueue. It is plain data, so that the transaction that makes it due can insert it. */
export type JobOrder<Kind extends JobKind = JobKind> = {
  kind: Kind
  payload: JobPayloads[Kind]
  /** Jobs in one lane run one at a time, in order. */
  lane: string
  /** Two waiting jobs with the same kind and key are one job. */
  key?: string
  /**
   * The user and the organization of the job: the worker limits how many of their jobs wait for
   * other hosts at once.
   */
  userId?: string | null
  organizationId?: string
  /** Milliseconds since 1970; the current time by default. */
  runAt?: number
}

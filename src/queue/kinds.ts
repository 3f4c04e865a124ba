/** Every kind of job with what it needs to know. Its doing is in `jobs/`; only `worker.ts` joins the two. */
export type JobPayloads = {
  /** Removes a deleted space for good, when its time has come. */
  'purge-space': { spaceId: string }
  /** Runs the earliest queued Git import or export of a space. */
  'git-sync': { spaceId: string }
  /** Takes note of commits that came from outside. */
  'reconcile-space': { spaceId: string }
  /** Sends a webhook the oldest delivery that is due. */
  'deliver-webhook': { webhookId: string }
  /** Brings the search index of a space up to its heads. */
  'index-search': { spaceId: string }
  /** Fetches, reads and keeps an OpenAPI description that has a new source, or removes what is left of a deleted one. */
  'process-openapi': { specId: string; deleted?: { organizationId: string; slug: string } }
  /** Forgets what is no longer needed, once a day. */
  tidy: Record<string, never>
}

export type JobKind = keyof JobPayloads

/** A job to be done, as data: so that it can be written in the transaction that makes it due. */
export type JobOrder<Kind extends JobKind = JobKind> = {
  kind: Kind
  payload: JobPayloads[Kind]
  /** Jobs of one lane run one at a time, in order. */
  lane: string
  /** Two waiting jobs of one kind and key are one job. */
  key?: string
  /** Whose the job is: the worker bounds how many jobs of one user and one organization wait for other hosts at once. */
  userId?: string | null
  organizationId?: string
  /** Milliseconds since 1970; at once when not said. */
  runAt?: number
}

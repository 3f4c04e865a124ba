import type { Idempotency } from '../../access/asker.ts'
import { enqueue } from '../../queue/enqueue.ts'
import type { JobOrder } from '../../queue/kinds.ts'
import {
  countContribution,
  insertChangeRequest,
  type NewChangeRequest,
  setChangeRequest,
} from '../../store/discussions/change-requests.ts'
import { keepAnswer } from '../../store/events/idempotency.ts'
import { putGitSync, updateGitSyncRun } from '../../store/git/git-sync.ts'
import { putPublishedJump } from '../../store/git/published-jumps.ts'
import { appendRevision } from '../../store/git/revisions.ts'
import { insertServiceCommit } from '../../store/git/service-commits.ts'
import { setImportRun } from '../../store/spaces/import-runs.ts'
import { setSpace } from '../../store/spaces/spaces.ts'
import type { Store } from '../../store/store.ts'
import type {
  ChangeRequestRow,
  GitSyncRow,
  GitSyncRunRow,
  ImportRunRow,
  PublishedJumpRow,
  RevisionPathRow,
  RevisionRow,
  ServiceCommitRow,
  SpaceRow,
} from '../../store/tables/rows.ts'
import type { AuditEvent } from '../events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'
import { type KeptVersion, keepVersion } from './end-spec-source.ts'

/**
 * A row change that follows from moved refs, as data: the journal holds it so that recovery can
 * apply it. The kinds are stored there, so they keep their names.
 */
export type Effect =
  | { do: 'update-space'; id: string; set: Partial<Omit<SpaceRow, 'id' | 'seq' | 'created_at'>> }
  | { do: 'insert-change-request'; row: NewChangeRequest }
  | { do: 'update-change-request'; id: string; set: Partial<Omit<ChangeRequestRow, 'id' | 'seq'>> }
  | {
      do: 'count-contribution'
      changeRequestId: string
      userId: string
      at: string
      count?: number
      wrote?: boolean
    }
  /**
   * The next revision of the primary content. Skipped unless the index ends at `after`; the indexer
   * adds it later.
   */
  | {
      do: 'append-revision'
      after: string
      row: Omit<RevisionRow, 'seq'>
      paths: Omit<RevisionPathRow, 'seq' | 'space_id'>[]
    }
  /**
   * Marks a commit as made by the service: its message and committer prove nothing, since anyone
   * can write them.
   */
  | { do: 'note-service-commit'; row: ServiceCommitRow }
  /**
   * Marks a commit that follows `previous` in the published history, though not by its first
   * parent.
   */
  | { do: 'note-published-jump'; row: PublishedJumpRow }
  | { do: 'put-git-sync'; row: GitSyncRow }
  | { do: 'update-git-sync-operation'; id: string; set: Partial<Omit<GitSyncRunRow, 'id' | 'seq'>> }
  | { do: 'update-import-run'; id: string; set: Partial<Omit<ImportRunRow, 'id' | 'seq'>> }
  | ({ do: 'keep-openapi-version' } & KeptVersion)
  | { do: 'enqueue'; order: JobOrder; at: string }
  | { do: 'record-event'; event: AuditEvent }
  /**
   * The answer to replay for a request with an Idempotency-Key; `body` is JSON, left out if empty.
   */
  | { do: 'keep-answer'; to: Idempotency; status: number; body?: string; at: string }

type Appliers = {
  [Kind in Effect['do']]: (store: Store, effect: Extract<Effect, { do: Kind }>) => unknown
}

const appliers: Appliers = {
  'update-space': (store, { id, set }) => setSpace(store, id, set),
  'insert-change-request': (store, { row }) => insertChangeRequest(store, row),
  'update-change-request': (store, { id, set }) => setChangeRequest(store, id, set),
  'count-contribution': (store, { changeRequestId, userId, at, count, wrote }) =>
    countContribution(store, changeRequestId, userId, { at, count, wrote }),
  'append-revision': (store, { after, row, paths }) =>
    store.afterCommit(() => appendRevision(store, after, row, paths)),
  'note-service-commit': (store, { row }) => insertServiceCommit(store, row),
  'note-published-jump': (store, { row }) => putPublishedJump(store, row),
  'put-git-sync': (store, { row }) => putGitSync(store, row),
  'update-git-sync-operation': (store, { id, set }) => updateGitSyncRun(store, id, set),
  'update-import-run': (store, { id, set }) => setImportRun(store, id, set),
  'keep-openapi-version': keepVersion,
  enqueue: (store, { order, at }) => enqueue(store, order, new Date(at)),
  'record-event': (store, { event }) => recordEvent(store, event),
  'keep-answer': (store, { to, status, body, at }) =>
    keepAnswer(store, to, { status, body }, new Date(at)),
}

/** Applies one effect inside the caller's transaction. */
export function applyEffect(store: Store, effect: Effect): void {
  const apply = appliers[effect.do] as (store: Store, effect: Effect) => unknown
  apply(store, effect)
}

import type { Oid } from '../../lib/oid.ts'
import { queueProcessing } from '../../queue/specs.ts'
import { countSources, deleteSource } from '../../store/openapi/sources.ts'
import { findSpec, updateSpec } from '../../store/openapi/specs.ts'
import { insertVersion } from '../../store/openapi/versions.ts'
import type { Store } from '../../store/store.ts'
import type { OpenapiSpecRow, OpenapiVersionRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'

/** A source of an OpenAPI spec that was read, or could not be read. */
type EndedSource = {
  specId: string
  /** The `seq` of the source. */
  source: number
  /** Who added it. */
  userId: string | null
  set: Partial<Pick<OpenapiSpecRow, 'last_version' | 'error_code' | 'errors'>>
  /** ISO 8601. */
  at: string
}

/**
 * Removes a source of a spec, stores its outcome, and queues the next source. Does nothing if the
 * source or its spec no longer exists. Call inside a transaction.
 */
export function endSource(store: Store, { specId, source, userId, set, at }: EndedSource): void {
  if (deleteSource(store, source) === 0) return
  const isLast = countSources(store, specId) === 0
  if (!isLast) queueProcessing(store, specId, new Date(at))

  const state = isLast ? 'complete' : 'pending'
  const spec = updateSpec(store, specId, { ...set, state, last_processed_at: at, updated_at: at })
  if (!spec) return
  const outcome = set.error_code ? { error: set.error_code } : { version: set.last_version }

  recordEvent(store, {
    action: 'openapi_spec.processed',
    organizationId: spec.organization_id,
    userId,
    origin: null,
    target: { kind: 'openapi-spec', id: specId },
    details: { slug: spec.slug, ...outcome },
    at,
  })
}

/** The latest version of a spec, whose branch has moved. */
export type KeptVersion = Pick<EndedSource, 'specId' | 'source' | 'userId' | 'at'> & {
  /** The latest version before, according to the rows. */
  after: Oid | null
  version: Oid
  /** The versions of the branch without rows, oldest first. */
  rows: Omit<OpenapiVersionRow, 'seq'>[]
  errors: OpenapiSpecRow['errors']
}

/**
 * Stores the latest version of a spec, which was read from a source. Does nothing if the spec was
 * deleted, or if its latest version is not `after`: its source is read again then.
 */
export function keepVersion(
  store: Store,
  { after, version, rows, errors, ...source }: KeptVersion,
): void {
  if (findSpec(store, source.specId)?.last_version !== after) return
  for (const row of rows) insertVersion(store, row)
  endSource(store, { ...source, set: { last_version: version, error_code: null, errors } })
}

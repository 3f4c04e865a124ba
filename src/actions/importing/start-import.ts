import { checkPrimaryWriter } from '../../access/guards/primary.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { listSiteSpacesWith } from '../../store/sites/site-spaces.ts'
import { findSite } from '../../store/sites/sites.ts'
import { countWaitingImportRuns, insertImportRun } from '../../store/spaces/import-runs.ts'
import type { ImportRunRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { findOwnUpload } from '../uploads/use-uploads.ts'

/** The most runs of a user that wait. */
const mostWaiting = 10

export type ImportOrder = {
  organizationId: string
  spaceId: string
  /** An id or a number; undefined: the pages go into the primary content. */
  changeRequest?: string | undefined
  /** The page below which they go; undefined: they go to the top level. */
  pageId?: string | undefined
  siteId?: string | undefined
  /** The keys of the uploads. */
  files: readonly string[]
}

/**
 * Starts an import of uploaded files. Call it in the transaction of a write. Throws 'missing',
 * 'forbidden' or 'conflict' where the user may not edit the target, 'invalid' for an upload that is not
 * there or has not arrived, 'too_many' for too many runs that wait.
 */
export function startImport(ctx: Context, by: UserRow, order: ImportOrder): ImportRunRow {
  const { organizationId, files } = order
  const { space, changeRequestId } = checkTarget(ctx, by, order)
  const at = ctx.now()
  const time = at.toISOString()

  for (const key of files) {
    const { name, blob } = findOwnUpload(ctx, { organizationId, userId: by.id }, key)
    if (blob === null)
      throw new Fault(
        'upload_incomplete',
        `The upload of "${name}" has not arrived: send its bytes to its address first.`,
      )
  }

  if (countWaitingImportRuns(ctx.store, by.id) >= mostWaiting)
    throw new Fault(
      'too_many_pending',
      `You have ${mostWaiting} imports that wait. Wait until one of them ends, or cancel it.`,
      undefined,
      { label: 'imports', retryAfter: 60 },
    )

  const run = insertImportRun(ctx.store, {
    id: randomId(),
    organization_id: organizationId,
    space_id: space.id,
    change_request_id: changeRequestId ?? null,
    page_id: order.pageId ?? null,
    site_id: siteOf(ctx, order, space),
    created_by: by.id,
    files: [...files],
    status: 'pending',
    reason: null,
    pages: [],
    findings: [],
    revision: null,
    created_at: time,
    started_at: null,
    updated_at: time,
    completed_at: null,
  })
  enqueue(
    ctx.store,
    {
      kind: 'import-files',
      payload: { runId: run.id },
      lane: `import ${space.id}`,
      userId: by.id,
      organizationId,
    },
    at,
  )

  return run
}

function checkTarget(
  ctx: Context,
  by: UserRow,
  { organizationId, spaceId, changeRequest }: ImportOrder,
): { space: SpaceRow; changeRequestId?: string } {
  const { space, role } = checkRole(ctx, spaceId, by.id, 'edit')
  if (space.organization_id !== organizationId) throw missing('space', spaceId)
  if (changeRequest === undefined) {
    checkPrimaryWriter(ctx, space, { user: by, role }, 'edit')
    return { space }
  }
  const row = findChangeRequest(ctx.store, spaceId, changeRequest)
  if (!row) throw missing('change request', changeRequest)
  const { status } = row
  if (status === 'merged' || status === 'archived')
    throw new Fault(
      status === 'merged' ? 'already_merged' : 'change_request_archived',
      `The change request is ${status} and takes no pages.`,
    )
  return { space, changeRequestId: row.id }
}

/** Returns the site that a run is for: the one that was named, or the only one that shows the space. */
function siteOf(
  ctx: Context,
  { organizationId, siteId }: ImportOrder,
  space: SpaceRow,
): string | null {
  if (siteId === undefined) {
    const sites = new Set(listSiteSpacesWith(ctx.store, space.id).map(({ site_id }) => site_id))
    return sites.size === 1 ? [...sites][0]! : null
  }
  const site = findSite(ctx.store, siteId)
  if (site?.organization_id !== organizationId) throw missing('site', siteId)
  return siteId
}

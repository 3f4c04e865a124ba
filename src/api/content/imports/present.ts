import type { z } from 'zod'
import type { Context } from '../../../context.ts'
import type { ImportRunRow } from '../../../store/tables/rows.ts'
import type { ImportRun } from './schema.ts'

/** Returns an import run as the API shows it. */
export const presentImportRun = (
  ctx: Pick<Context, 'publicUrl'>,
  row: ImportRunRow,
): z.input<typeof ImportRun> => ({
  object: 'import-run',
  id: row.id,
  status: row.status,
  ...(row.reason !== null && { reason: row.reason }),
  source: { type: 'file', files: row.files },
  target: {
    space: row.space_id,
    ...(row.change_request_id !== null && { changeRequest: row.change_request_id }),
    ...(row.page_id !== null && { page: row.page_id }),
  },
  ...(row.site_id !== null && { site: row.site_id }),
  pages: row.pages.map(page => ({
    ...page,
    status: row.status === 'completed' ? ('complete' as const) : ('pending' as const),
  })),
  findings: row.findings,
  ...(row.revision !== null && { revision: row.revision }),
  createdBy: row.created_by,
  createdAt: row.created_at,
  ...(row.started_at !== null && { startedAt: row.started_at }),
  updatedAt: row.updated_at,
  ...(row.completed_at !== null && { completedAt: row.completed_at }),
  urls: { location: `${ctx.publicUrl()}/v1/org/${row.organization_id}/imports/${row.id}` },
})

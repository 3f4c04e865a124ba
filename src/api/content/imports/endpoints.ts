import { importRun } from '../../../access/guards/import-run.ts'
import { organization } from '../../../access/guards/organization.ts'
import { atLeast } from '../../../access/roles.ts'
import { roleOnSpace } from '../../../access/space-role.ts'
import { cancelImport } from '../../../actions/importing/cancel-import.ts'
import { checkImportPage } from '../../../actions/importing/check-page.ts'
import { startImport } from '../../../actions/importing/start-import.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { created, endpoint, inTransaction } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import {
  type ImportRunFilter,
  listImportRuns as listRuns,
  waitingStates,
} from '../../../store/spaces/import-runs.ts'
import { rememberedSpace } from '../../../store/spaces/spaces.ts'
import type { ImportRunRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { presentImportRun } from './present.ts'
import { ImportRun, ImportRunPath, ImportRunsQuery, ImportStart } from './schema.ts'

export const startImportRun = endpoint({
  operationId: 'startImportRun',
  summary: 'Import uploaded files into a space',
  description:
    'Starts a durable job that makes Markdown, HTML or Word documents (.docx), or a zip of them, pages of a space, as one commit. The caller needs the rights of an edit of the target. `SUMMARY.md` gives the order if the files have one; otherwise folders are pages, and the files in them are below. What cannot be taken over is in the `findings` of the run.',
  params: OrganizationPath,
  body: ImportStart,
  reply: ImportRun,
  status: 201,
  access: organization('guest'),
  handle: async ({ ctx, user, params: { organizationId }, body: { source, target, site } }) => {
    if (source.type !== 'file')
      throw invalid(
        '"source.type" is "website", and this server fetches no websites. Upload the pages as Markdown, HTML or Word documents, or as a zip, and send their keys with the type "file".',
      )
    const order = {
      organizationId,
      spaceId: target.space,
      changeRequest: target.changeRequest,
      pageId: target.page,
      siteId: site,
      files: [...new Set(source.files)],
    }
    await checkImportPage(ctx, user, order)
    return inTransaction(granted =>
      created(presentImportRun(ctx, startImport(ctx, granted.user, order))),
    )
  },
})

export const listImportRuns = listing({
  operationId: 'listImportRuns',
  summary: 'List the imports of files, newest first',
  description:
    'Returns the imports of the last thirty days into spaces in which the caller has the role "edit".',
  params: OrganizationPath,
  query: ImportRunsQuery,
  item: ImportRun,
  access: organization('guest'),
  list: ({ ctx, user, params: { organizationId }, query }) => {
    const { space: spaceId, changeRequest: changeRequestId, site: siteId, status } = query
    const filter: ImportRunFilter = {
      ...{ spaceId, changeRequestId, siteId },
      statuses: status === 'active' ? waitingStates : status && [status],
    }
    return {
      name: `imports ${organizationId} ${user.id} ${JSON.stringify(filter)}`,
      rows: (limit, after?: number) =>
        listEditable(ctx, user.id, limit, after, (most, before) =>
          listRuns(ctx.store, organizationId, filter, most, before),
        ),
      length: row => JSON.stringify([row.pages, row.findings]).length,
      show: rows => rows.map(row => presentImportRun(ctx, row)),
    }
  },
})

/** The number of runs that are read together, some of which may be hidden. */
const batch = 100

/** Returns the first `limit` runs into spaces that a user may edit. */
function listEditable(
  ctx: Context,
  userId: string,
  limit: number,
  after: number | undefined,
  read: (most: number, before: number | undefined) => ImportRunRow[],
): ImportRunRow[] {
  const found: ImportRunRow[] = []
  for (let before = after; ; ) {
    const rows = read(batch, before)
    for (const row of rows) if (mayEdit(ctx, row, userId) && found.push(row) === limit) return found
    if (rows.length < batch) return found
    before = rows.at(-1)!.seq
  }
}

function mayEdit(ctx: Context, { space_id }: ImportRunRow, userId: string): boolean {
  const space = rememberedSpace(ctx.store, space_id)
  const role = space?.deleted_at === null ? roleOnSpace(ctx, space, userId) : null
  return role !== null && atLeast(role, 'edit')
}

export const getImportRun = endpoint({
  operationId: 'getImportRun',
  summary: 'Get the state, pages and findings of an import of files',
  description:
    'Returns the import. Repeat the request until the answer has `completedAt`. Requires the role "edit" in the space.',
  params: ImportRunPath,
  reply: ImportRun,
  access: importRun,
  handle: ({ ctx, run }) => presentImportRun(ctx, run),
})

export const cancelImportRun = endpoint({
  operationId: 'cancelImportRun',
  summary: 'Cancel an import of files',
  description:
    'Cancels an import that has not ended; no page of it is written. An import that is completed or has failed is a 409. Requires the role "edit" in the space. The operation also succeeds when the import is cancelled already.',
  params: ImportRunPath,
  reply: ImportRun,
  access: importRun,
  write: ({ ctx, run }) => presentImportRun(ctx, cancelImport(ctx, run)),
})

import { sql } from 'kysely'
import { randomId } from '../../src/lib/digest.ts'
import { sqlRows } from '../../src/store/store.ts'
import type { App } from '../support/app.ts'

/** The time at which everything was created. */
export const at = '2026-01-01T00:00:00.000Z'

/** Writes a row and returns its id. */
export function put(app: App, table: string, row: Record<string, unknown>): string {
  const whole = { id: randomId(), ...row }
  const names = sql.join(Object.keys(whole).map(name => sql.ref(name)))
  const values = sql.join(Object.values(whole).map(value => sql`${value}`))
  app.ctx.store.run(sqlRows(sql`insert into ${sql.table(table)} (${names}) values (${values})`))
  return String(whole.id)
}

const body = { markdown: 'Hm.' }

/** Writes a comment of a user: in a space, or in one of its change requests. */
export const putComment = (
  app: App,
  { spaceId, changeRequestId = null }: { spaceId: string; changeRequestId?: string | null },
  author: string,
): string =>
  put(app, 'comment', {
    space_id: spaceId,
    change_request_id: changeRequestId,
    revision: '1'.repeat(40),
    body,
    posted_by: author,
    posted_at: at,
  })

/** Writes a reply of a user to a comment of a space. */
export const putReply = (app: App, spaceId: string, commentId: string, author: string): string =>
  put(app, 'comment_reply', {
    space_id: spaceId,
    comment_id: commentId,
    body,
    posted_by: author,
    posted_at: at,
  })

/** Writes an upload whose file has arrived, and is lost; returns its key. */
export const putUpload = (app: App, organizationId: string, userId: string): string =>
  `uploads/${put(app, 'upload', {
    organization_id: organizationId,
    user_id: userId,
    token_id: 'none',
    name: 'page.md',
    size: 1,
    blob: '1'.repeat(40),
    created_at: at,
    expires_at: '2999-01-01T00:00:00.000Z',
  })}`

/** Writes an import of files that waits. */
export const putImportRun = (
  app: App,
  { organizationId, spaceId }: { organizationId: string; spaceId: string },
  userId: string,
): string =>
  put(app, 'import_run', {
    organization_id: organizationId,
    space_id: spaceId,
    created_by: userId,
    files: '[]',
    status: 'pending',
    pages: '[]',
    findings: '[]',
    created_at: at,
    updated_at: at,
  })

import type { RequestFacts } from '../../access/asker.ts'
import type { SpaceGrant } from '../../access/guards/space.ts'
import { type OpenedPage, openPage, type PageFields } from '../../actions/writing/open-page.ts'
import type { Overlap } from '../../actions/writing/overlap.ts'
import { Fault } from '../../errors.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import type { PageInput } from '../frame/page.ts'
import { myChangeRequests, nameOf, whyNotPublish } from './destinations.ts'
import type { Written } from './edit-view.tsx'
import { previewText } from './preview-text.ts'

/** Who writes which page. */
export type Writer = Pick<
  PageInput<{ spaceId: string; pageId: string }>,
  'ctx' | 'params' | 'hold'
> & {
  request: Pick<RequestFacts, 'signal' | 'origin'>
} & SpaceGrant & { changeRequest?: ChangeRequestRow }

/** What differs from the page at its revision: what was sent with a form. */
type Sent = {
  fields: PageFields
  message?: string
  to?: string
  overlap?: Pick<Overlap, 'hunks' | 'title'>
  alert?: string
  added?: string
}

/** Returns the path of the editor of a page, in a change request or in a new one. */
export const editPath = (spaceId: string, pageId: string, number?: number): string =>
  number === undefined
    ? `/s/${spaceId}/edit/${pageId}`
    : `/s/${spaceId}/changes/${number}/edit/${pageId}`

/** Opens a page for writing at a revision, with what was sent instead of what is there. */
export async function openEditor(writer: Writer, revision: Oid, sent?: Sent): Promise<Written> {
  const { ctx, params, space, changeRequest } = writer
  const opened = await openPage(ctx, space.id, revision, params.pageId)
  const fields = sent?.fields ?? opened.fields
  const offered = myChangeRequests(ctx, writer)
  const own = changeRequest ? [changeRequest] : []
  const rows = [...own, ...offered.filter(({ id }) => id !== changeRequest?.id)]
  const { node } = opened

  return {
    space: { id: space.id, title: space.title },
    page: { id: node.id, title: node.title },
    to: editPath(space.id, node.id, changeRequest?.number),
    destination: sent?.to ?? (changeRequest ? String(changeRequest.number) : 'new'),
    destinations: [
      ...rows.map(row => ({ value: String(row.number), title: nameOf(row) })),
      { value: 'new', title: 'A new change request' },
    ],
    revision,
    fields,
    mostBytes: ctx.config.maxUploadBytes,
    message: sent?.message ?? '',
    preview: await previewOf(writer, opened, fields.body),
    whyNotPublish: whyNotPublish(ctx, writer),
    overlap: sent?.overlap,
    alert: sent?.alert,
    added: sent?.added,
  }
}

/** Returns a text as readers will see it; undefined for one that is too long. */
async function previewOf(
  writer: Writer,
  opened: OpenedPage,
  body: string,
): Promise<string | undefined> {
  try {
    return await previewText(writer, opened, body)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'too_large') return undefined
    throw error
  }
}

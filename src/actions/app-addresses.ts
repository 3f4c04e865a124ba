import type { BrowserAddresses } from '../content/tree/browser-addresses.ts'
import type { Oid } from '../lib/oid.ts'
import type { ChangeRequestRow, CommentRow } from '../store/tables/rows.ts'

/**
 * Returns the addresses that lead to a space, or to a revision of it, in the workbench; `base` is the
 * public URL. Like all addresses in the workbench, they do not depend on the sites of the space, so
 * that kept answers may name them.
 */
export function addressesInApp(base: string, spaceId: string, revision?: Oid): BrowserAddresses {
  const space = `${base}/app/s/${spaceId}`
  const content = revision === undefined ? space : `${space}/history/${revision}`
  return { content, pages: `${content}/p/` }
}

type Numbered = Pick<ChangeRequestRow, 'space_id' | 'number'>

/** Returns the addresses that lead to a change request, and to what it changes in a page. */
export function addressesOfChangeRequest(
  base: string,
  { space_id, number }: Numbered,
): BrowserAddresses {
  const content = `${base}/app/s/${space_id}/changes/${number}`
  return { content, pages: `${content}/pages/` }
}

/**
 * Returns the address at which a comment is read and answered; `request` is that which it is on. The query
 * names it too, because a server does not see the part after "#": a page shows its newest comments only.
 */
export function addressOfComment(
  base: string,
  row: Pick<CommentRow, 'id' | 'space_id' | 'page_id'>,
  request: Numbered | undefined,
): string {
  const { content, pages } = request
    ? addressesOfChangeRequest(base, request)
    : addressesInApp(base, row.space_id)
  const path = row.page_id === null ? content : pages + encodeURIComponent(row.page_id)
  return `${path}?comment=${row.id}#comment-${row.id}`
}

import type { z } from 'zod'
import type { Reader } from '../../access/asker.ts'
import { isRuled, mayBypass } from '../../access/guards/primary.ts'
import type { Visible } from '../../access/visible.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { recordedHeads } from '../../actions/heads/recorded-heads.ts'
import { publishedUrlOfSpace, publishedUrlsOfSpaces } from '../../actions/sites/published-spaces.ts'
import { isSpaceShown } from '../../actions/sites/view-for-reader.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { mustGet } from '../../lib/must-get.ts'
import { countChangeRequests } from '../../store/discussions/change-requests.ts'
import { findGitSyncs } from '../../store/git/git-sync.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { presentSpace, presentSpaceToReader, withPublished } from './present.ts'
import type { Space } from './schema.ts'

type Resource = z.input<typeof Space>

/**
 * Returns the resource of one space as a user with this role sees it: its revision is the current
 * head in Git, and its published address that which the key of a share link opens.
 */
export async function loadSpace(
  ctx: Context,
  row: SpaceRow,
  viewer: Viewer,
  shareKey?: string,
): Promise<Resource> {
  const { head } = await primaryHead(ctx, row)
  const shown = showSpace(ctx, row, viewer, head)
  if (shareKey === undefined) return shown
  return withPublished(shown, publishedUrlOfSpace(ctx, row, { shareKey }))
}

/**
 * Returns the resource of one space as a reader of a site gets it. Throws 'missing' if a condition
 * hides the space.
 */
export async function loadSpaceForReader(
  ctx: Context,
  row: SpaceRow,
  reader: Reader,
  shareKey?: string,
): Promise<Resource> {
  if (!(await isSpaceShown(ctx, reader, row.id))) throw missing('space', row.id)
  const { head } = await primaryHead(ctx, row)
  const shown = presentSpaceToReader(row, head, ctx.publicUrl())
  return withPublished(shown, publishedUrlOfSpace(ctx, row, { reader, shareKey }))
}

/**
 * Returns the resources of many spaces as a reader gets them, at the newest revisions that the
 * service has recorded.
 */
export async function loadSpacesForReader(
  ctx: Context,
  rows: readonly SpaceRow[],
): Promise<Resource[]> {
  const revisions = await currentHeads(ctx, rows)
  const base = ctx.publicUrl()
  return rows.map(row => presentSpaceToReader(row, revisions.get(row.id) ?? '', base))
}

export type Viewer = { userId: string; role: Role }

/** Returns the same for a known head. */
export const showSpace = (
  ctx: Context,
  row: SpaceRow,
  { userId, role }: Viewer,
  revision: string,
): Resource => present(ctx, [{ row, role }], userId, new Map([[row.id, revision]]))[0] as Resource

/**
 * Returns the resources of many spaces as a user sees them, with one query for each kind of fact:
 * the revision is the newest one that the service has recorded, so that a list reads no
 * repositories.
 */
export async function loadSpaces(
  ctx: Context,
  items: readonly Visible<SpaceRow>[],
  userId: string,
): Promise<Resource[]> {
  const heads = await currentHeads(
    ctx,
    items.map(({ row }) => row),
  )
  return present(ctx, items, userId, heads)
}

/** Returns the newest recorded head of each space, after recording that of spaces without one. */
export async function currentHeads(
  ctx: Context,
  rows: readonly Pick<SpaceRow, 'id'>[],
): Promise<Map<string, string>> {
  const heads = recordedHeads(
    ctx,
    rows.map(({ id }) => id),
  )
  for (const row of rows)
    if (!heads.has(row.id)) heads.set(row.id, (await primaryHead(ctx, row)).head)
  return heads
}

/**
 * Returns the resources of many spaces with known heads; without one, the newest recorded head. For
 * transactions.
 */
export function showSpaces(
  ctx: Context,
  items: readonly Visible<SpaceRow>[],
  userId: string,
  heads: ReadonlyMap<string, string>,
): Resource[] {
  const others = items.filter(({ row }) => !heads.has(row.id)).map(({ row }) => row.id)
  return present(ctx, items, userId, new Map([...heads, ...recordedHeads(ctx, others)]))
}

function present(
  ctx: Context,
  items: readonly Visible<SpaceRow>[],
  userId: string,
  revisions: ReadonlyMap<string, string>,
): Resource[] {
  const ids = items.map(item => item.row.id)
  const counts = countChangeRequests(ctx.store, ids)
  const gitSyncs = findGitSyncs(ctx.store, ids)
  const base = ctx.publicUrl()
  const free = freeOf(ctx, userId)
  const published = publishedUrlsOfSpaces(
    ctx,
    items.map(item => item.row),
  )

  return items.map(({ row, role }) =>
    presentSpace(
      row,
      {
        role,
        free: free(row, role),
        revision: revisions.get(row.id) ?? '',
        counts: mustGet(counts, row.id),
        gitSync: gitSyncs.get(row.id),
        published: published.get(row.id),
      },
      base,
    ),
  )
}

/**
 * Returns a function that tells whether merge rules leave a user free to edit; spaces with the same
 * rules share one check.
 */
function freeOf(ctx: Context, userId: string): (row: SpaceRow, role: Role) => boolean {
  const known = new Map<string, boolean>()
  return (row, role) => {
    const key = [row.organization_id, JSON.stringify(row.merge_rules), role === 'admin'].join('\n')
    const held = known.get(key)
    if (held !== undefined) return held
    const free = !isRuled(ctx, row) || mayBypass(ctx, row, { user: { id: userId }, role })
    known.set(key, free)
    return free
  }
}

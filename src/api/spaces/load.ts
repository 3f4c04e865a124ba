import type { z } from 'zod'
import { mergeRulesOf } from '../../access/guards/primary.ts'
import type { Visible } from '../../access/visible.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { recordedHeads } from '../../actions/heads/recorded-heads.ts'
import type { Context } from '../../context.ts'
import { countChangeRequests } from '../../store/discussions/change-requests.ts'
import { findGitSyncs } from '../../store/git/git-sync.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { presentSpace } from './present.ts'
import type { Space } from './schema.ts'

type Resource = z.input<typeof Space>

/** Returns the resource of one space as a user with this role sees it: its revision is the current head in Git. */
export async function loadSpace(ctx: Context, row: SpaceRow, viewer: Viewer): Promise<Resource> {
  const { head } = await primaryHead(ctx, row)
  return showSpace(ctx, row, viewer, head)
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
 * Returns the resources of many spaces as a user sees them, with one query for each kind of fact: the revision is the
 * newest one that the service has recorded, so that a list reads no repositories.
 */
export async function loadSpaces(
  ctx: Context,
  items: readonly Visible<SpaceRow>[],
  userId: string,
): Promise<Resource[]> {
  const ids = items.map(item => item.row.id)
  const revisions = recordedHeads(ctx, ids)
  for (const { row } of items) {
    if (!revisions.has(row.id)) revisions.set(row.id, (await primaryHead(ctx, row)).head)
  }
  return present(ctx, items, userId, revisions)
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
  return items.map(({ row, role }) =>
    presentSpace(
      row,
      {
        role,
        free: free(row),
        revision: revisions.get(row.id) ?? '',
        counts: counts.get(row.id) ?? { total: 0, open: 0, draft: 0 },
        gitSync: gitSyncs.get(row.id),
      },
      base,
    ),
  )
}

/**
 * Returns a function that tells whether merge rules leave a user free to edit; spaces with the same rules share one
 * check.
 */
function freeOf(ctx: Context, userId: string): (row: SpaceRow) => boolean {
  const known = new Map<string, boolean>()
  return row => {
    const key = `${row.organization_id}\n${row.merge_rules}`
    const held = known.get(key)
    if (held !== undefined) return held
    const rules = mergeRulesOf(ctx, row)
    const bypass = rules.some(rule => rule.rule === 'allow_bypass' && rule.users?.includes(userId))
    const free = bypass || rules.every(rule => rule.rule === 'allow_bypass')
    known.set(key, free)
    return free
  }
}

import type { Context } from '../../context.ts'
import { forbidden } from '../../errors.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { type SpaceGrant, space } from './space.ts'

/** A merge rule as it is kept. */
type HeldRule = { rule: string; users?: string[]; expression?: string; message?: string }

type Rules = { type: 'inherit' } | { type: 'none' } | { type: 'rules'; rules: HeldRule[] }

/** The merge rules that hold for a space: its own, or its organization's where it inherits them. */
export function mergeRulesOf(ctx: Context, row: SpaceRow): HeldRule[] {
  const own = JSON.parse(row.merge_rules) as Rules
  const held =
    own.type === 'inherit'
      ? (JSON.parse(
          findOrganization(ctx.store, row.organization_id)?.merge_rules ?? '{"type":"none"}',
        ) as Rules)
      : own
  return held.type === 'rules' ? held.rules : []
}

/**
 * A way to change the primary content without a change request. 'import' is whatever takes in content of a remote, so an
 * export too when the remote has something that the space lacks; 'export' is one that takes in nothing.
 */
export type Way = 'edit' | 'import' | 'export'

/**
 * Throws 'forbidden' unless somebody with this role may change the primary content in this way. In a live space without
 * merge rules all ways need "edit". Where merge rules stand, the users of `allow_bypass` still need no more than that;
 * others need "review" for an edit or an export, and "admin" for an import. In a locked space nobody may edit, an export
 * needs "review" and an import "admin".
 */
export function checkPrimaryWriter(
  ctx: Context,
  row: SpaceRow,
  { user, role }: Pick<SpaceGrant, 'user' | 'role'>,
  way: Way,
): void {
  const locked = row.edit_mode === 'locked'
  if (locked && way === 'edit') throw forbidden('The space is locked: change it with a change request.')
  const needed = way === 'import' ? 'admin' : 'review'
  if (atLeast(role, needed)) return
  if (!atLeast(role, 'edit')) throw forbidden(`This needs the role "edit" in the space; yours is "${role}".`)
  const what = way === 'import' ? 'taking in content from a Git repository' : 'this'
  const instead =
    way === 'import' ? ' Ask an admin to do it, or bring the changes in with a change request.' : ''
  if (locked)
    throw forbidden(
      `The space is locked: ${what} needs the role "${needed}" in it; yours is "${role}".${instead}`,
    )
  const rules = mergeRulesOf(ctx, row)
  const bypass = rules.some(rule => rule.rule === 'allow_bypass' && rule.users?.includes(user.id))
  if (bypass || rules.every(rule => rule.rule === 'allow_bypass')) return
  if (way === 'import')
    throw forbidden(
      `The space has merge rules: ${what} needs the role "${needed}" in it; yours is "${role}".${instead}`,
    )
  throw forbidden(
    `The space has merge rules: use a change request, or have the role "review"; yours is "${role}".`,
  )
}

/** Lets in those who may change the primary content without a change request: `checkPrimaryWriter` says who. */
export const primaryWriter =
  (way: Way): Access<{ spaceId: string }, SpaceGrant> =>
  async asker => {
    const granted = await space('edit')(asker)
    checkPrimaryWriter(asker.ctx, granted.space, granted, way)
    return granted
  }

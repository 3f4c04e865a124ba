import type { Context } from '../../context.ts'
import { forbidden } from '../../errors.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { type SpaceGrant, space } from './space.ts'

/** A merge rule as stored. */
type HeldRule = { rule: string; users?: string[]; expression?: string; message?: string }

type Rules = { type: 'inherit' } | { type: 'none' } | { type: 'rules'; rules: HeldRule[] }

/** Returns the merge rules that apply to a space: its own, or its organization's if it inherits them. */
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
 * A way to change the primary content without a change request. 'import' includes exports that bring in content of
 * the remote; 'export' brings in nothing.
 */
export type Way = 'edit' | 'import' | 'export'

/**
 * Throws 'forbidden' unless a user with this role may change the primary content in this way. In a live space without
 * merge rules every way needs "edit". With merge rules, users in `allow_bypass` still need only "edit"; others need
 * "review" for an edit or export, and "admin" for an import. In a locked space edits are not allowed, an export needs
 * "review" and an import "admin".
 */
export function checkPrimaryWriter(
  ctx: Context,
  row: SpaceRow,
  { user, role }: Pick<SpaceGrant, 'user' | 'role'>,
  way: Way,
): void {
  const locked = row.edit_mode === 'locked'
  if (locked && way === 'edit') throw forbidden('The space is locked. Use a change request.')
  const needed = way === 'import' ? 'admin' : 'review'
  if (atLeast(role, needed)) return
  if (!atLeast(role, 'edit')) throw forbidden(`This needs the role "edit" in the space; yours is "${role}".`)
  const what = way === 'import' ? 'importing content from a Git repository' : 'this'
  const instead = way === 'import' ? ' Ask an admin, or use a change request.' : ''
  if (locked)
    throw forbidden(`The space is locked: ${what} needs the role "${needed}" ; yours is "${role}".${instead}`)
  const rules = mergeRulesOf(ctx, row)
  const bypass = rules.some(rule => rule.rule === 'allow_bypass' && rule.users?.includes(user.id))
  if (bypass || rules.every(rule => rule.rule === 'allow_bypass')) return
  if (way === 'import')
    throw forbidden(
      `The space has merge rules: ${what} needs the role "${needed}" ; yours is "${role}".${instead}`,
    )
  throw forbidden(
    `The space has merge rules: use a change request. Changing it directly needs the role "review"; yours is "${role}".`,
  )
}

/** Admits callers who may change the primary content without a change request: see `checkPrimaryWriter`. */
export const primaryWriter =
  (way: Way): Access<{ spaceId: string }, SpaceGrant> =>
  async asker => {
    const granted = await space('edit')(asker)
    checkPrimaryWriter(asker.ctx, granted.space, granted, way)
    return granted
  }

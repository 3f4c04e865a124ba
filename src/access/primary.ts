import type { Context } from '../context.ts'
import { forbidden } from '../errors.ts'
import { findOrganization } from '../store/organizations.ts'
import type { SpaceRow } from '../store/rows.ts'
import type { Access } from './asker.ts'
import { atLeast } from './roles.ts'
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
 * Throws 'forbidden' unless somebody with this role may change the primary content without a change request: with "edit"
 * while the space is live and no merge rule stands in the way, else with "review". In a locked space nobody may edit
 * directly; `sync` says that this is a Git import or export, which a lock does not stop.
 */
export function checkPrimaryWriter(
  ctx: Context,
  row: SpaceRow,
  { user, role }: Pick<SpaceGrant, 'user' | 'role'>,
  { sync }: { sync: boolean },
): void {
  const locked = row.edit_mode === 'locked'
  if (locked && !sync) throw forbidden('The space is locked: change it with a change request.')
  if (atLeast(role, 'review')) return
  if (!atLeast(role, 'edit')) throw forbidden(`This needs the role "edit" in the space; yours is "${role}".`)
  if (locked) throw forbidden(`The space is locked: this needs the role "review" in it; yours is "${role}".`)
  const rules = mergeRulesOf(ctx, row)
  const bypass = rules.some(rule => rule.rule === 'allow_bypass' && rule.users?.includes(user.id))
  if (rules.some(rule => rule.rule !== 'allow_bypass') && !bypass) {
    throw forbidden(
      `The space has merge rules: use a change request, or have the role "review"; yours is "${role}".`,
    )
  }
}

/** Lets in those who may change the primary content without a change request: `checkPrimaryWriter` says who. */
export const primaryWriter =
  ({ sync }: { sync: boolean }): Access<{ spaceId: string }, SpaceGrant> =>
  async asker => {
    const granted = await space('edit')(asker)
    checkPrimaryWriter(asker.ctx, granted.space, granted, { sync })
    return granted
  }

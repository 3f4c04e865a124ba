import type { Context } from '../context.ts'
import { forbidden } from '../errors.ts'
import { findOrganization } from '../store/organizations.ts'
import type { SpaceRow } from '../store/rows.ts'
import type { Access } from './asker.ts'
import { atLeast } from './roles.ts'
import { type SpaceGrant, space } from './space.ts'

type Rules =
  | { type: 'inherit' }
  | { type: 'none' }
  | { type: 'rules'; rules: { rule: string; users?: string[] }[] }

/** The merge rules that hold for a space: its own, or its organization's where it inherits them. */
export function mergeRulesOf(ctx: Context, row: SpaceRow): { rule: string; users?: string[] }[] {
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
 * Lets in those who may change the primary content without a change request: with the role "edit" while the space is
 * live and no merge rule stands in the way, else with "review". In a locked space nobody may edit directly; `sync` says
 * that this is a Git import or export, which a lock does not stop.
 */
export const primaryWriter =
  ({ sync }: { sync: boolean }): Access<{ spaceId: string }, SpaceGrant> =>
  async asker => {
    const granted = await space('edit')(asker)
    const { space: row, role, user } = granted
    const locked = row.edit_mode === 'locked'
    if (locked && !sync) throw forbidden('The space is locked: change it with a change request.')
    if (atLeast(role, 'review')) return granted
    if (locked)
      throw forbidden(`The space is locked: this needs the role "review" in it; yours is "${role}".`)
    const rules = mergeRulesOf(asker.ctx, row)
    const bypass = rules.some(rule => rule.rule === 'allow_bypass' && rule.users?.includes(user.id))
    if (rules.some(rule => rule.rule !== 'allow_bypass') && !bypass) {
      throw forbidden(
        `The space has merge rules: use a change request, or have the role "review"; yours is "${role}".`,
      )
    }
    return granted
  }

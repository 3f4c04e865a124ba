import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { rememberedOrganization } from '../../store/people/organizations.ts'
import type { MergeRule } from '../../store/tables/merge-rules.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { atLeast } from '../roles.ts'
import { needing } from './needing.ts'
import { type SpaceGrant, space } from './space.ts'

/**
 * Returns the merge rules that apply to a space: its own, or its organization's if it inherits
 * them.
 */
export function mergeRulesOf(ctx: Context, row: SpaceRow): MergeRule[] {
  const own = row.merge_rules
  const held =
    own.type === 'inherit'
      ? rememberedOrganization(ctx.store, row.organization_id)?.merge_rules
      : own
  return held?.type === 'rules' ? held.rules : []
}

/**
 * A way to change the primary content without a change request. An 'export' brings in nothing; one
 * that does is an 'import'.
 */
export type Way = 'edit' | 'import' | 'export'

/** The key of a right. Not exported, so that only this file can make one. */
const checked = Symbol('checked')

/**
 * Proof that the locks and merge rules of a space let users move its primary content. `publish`
 * requires one, so that no write can skip the rules. `bypassing` holds the users who did not fulfil
 * the merge rules but may ignore them.
 */
export type PrimaryRight = { readonly [checked]: true; readonly bypassing: readonly string[] }

const rightOf = (...bypassing: readonly string[]): PrimaryRight => ({ [checked]: true, bypassing })

/** Combines the rights of several writers whose commits are published together. */
export const joinRights = (rights: readonly PrimaryRight[]): PrimaryRight =>
  rightOf(...rights.flatMap(({ bypassing }) => bypassing))

/**
 * Returns the right of a merge of change requests. Throws 'forbidden' unless the rules are met or
 * the user may ignore them.
 */
export function rightToMerge(
  ctx: Context,
  row: SpaceRow,
  { user, role }: Pick<SpaceGrant, 'user' | 'role'>,
  { met }: { met: boolean },
): PrimaryRight {
  const needed = row.edit_mode === 'locked' ? 'review' : 'edit'
  if (!atLeast(role, needed)) {
    const why = needed === 'review' ? 'The space is locked: merging' : 'Merging'
    throw new Fault(
      'role_required',
      `${why} needs the role "${needed}" in the space; yours is "${role}".`,
    )
  }
  if (met) return rightOf()
  if (mayBypass(ctx, row, { user, role })) return rightOf(user.id)
  throw new Fault('merge_rules_unmet', 'The merge rules of the space are not met.')
}

/**
 * Returns whether a user may ignore the merge rules of a space: its admins, and users whom
 * `allow_bypass` names.
 */
export const mayBypass = (
  ctx: Context,
  row: SpaceRow,
  { user, role }: { user: { id: string }; role: Role },
): boolean => role === 'admin' || isNamedToBypass(mergeRulesOf(ctx, row), user.id)

const isNamedToBypass = (rules: readonly MergeRule[], userId: string): boolean =>
  rules.some(rule => rule.rule === 'allow_bypass' && rule.users.includes(userId))

/** Returns whether merge rules bind changes of the primary content. */
export const isRuled = (ctx: Context, row: SpaceRow): boolean =>
  mergeRulesOf(ctx, row).some(({ rule }) => rule !== 'allow_bypass')

/**
 * Returns the right of a user to change the primary content in this way without a change request;
 * throws 'forbidden' otherwise. In a live space every way needs "edit". In a locked space edits are
 * not allowed, an export needs "review" and an import "admin". With merge rules, an export needs
 * "review", and only users who may ignore the rules bring anything in.
 */
export function checkPrimaryWriter(
  ctx: Context,
  row: SpaceRow,
  { user, role }: Pick<SpaceGrant, 'user' | 'role'>,
  way: Way,
): PrimaryRight {
  if (!atLeast(role, 'edit'))
    throw new Fault('role_required', `This needs the role "edit" in the space; yours is "${role}".`)
  if (row.edit_mode === 'locked') checkLock(role, way)
  if (!isRuled(ctx, row)) return rightOf()
  if (way === 'export') return checkRuledExport(ctx, row, { user, role })
  if (mayBypass(ctx, row, { user, role })) return rightOf(user.id)
  throw new Fault(
    'change_request_required',
    way === 'import'
      ? `The space has merge rules: importing content needs the role "admin"; yours is "${role}". ${proposeInstead}`
      : `The space has merge rules: only an admin changes its content directly. ${proposeInstead}`,
  )
}

/** An export brings nothing in, so no rule is bypassed. */
function checkRuledExport(
  ctx: Context,
  row: SpaceRow,
  { user, role }: Pick<SpaceGrant, 'user' | 'role'>,
): PrimaryRight {
  if (atLeast(role, 'review') || mayBypass(ctx, row, { user, role })) return rightOf()
  throw new Fault(
    'role_required',
    `The space has merge rules: exporting it needs the role "review"; yours is "${role}".`,
  )
}

const proposeInstead =
  'Open a change request, or push the change to refs/for/<branch>, for example "git push origin HEAD:refs/for/main".'

function checkLock(role: Role, way: Way): void {
  if (way === 'edit') throw new Fault('space_locked', 'The space is locked. Use a change request.')
  const needed = way === 'import' ? 'admin' : 'review'
  if (atLeast(role, needed)) return
  const what = way === 'import' ? 'importing content from a Git repository' : 'this'
  const instead = way === 'import' ? ' Ask an admin, or use a change request.' : ''
  throw new Fault(
    'space_locked',
    `The space is locked: ${what} needs the role "${needed}"; yours is "${role}".${instead}`,
  )
}

/**
 * Admits callers who may change the primary content without a change request: see
 * `checkPrimaryWriter`.
 */
export const primaryWriter = (way: Way): Access<{ spaceId: string }, SpaceGrant> =>
  needing({ role: 'edit', on: 'space' }, asker => {
    const granted = space('edit')(asker)
    checkPrimaryWriter(asker.ctx, granted.space, granted, way)
    return granted
  })

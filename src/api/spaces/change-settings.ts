import type { z } from 'zod'
import type { EventActor } from '../../actions/events/audit-event.ts'
import { changedFields } from '../../actions/events/changed-fields.ts'
import { recordOnSpace } from '../../actions/events/record-event.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { updateSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { checkRuleUsers } from '../base/check-rule-users.ts'
import type { SpacePatch } from './schema.ts'

/** Updates the settings that the body names, inside a transaction; returns the new row. */
export function changeSettings(
  ctx: Context,
  before: SpaceRow,
  body: z.output<typeof SpacePatch>,
  by: EventActor,
): SpaceRow {
  checkInstallation(ctx, body)
  checkRuleUsers(ctx, before.organization_id, body.mergeRules)
  const after = updateSpace(ctx.store, before.id, {
    ...(body.title !== undefined && { title: body.title }),
    ...(body.emoji !== undefined && { emoji: body.emoji ?? '' }),
    ...(body.emoji && { icon: null }),
    ...(body.icon !== undefined && { icon: body.icon }),
    ...(body.icon && { emoji: '' }),
    ...(body.editMode !== undefined && { edit_mode: body.editMode }),
    ...(body.defaultLevel !== undefined && { default_level: body.defaultLevel }),
    ...(body.language !== undefined && { language: body.language }),
    ...(body.mergeRules !== undefined && { merge_rules: body.mergeRules }),
    updated_at: ctx.now().toISOString(),
  }) as SpaceRow
  const details = changedFields(before, after, ['edit_mode', 'default_level', 'language'])

  if (details) recordOnSpace(ctx, before, 'space.updated', by, details)

  return after
}

/** The settings that tokens of integrations must not change: they decide who may do what. */
const ofRights = ['editMode', 'defaultLevel', 'mergeRules'] as const

function checkInstallation({ reach }: Context, body: z.output<typeof SpacePatch>): void {
  const beyond = reach?.installationId ? ofRights.find(name => body[name] !== undefined) : undefined
  if (beyond !== undefined)
    throw new Fault(
      'token_not_accepted',
      `Tokens of integrations may not change "${beyond}", which decides who may do what.`,
    )
}

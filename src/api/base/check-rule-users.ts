import type { z } from 'zod'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { findMembers } from '../../store/people/organizations.ts'
import type { MergeRules } from './merge-rules-schema.ts'

/**
 * Throws 'invalid' for rules with users outside the organization: such rules could never be met.
 */
export function checkRuleUsers(
  ctx: Context,
  organizationId: string,
  given: z.output<typeof MergeRules> | undefined,
): void {
  if (given?.type !== 'rules') return
  const named = given.rules.flatMap(rule => ('users' in rule ? rule.users : []))
  const members = findMembers(ctx.store, organizationId, named)
  const stranger = named.find(id => !members.has(id))
  if (stranger !== undefined) {
    throw new Fault(
      'not_a_member',
      `"mergeRules" in the body: "${stranger}" is not a member of the organization.`,
    )
  }
}

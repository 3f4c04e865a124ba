import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { findNamedMembers } from '../../../store/people/teams.ts'

/** The maximum number of unknown names in an error message. */
const mostTold = 5

/**
 * Returns the ids of the organization's members that fields of a body name, by id or e-mail
 * address. Throws 'invalid' with the names of those who do not belong to it.
 */
export function membersNamed<Field extends string>(
  ctx: Context,
  organizationId: string,
  fields: Record<Field, readonly string[]>,
): Record<Field, string[]> {
  const entries = Object.entries(fields) as [Field, readonly string[]][]
  const found = findNamedMembers(
    ctx.store,
    organizationId,
    entries.flatMap(([, names]) => names),
  )

  for (const [field, names] of entries) {
    const unknown = names.filter(name => !found.has(name))
    if (unknown.length === 0) continue
    const told = unknown.slice(0, mostTold).map(name => `"${name.slice(0, 100)}"`)
    const more = unknown.length > mostTold ? ` and ${unknown.length - mostTold} more` : ''
    throw new Fault(
      'not_a_member',
      `"${field}" in the body: ${told.join(', ')}${more} ${unknown.length === 1 ? 'is not a member' : 'are not members'} of the organization. Nothing was changed.`,
    )
  }

  return Object.fromEntries(
    entries.map(([field, names]) => [field, names.map(name => found.get(name) as string)]),
  ) as Record<Field, string[]>
}

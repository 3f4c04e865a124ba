import { z } from 'zod'
import { RoleName, RoleNameOrNull } from '../../access/role-names.ts'

const combinations = 'takes "role", or "level" with "space" or "collection"'

/** What a new invite link gives, and how long and how often. */
export const LinkInviteBody = z
  .strictObject({
    role: RoleNameOrNull.optional().meta({
      description: 'Invites to the organization with this role; null for guests.',
    }),
    level: RoleName.optional().meta({
      description: 'Invites to one space or collection with this role.',
    }),
    space: z.string().optional().meta({ description: 'The id of a space of the organization.' }),
    collection: z
      .string()
      .optional()
      .meta({ description: 'The id of a collection of the organization.' }),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: 'When it expires. Default: 7 days from now; maximum: 90 days.' }),
    maxUses: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .meta({ description: 'The maximum number of uses. Default: unlimited.' }),
  })
  .refine(
    ({ role, level, space, collection }) =>
      level === undefined
        ? role !== undefined && space === undefined && collection === undefined
        : role === undefined && (space === undefined) !== (collection === undefined),
    combinations,
  )

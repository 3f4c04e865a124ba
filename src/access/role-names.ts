import { z } from 'zod'

/** A role on content. */
export const RoleName = z.enum(['admin', 'create', 'review', 'edit', 'comment', 'read'])

/** A role, or null for none. */
export const RoleNameOrNull = z
  .enum(RoleName.options, `takes ${RoleName.options.join(', ')} or null`)
  .nullable()

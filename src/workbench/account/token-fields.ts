import { z } from 'zod'
import { type Scope, scopeFamilies } from '../../access/scopes.ts'
import { TokenBody } from '../../actions/people/token-body.ts'

const levels = ['read', 'write', 'admin'] as const

/** The days that a new token may be valid; '' is for ever. */
export const tokenDays = ['7', '30', '90', '365', ''] as const

/** The fields of the form that makes a token. */
export const TokenFields = z.object({
  name: TokenBody.shape.name,
  level: z.enum(levels),
  family: z.enum(['', ...scopeFamilies]),
  days: z.enum(tokenDays),
})

/** Returns what the fields of the form ask for, as the operation of the API takes it. */
export function tokenBodyOf(
  { name, level, family, days }: z.output<typeof TokenFields>,
  now: Date,
): z.output<typeof TokenBody> {
  const scope = (family === '' ? level : `${family}:${level}`) as Scope
  const end = days === '' ? undefined : new Date(now.getTime() + Number(days) * 86_400_000)
  return { name, scopes: [scope], ...(end && { expiresAt: end.toISOString() }) }
}

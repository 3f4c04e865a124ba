import { z } from 'zod'
import { type Scope, type ScopeFamily, scopeFamilies } from '../../access/scopes.ts'
import { TokenBody } from '../../actions/people/token-body.ts'

const levels = ['read', 'write', 'admin'] as const

/** The days that a new token may be valid; '' is for ever. */
export const tokenDays = ['7', '30', '90', '365', ''] as const

/** Returns the name of the box of a family. */
export const boxOf = (family: ScopeFamily): `on-${ScopeFamily}` => `on-${family}`

/** A box for each family, by its name. */
const boxes = Object.fromEntries(
  scopeFamilies.map(family => [boxOf(family), z.literal('on').optional()]),
) as Record<ReturnType<typeof boxOf>, z.ZodOptional<z.ZodLiteral<'on'>>>

/** The fields of the form that makes a token. */
export const TokenFields = z.object({
  ...boxes,
  name: TokenBody.shape.name,
  level: z.enum(levels),
  days: z.enum(tokenDays),
})

/** Returns what the fields of the form ask for, as the operation of the API takes it. */
export function tokenBodyOf(
  { name, level, days, ...ticked }: z.output<typeof TokenFields>,
  now: Date,
): z.output<typeof TokenBody> {
  const families = scopeFamilies.filter(family => ticked[boxOf(family)] === 'on')
  const scopes: Scope[] =
    families.length === 0 ? [level] : families.map(family => `${family}:${level}` as const)
  const end = days === '' ? undefined : new Date(now.getTime() + Number(days) * 86_400_000)
  return { name, scopes, ...(end && { expiresAt: end.toISOString() }) }
}

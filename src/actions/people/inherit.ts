import type { z } from 'zod'
import { memberWithin } from '../../access/reach.ts'
import { firstBeyond, fullScopes } from '../../access/scopes.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { TokenRow } from '../../store/tables/rows.ts'
import type { NewToken } from './create-token.ts'
import type { TokenBody } from './token-body.ts'

type RequestedToken = z.output<typeof TokenBody>
type Inherited = Required<Omit<NewToken, 'userId' | 'name' | 'providerId' | 'secret'>>

type Limits = Pick<TokenRow, 'user_id' | 'expires_at' | 'scopes' | 'organization_id' | 'space_id'>

/**
 * Returns the properties of a new token: the requested ones, and for the rest those of the
 * request's token, or none. Throws 'forbidden', 'invalid' or 'missing' when they exceed that token
 * or what the user may reach.
 */
export function inherit(
  ctx: Context,
  userId: string,
  parent: TokenRow | undefined,
  asked: RequestedToken,
): Inherited {
  const limits = parent ?? { ...unlimited, user_id: userId }
  return {
    parent,
    expiresAt: expiryOf(ctx, limits, asked.expiresAt),
    scopes: scopesOf(limits, asked.scopes),
    organizationId: organizationOf(ctx, limits, asked.organization),
    spaceId: spaceOf(ctx, limits, asked),
  }
}

const unlimited = {
  expires_at: null,
  scopes: [...fullScopes],
  organization_id: null,
  space_id: null,
}

function expiryOf(
  ctx: Context,
  { expires_at: end }: Limits,
  asked: string | undefined,
): string | null {
  if (asked === undefined) return end
  const at = new Date(asked)
  if (at <= ctx.now()) throw invalid('"expiresAt" in the body: takes a time in the future.')
  if (end !== null && at > new Date(end))
    throw invalid(
      `"expiresAt" in the body: the token of this request expires at ${end}, and no token created with it can expire later.`,
    )
  return at.toISOString()
}

function scopesOf(parent: Limits, asked: RequestedToken['scopes']): readonly string[] {
  const held = parent.scopes
  const beyond = asked && firstBeyond(asked, held)
  if (beyond !== undefined)
    throw new Fault(
      'beyond_your_rights',
      `The token of this request does not have the scope "${beyond}", so it cannot give it to another token. It has: ${held.join(', ')}.`,
    )
  return asked ?? held
}

function organizationOf(ctx: Context, parent: Limits, asked: string | undefined): string | null {
  if (asked === undefined || asked === parent.organization_id) return parent.organization_id
  const wider = parent.organization_id !== null || parent.space_id !== null
  if (wider || !memberWithin(ctx, asked, parent.user_id)) throw missing('organization', asked)
  return asked
}

function spaceOf(
  ctx: Context,
  parent: Limits,
  { space: asked, organization }: RequestedToken,
): string | null {
  if (asked === undefined || asked === parent.space_id) return parent.space_id
  const row = findSpace(ctx.store, asked)
  const elsewhere = organization !== undefined && row?.organization_id !== organization
  if (!row || row.deleted_at !== null || elsewhere || !roleOnSpace(ctx, row, parent.user_id))
    throw missing('space', asked)
  return asked
}

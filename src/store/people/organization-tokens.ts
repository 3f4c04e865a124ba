import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { TokenRow } from '../tables/rows.ts'

/** The terms on which an organization accepts a token. */
type TokenTerms = {
  max_token_age_days: number | null
  refused: number
  /**
   * Whether the token must come through an identity provider: it is neither an admin's nor an
   * agent's.
   */
  sign_in_only: number
}

/**
 * Returns the terms on which an organization accepts a token; undefined if there is no such
 * organization.
 */
export const findTokenTerms = (
  store: Store,
  organizationId: string,
  tokenId: string,
): TokenTerms | undefined =>
  store.get(
    sqlRows<TokenTerms>(sql`
      select max_token_age_days, exists (
          select 1 from token_refusal where organization_id = organization.id and token_id = ${tokenId}
        ) as refused,
        sso = 1 and not exists (
          select 1 from token join "user" on "user".id = token.user_id
          left join member on member.user_id = "user".id and member.organization_id = organization.id
          where token.id = ${tokenId} and ("user".is_agent = 1 or member.role = 'admin')
        ) as sign_in_only
      from organization where id = ${organizationId}`),
  )

/** A token that reaches an organization. */
export type ReachingToken = TokenRow & { display_name: string; refused: number }

/**
 * The condition for a token that reaches an organization: its user is a member, and the token is
 * not limited to another place.
 */
const reaching = (organizationId: string, at: string) => sql`
  from token
  join member on member.user_id = token.user_id and member.organization_id = ${organizationId}
  join "user" on "user".id = token.user_id
  where token.revoked_at is null and token.installation_id is null and token.integration_id is null and (token.expires_at is null or token.expires_at > ${at})
    and (token.organization_id is null or token.organization_id = ${organizationId})
    and (token.space_id is null
      or token.space_id in (select id from space where organization_id = ${organizationId}))`

const columns = (organizationId: string) => sql`
  token.*, "user".display_name, exists (
    select 1 from token_refusal
    where token_refusal.organization_id = ${organizationId} and token_refusal.token_id = token.id
  ) as refused`

/** Returns up to `limit` usable tokens below `before` that reach an organization, newest first. */
export const listReachingTokens = (
  store: Store,
  organizationId: string,
  { at, limit, before }: { at: string; limit: number; before?: number | undefined },
): ReachingToken[] =>
  store.all(
    sqlRows<ReachingToken>(sql`
      select ${columns(organizationId)} ${reaching(organizationId, at)}
        ${before === undefined ? sql`` : sql`and token.seq < ${before}`}
      order by token.seq desc limit ${limit}`),
  )

/** Returns a usable token that reaches an organization. */
export const findReachingToken = (
  store: Store,
  organizationId: string,
  id: string,
  at: string,
): ReachingToken | undefined =>
  store.get(
    sqlRows<ReachingToken>(sql`
      select ${columns(organizationId)} ${reaching(organizationId, at)} and token.id = ${id}`),
  )

/**
 * Makes an organization refuse a token and its descendants. Returns the number of tokens that it
 * accepted before.
 */
export const refuseToken = (
  store: Store,
  organizationId: string,
  id: string,
  { by, at }: { by: string; at: string },
): number =>
  store.run(
    sqlRows(sql`
      insert into token_refusal (organization_id, token_id, refused_by, refused_at)
      with recursive tree(id) as (
        select ${id} union select token.id from token join tree on token.parent_id = tree.id
      )
      select ${organizationId}, id, ${by}, ${at} from tree
      where true
      on conflict (organization_id, token_id) do nothing`),
  )

/** Makes every organization that refuses one token refuse another token, too. */
export const copyRefusals = (store: Store, fromId: string, toId: string): number =>
  store.run(
    sqlRows(sql`
      insert into token_refusal (organization_id, token_id, refused_by, refused_at)
      select organization_id, ${toId}, refused_by, refused_at from token_refusal where token_id = ${fromId}`),
  )

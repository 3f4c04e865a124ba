import type { Context } from '../context.ts'
import type { AskedWith } from '../store/events/idempotency.ts'
import type { Role } from '../store/tables/roles.ts'
import type { SiteRow, TokenRow, UserRow } from '../store/tables/rows.ts'
import type { Fields } from './fields.ts'
import type { Preview } from './reading-token.ts'

/** A reader of a published site, whom a reading token identifies. */
export type Reader = {
  type: 'reader'
  site: SiteRow
  /** The ids of the spaces of the token that the site still shows. */
  spaceIds: ReadonlySet<string>
  /**
   * The claims in the token; empty while adaptive content is off. The schema of the site may have
   * changed since the token was made: expressions read only what the schema still names.
   */
  tokenClaims: Readonly<Record<string, unknown>>
  /** The share link that the reader came with. */
  shareLinkId: string | undefined
  /**
   * The user who previews the site, and their token; undefined for a reader of the published site.
   */
  preview: Preview | undefined
  /** Whether the token of that user also reads change requests. */
  readsChangeRequests: boolean
  /** Until when the token is valid, in milliseconds since 1970. */
  until: number
}

/** The caller of a request. The `tokenId` of a reader is a digest of the reading token. */
export type Actor =
  | { type: 'user'; user: UserRow; token: TokenRow }
  | { type: 'anonymous' }
  | (Reader & { tokenId: string })

/** A request's idempotency key: the key, its user, and a hash of the request. */
export type Idempotency = AskedWith

/** The origin of a request, for the audit log. */
export type Origin = { requestId: string; address: string; tokenId: string | null }

/** The facts of a request that guards and handlers may use. */
export type RequestFacts = {
  readonly id: string
  readonly method: string
  /** The path and query as sent. */
  readonly url: string
  readonly header: (name: string) => string | undefined
  readonly idempotency: Idempotency | undefined
  readonly origin: Origin
  /** The fields of the answer that the caller wants, if they are not all. */
  readonly fields?: Fields | undefined
  /**
   * Aborts when the client closes the connection before the response is sent. Ends work that only
   * this response needs.
   */
  readonly signal: AbortSignal
}

/**
 * The input of a guard. Guards run before the body is read, so nothing in it depends on the body.
 */
export type Asker<Params> = {
  ctx: Context
  actor: Actor
  params: Params
  request: Omit<RequestFacts, 'idempotency'>
}

/**
 * A guard: throws a Fault, or returns what the handler needs. A handler can only hold what a guard
 * granted. It is synchronous, so that it can run in a transaction.
 */
export type Access<Params, Granted> = ((asker: Asker<Params>) => Granted) & {
  /** The role that it asks for, for the API document; undefined for other rules. */
  need?: Need
}

/** A role, and where the caller needs it: in what the path names. */
export type Need = {
  role: Role | 'guest'
  on: 'organization' | 'space' | 'collection' | 'site'
}

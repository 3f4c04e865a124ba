import type { Context } from '../context.ts'
import type { AskedWith } from '../store/events/idempotency.ts'
import type { TokenRow, UserRow } from '../store/tables/rows.ts'

/** Who is asking. */
export type Actor = { type: 'user'; user: UserRow; token: TokenRow } | { type: 'anonymous' }

/** What a request said about being repeated: its key, whose it is, and a hash of what was asked. */
export type Idempotency = AskedWith

/** From where a request came, for those who look into it later. */
export type Origin = { requestId: string; address: string; tokenId: string | null }

/** The request, as far as a guard or a handler may care for it. */
export type RequestFacts = {
  readonly id: string
  readonly method: string
  /** The path and query as sent. */
  readonly url: string
  readonly header: (name: string) => string | undefined
  readonly idempotency: Idempotency | undefined
  readonly origin: Origin
  /** Aborted when the caller hangs up before the answer was sent. Work that only this answer needs ends then. */
  readonly gone: AbortSignal
}

/** What a guard is asked with: before the body is read, so without anything that depends on it. */
export type Asker<Params> = {
  ctx: Context
  actor: Actor
  params: Params
  request: Omit<RequestFacts, 'idempotency'>
}

/** A guard: throws a Fault, or grants what the handler needs. A handler cannot hold what no guard granted. */
export type Access<Params, Granted> = (asker: Asker<Params>) => Granted | Promise<Granted>

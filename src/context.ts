import type { Logger } from 'pino'
import type { Caches } from './caches.ts'
import type { Config } from './config.ts'
import type { GitProcesses } from './git/process/processes.ts'
import type { Keys } from './lib/keys.ts'
import type { Locks } from './lib/locks.ts'
import type { NameResolver } from './net/resolver.ts'
import type { Store } from './store/store.ts'

/** How far the token of a request reaches, of all that its user may see. */
export type Reach = {
  readonly userId: string
  readonly tokenId: string
  /** The one organization that the token is limited to, and the one space; null: no limit. */
  readonly organizationId: string | null
  readonly spaceId: string | null
  /** The longest lifetime among the token and its ancestors, in milliseconds; Infinity: one of them never expires. */
  readonly lifetimeMs: number
}

/** Everything a request or a job may reach. A new field is a decision. */
export type Context = {
  readonly config: Config
  readonly store: Store
  /** The git processes that are kept open; repositories are found with `spaceRepository`. */
  readonly processes: GitProcesses
  /** One writer a space: the name is the space's id. */
  readonly locks: Locks
  /** What is kept in memory. Shared by all copies of this context. */
  readonly caches: Caches
  readonly keys: Keys
  /** Resolves the host names of outgoing requests. */
  readonly names: NameResolver
  readonly log: Logger
  /** The time. Never the same twice, and backwards only when the machine's clock is set back by more than a minute. */
  readonly now: () => Date
  /** Milliseconds for which nothing may be destroyed because of its age: see `destroyWait` in lib/clock.ts. */
  readonly destroyWait: () => number
  /** What `urls.*` begin with, without a slash at the end. */
  readonly publicUrl: () => string
  /** Wakes the worker: there may be a job due. */
  readonly wake: () => void
  /** What limits the request's token; undefined where there is none, as in a job or on the command line. */
  readonly reach?: Reach | undefined
}

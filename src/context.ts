import type { Logger } from 'pino'
import type { Caches } from './caches.ts'
import type { Config } from './config.ts'
import type { GitProcesses } from './git/process/processes.ts'
import type { Keys } from './lib/keys.ts'
import type { Locks } from './lib/locks.ts'
import type { NameResolver } from './net/resolver.ts'
import type { TokenUses } from './store/people/token-uses.ts'
import type { SiteEvents } from './store/sites/site-events.ts'
import type { Store } from './store/store.ts'

/** The limits of a request's token within everything that its user may see. */
export type Reach = {
  readonly userId: string
  readonly tokenId: string
  /** The only organization and the only space that the token may access; null: no limit. */
  readonly organizationId: string | null
  readonly spaceId: string | null
  /** The installation whose token it is; null for the token of a user. */
  readonly installationId: string | null
  /** The spaces and the sites that the token of an installation may access; null: no limit. */
  readonly spaceIds: ReadonlySet<string> | null
  readonly siteIds: ReadonlySet<string> | null
  /**
   * The longest lifetime among the token and its ancestors, in milliseconds; Infinity if one of
   * them never expires.
   */
  readonly lifetimeMs: number
  /** The identity provider through which the token came; null: through none. */
  readonly providerId: string | null
}

/** Everything that a request or a job may use. Add fields deliberately. */
export type Context = {
  readonly config: Config
  readonly store: Store
  /** The pool of open git processes; repositories are opened with `spaceRepository`. */
  readonly processes: GitProcesses
  /** One writer per space: the lock's name is the space's id. */
  readonly locks: Locks
  /** The in-memory caches and state. All copies of this context share them. */
  readonly caches: Caches
  readonly keys: Keys
  /** The uses of tokens that are not written yet. */
  readonly tokenUses: TokenUses
  /** What readers of sites did that is not written yet. */
  readonly siteEvents: SiteEvents
  /** Resolves the host names of outgoing requests. */
  readonly names: NameResolver
  readonly log: Logger
  /**
   * The current time. It never returns the same value twice, and goes backwards only if the
   * machine's clock is set back by more than a minute.
   */
  readonly now: () => Date
  /**
   * Milliseconds during which nothing may be destroyed because of its age: see `destroyWait` in
   * lib/clock.ts.
   */
  readonly destroyWait: () => number
  /** The base of `urls.*`, without a trailing slash. */
  readonly publicUrl: () => string
  /** Wakes the worker because a job may be due. */
  readonly wake: () => void
  /**
   * The limits of the request's token; undefined without a token, as in jobs and on the command
   * line.
   */
  readonly reach?: Reach | undefined
}

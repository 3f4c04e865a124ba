import { type LookupAddress, promises } from 'node:dns'
import { isIP } from 'node:net'
import { FairSlots } from '../lib/fair-slots.ts'
import { namesToAsk, openSystemNames } from './system-names.ts'

/**
 * Why a name has no addresses: it does not exist, no answer came in time, or the caller's share is
 * used up.
 */
export class NameError extends Error {
  readonly code: 'ENOTFOUND' | 'ETIMEOUT' | 'EBUSY'
  constructor(code: NameError['code'], subject: string) {
    super(`${subject}: ${code}`)
    this.name = 'NameError'
    this.code = code
  }
}

type ResolverOptions = {
  /** Name servers, as addresses with an optional port; default: those of /etc/resolv.conf. */
  servers?: readonly string[]
  hostsFile?: string
  resolvFile?: string
  /** Milliseconds for one name, with all its search domains. */
  lookupMs?: number
}

type Answer = { addresses: LookupAddress[]; ttl: number }

/** How long the second address family may take once the first has answered, in milliseconds. */
const secondFamilyMs = 500
/** The longest time in seconds that an answer is cached; a shorter TTL of the answer wins. */
const mostTtl = 10
/** How long a failure is cached, in seconds. */
const failureTtl = 2
const mostCached = 1_000

/**
 * Resolves host names without libuv's threads, which `dns.lookup` blocks for as long as a name
 * server takes. Order: the hosts file, "localhost", then DNS with the search domains of
 * resolv.conf. Every share has a few concurrent lookups, so slow names of one user do not delay
 * others; concurrent lookups of one name are combined.
 */
export class NameResolver {
  readonly #servers: readonly string[]
  readonly #lookupMs: number
  readonly #system: ReturnType<typeof openSystemNames>
  readonly #slots = new FairSlots({
    total: 64,
    perShare: 4,
    waitersPerShare: 200,
    waitMs: 10_000,
    refusal: share => new NameError('EBUSY', `names of ${share}`),
  })
  readonly #running = new Map<string, Promise<LookupAddress[]>>()
  readonly #cache = new Map<string, { until: number; outcome: LookupAddress[] | NameError }>()
  readonly #resolvers = new Set<promises.Resolver>()
  #closed = false

  constructor({ servers = [], hostsFile, resolvFile, lookupMs = 5_000 }: ResolverOptions = {}) {
    this.#servers = servers
    this.#lookupMs = lookupMs
    this.#system = openSystemNames(hostsFile, resolvFile)
  }

  /** Returns all addresses of a host, IPv4 first, at least one. Throws NameError. */
  async resolve(host: string, share: string): Promise<LookupAddress[]> {
    const name = host.toLowerCase()
    const known = this.#known(name)
    if (known) return known
    return this.#slots.run(share, () => this.#known(name) ?? this.#start(name))
  }

  /** Cancels all running lookups, and starts no more. */
  close(): void {
    this.#closed = true
    for (const resolver of this.#resolvers) resolver.cancel()
  }

  #known(name: string): Promise<LookupAddress[]> | undefined {
    const running = this.#running.get(name)
    if (running) return running
    const cached = this.#cache.get(name)
    if (!cached) return undefined

    if (cached.until <= performance.now()) {
      this.#cache.delete(name)
      return undefined
    }

    const { outcome } = cached

    return outcome instanceof NameError ? Promise.reject(outcome) : Promise.resolve(outcome)
  }

  #start(name: string): Promise<LookupAddress[]> {
    if (this.#closed) return Promise.reject(new NameError('EBUSY', name))
    const running = this.#lookUp(name)
      .then(
        ({ addresses, ttl }) => {
          this.#keep(name, addresses, ttl)
          return addresses
        },
        (error: unknown) => {
          if (error instanceof NameError) this.#keep(name, error, failureTtl)
          throw error
        },
      )
      .finally(() => this.#running.delete(name))

    this.#running.set(name, running)

    return running
  }

  #keep(name: string, outcome: LookupAddress[] | NameError, ttl: number): void {
    if (ttl <= 0) return
    const [oldest] = this.#cache.keys()
    if (this.#cache.size >= mostCached && oldest !== undefined) this.#cache.delete(oldest)
    this.#cache.set(name, { until: performance.now() + Math.min(ttl, mostTtl) * 1000, outcome })
  }

  async #lookUp(name: string): Promise<Answer> {
    const bare = name.replace(/\.$/, '')
    const written = (await this.#system.hosts()).get(bare)?.filter(address => isIP(address) !== 0)
    if (written?.length) return { addresses: written.map(withFamily), ttl: 0 }
    if (/(?:^|\.)localhost$/.test(bare))
      return { addresses: ['127.0.0.1', '::1'].map(withFamily), ttl: 0 }
    return this.#askServers(name, namesToAsk(name, await this.#system.search()))
  }

  async #askServers(host: string, names: readonly string[]): Promise<Answer> {
    const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 })
    if (this.#servers.length > 0) resolver.setServers(this.#servers)
    this.#resolvers.add(resolver)
    let late = false
    const timer = setTimeout(() => {
      late = true
      resolver.cancel()
    }, this.#lookupMs)
    let unanswered = false

    try {
      for (const name of names) {
        const answer = await askBoth(resolver, name)
        if (answer === 'unanswered') unanswered = true
        else if (answer) return answer
        if (late) break
      }
    } finally {
      clearTimeout(timer)
      this.#resolvers.delete(resolver)
    }

    throw new NameError(unanswered ? 'ETIMEOUT' : 'ENOTFOUND', host)
  }
}

/** Queries both address families; undefined: the name has no address. */
async function askBoth(
  resolver: promises.Resolver,
  name: string,
): Promise<Answer | 'unanswered' | undefined> {
  let timer: NodeJS.Timeout | undefined
  const found: { address: string; ttl: number }[][] = [[], []]
  const ask = async (at: 0 | 1) => {
    const asked =
      at === 0 ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true })
    found[at] = await asked
    // Many name servers never answer for IPv6.
    if (found[at].length > 0) timer ??= setTimeout(() => resolver.cancel(), secondFamilyMs)
  }
  const ends = await Promise.allSettled([ask(0), ask(1)])

  clearTimeout(timer)
  const all = found.flat()

  if (all.length > 0)
    return {
      addresses: all.map(({ address }) => withFamily(address)),
      ttl: Math.min(...all.map(({ ttl }) => ttl)),
    }

  const isAnswered = (end: PromiseSettledResult<void>) =>
    end.status === 'fulfilled' || noSuchName.has(String((end.reason as NodeJS.ErrnoException).code))

  return ends.every(isAnswered) ? undefined : 'unanswered'
}

const noSuchName = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY'])

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) })

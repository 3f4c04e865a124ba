import { BoundedCache } from './lib/bounded-cache.ts'

/**
 * How the memory budget is divided. The parts add up to 192: at the default of 192 MB each is a
 * megabyte.
 */
const parts = {
  /** Revisions as read. */
  views: 27,
  /** Trees of revisions as readers of sites are shown them. */
  readers: 8,
  /** Texts of pages as readers with some claims are shown them, for searches. */
  readerSections: 4,
  /** Sites as readers see them. */
  siteViews: 2,
  /** Settings of site spaces with their style sheets. */
  settings: 1,
  /** Facts of pages, by blob. */
  facts: 21,
  /** Links of revisions, and of single blobs. */
  links: 20,
  linkFacts: 14,
  /** Findings of revisions. */
  findings: 2,
  /** Page trees with the pages computed from OpenAPI specs. */
  computed: 19,
  /** Outlines of OpenAPI specs, by version. */
  outlines: 12,
  /** The words of titles and headings in the search index. */
  vocabulary: 5,
  /** Forms of words that the search index has. */
  wordForms: 1,
  /** Replies of the API: what they say of revisions, and whole ones to single callers. */
  revisionReplies: 12,
  replies: 9,
  /** Pages of sites that are the same for everybody, compressed. */
  pages: 7,
  /**
   * "Not found" pages of sites, by address: a small part, because clients can ask for any number of
   * them.
   */
  missingPages: 1,
  /** Pages of the manual that the program brings along. */
  manual: 2,
  /** How many blocks differ between pairs of blobs. */
  blockCounts: 1,
  /** Facts about pairs of commits. */
  ancestry: 4,
  mergeBases: 2,
  commitCounts: 1,
  mergeConflicts: 1,
  /** Commits known to be revisions of their space. */
  revisions: 4,
  /**
   * The ids of the objects that the branches of a space lead to, which partial clones ask for one
   * by one.
   */
  reachable: 11,
  /** Commits that clients have, known to be on branches. */
  shown: 1,
} as const

type CacheName = keyof typeof parts

const total = Object.values(parts).reduce((sum, part) => sum + part, 0)

/** A value that each open data folder has one of. It is declared beside the code that uses it. */
type Slot<Value> = { readonly make: (caches: Caches) => Value }

/** Returns a slot for state that `make` creates when it is first needed. */
export const stateSlot = <Value>(make: () => Value): Slot<Value> => ({ make })

/**
 * Returns a slot for a cache whose weights are estimated bytes, limited to its part of the memory
 * budget.
 */
export const cacheSlot = <Value>(name: CacheName): Slot<BoundedCache<string, Value>> => ({
  make: caches => new BoundedCache(caches.bytes(name)),
})

/**
 * Everything that the process keeps in memory for one open data folder. Modules hold slots, not
 * values, so that two servers in one process do not share state.
 */
export class Caches {
  readonly #budget: number
  readonly #values = new Map<Slot<unknown>, unknown>()

  /** `budget` is the number of bytes that all caches may hold together. */
  constructor(budget: number) {
    this.#budget = budget
  }

  /** Returns the number of bytes that a cache may hold. */
  bytes(name: CacheName): number {
    return Math.floor((this.#budget * parts[name]) / total)
  }

  get<Value>(slot: Slot<Value>): Value {
    if (!this.#values.has(slot)) this.#values.set(slot, slot.make(this))
    return this.#values.get(slot) as Value
  }

  /** Empties every cache, for content that is removed for good. State stays. */
  clear(): void {
    for (const value of this.#values.values()) if (value instanceof BoundedCache) value.clear()
  }
}

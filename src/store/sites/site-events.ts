import { sql } from 'kysely'
import { among } from '../dialect.ts'
import { query, type Store } from '../store.ts'
import type { SiteEventRow } from '../tables/rows.ts'

/** Something that a reader does on a site; '' for no site space, page or words. */
export type SiteEvent = {
  siteId: string
  /** As the API names it. */
  kind: string
  siteSpaceId: string
  pageId: string
  /** The words of a search. */
  words: string
  /** Whether a search found nothing. */
  isNothing: boolean
}

/** The most different sums between two writes, and different rows of a site, a day and a kind. */
const mostNoted = 2_000
const mostRows = 2_000
/** The longest words that are kept, in characters. */
const mostWords = 100
/** The most readers whose words are not settled yet, and after how long they are, in milliseconds. */
const mostTyping = 2_000
const settledMs = 5_000
const dayMs = 86_400_000
/** The number of rows that one statement writes. */
const portion = 200

/**
 * The events of sites that are not written yet, as sums: a request notes its event in memory, so that reads
 * write no rows. A killed process loses the events since the last `write`; those of several nodes add up.
 * What differs more than the limits allow is counted without its page and words.
 */
export class SiteEvents {
  readonly #store: Store
  #counts = new Map<string, number>()
  /** The last words of readers who type them, by site and address. */
  readonly #typing = new Map<string, { event: SiteEvent; at: number }>()
  #today = { number: -1, text: '' }
  /** The keys of events, which kept answers note again and again. */
  readonly #keys = new WeakMap<SiteEvent, { number: number; key: string }>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Counts an event. */
  note(event: SiteEvent): void {
    const key = this.#keyOf(event)
    const count = this.#counts.get(key)
    if (count !== undefined || this.#counts.size < mostNoted)
      this.#counts.set(key, (count ?? 0) + 1)
    else {
      const other = this.#keyOf({ ...event, pageId: '', words: '' })
      this.#counts.set(other, (this.#counts.get(other) ?? 0) + 1)
    }
  }

  /**
   * Counts a search whose results are shown while the reader types: only the last words of those that
   * continue each other. `client` tells readers apart in memory, and is not stored.
   */
  noteTyped(client: string, event: SiteEvent): void {
    const key = `${event.siteId}\n${client}`
    const before = this.#typing.get(key)?.event.words ?? ''
    const continues = event.words.startsWith(before) || before.startsWith(event.words)
    if (!continues) this.#settle(key)
    if (this.#typing.size < mostTyping || this.#typing.has(key))
      this.#typing.set(key, { event, at: performance.now() })
    else this.note(event)
  }

  #settle(key: string): void {
    const typed = this.#typing.get(key)
    if (!typed) return
    this.#typing.delete(key)
    this.note(typed.event)
  }

  /**
   * Adds the sums to the rows, without waiting for the disk, and with 'all' also those of words that a
   * reader may still be typing. They stay noted if nothing can be written.
   */
  write(which: 'settled' | 'all' = 'settled'): void {
    const now = performance.now()
    for (const [key, { at }] of [...this.#typing])
      if (which === 'all' || now - at > settledMs) this.#settle(key)
    if (this.#counts.size === 0) return
    const rows = [...this.#counts].map(rowOf)
    this.#store.transactUnsynced(() => {
      for (let at = 0, all = this.#admitted(rows); at < all.length; at += portion)
        addCounts(this.#store, all.slice(at, at + portion))
    })
    this.#counts = new Map()
  }

  /** Returns the rows of sites that are there, and the sum of those beyond the limit. */
  #admitted(rows: readonly SiteEventRow[]): SiteEventRow[] {
    const sites = new Set(
      this.#store
        .all(
          query
            .selectFrom('site')
            .select('id')
            .where('id', 'in', among([...new Set(rows.map(row => row.site_id))])),
        )
        .map(({ id }) => id),
    )
    const admitted = new Map<string, SiteEventRow>()
    const known = new Map<string, Set<string>>()
    for (const row of rows) {
      if (!sites.has(row.site_id)) continue
      const group = [row.site_id, row.day, row.kind].join('\n')
      const keys = known.get(group) ?? keysOf(this.#store, row)
      known.set(group, keys)
      const isNew = !keys.has(keyOfRow(row))
      const kept = isNew && keys.size >= mostRows ? { ...row, page_id: '', words: '' } : row
      keys.add(keyOfRow(kept))
      const key = `${group}\n${keyOfRow(kept)}`
      const same = admitted.get(key)
      admitted.set(key, same ? { ...same, count: same.count + kept.count } : kept)
    }
    return [...admitted.values()]
  }

  #keyOf(event: SiteEvent): string {
    const number = Math.floor(this.#store.time / dayMs)
    const known = this.#keys.get(event)
    if (known?.number === number) return known.key
    const key = this.#makeKey(event, number)
    this.#keys.set(event, { number, key })
    return key
  }

  #makeKey(
    { siteId, kind, siteSpaceId, pageId, words, isNothing }: SiteEvent,
    number: number,
  ): string {
    if (number !== this.#today.number)
      this.#today = { number, text: new Date(number * dayMs).toISOString().slice(0, 10) }
    // PostgreSQL has no NUL in texts.
    const text = words
      .replaceAll(/[\n\0]/g, ' ')
      .slice(0, mostWords)
      .toWellFormed()
    return `${siteId}\n${this.#today.text}\n${kind}\n${siteSpaceId}\n${pageId}\n${isNothing ? 1 : 0}\n${text}`
  }
}

function rowOf([key, count]: [string, number]): SiteEventRow {
  const [site_id, day, kind, site_space_id, page_id, inVain, words] = key.split('\n') as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  return { site_id, day, kind, site_space_id, page_id, words, in_vain: Number(inVain), count }
}

const keyOfRow = ({
  site_space_id,
  page_id,
  words,
  in_vain,
}: Omit<SiteEventRow, 'site_id' | 'day' | 'kind' | 'count'>): string =>
  [site_space_id, page_id, in_vain, words].join('\n')

/** Returns the keys of the rows of a site, a day and a kind. */
const keysOf = (store: Store, { site_id, day, kind }: SiteEventRow): Set<string> =>
  new Set(
    store
      .all(
        query
          .selectFrom('site_event')
          .select(['site_space_id', 'page_id', 'words', 'in_vain'])
          .where('site_id', '=', site_id)
          .where('day', '=', day)
          .where('kind', '=', kind),
      )
      .map(keyOfRow),
  )

function addCounts(store: Store, rows: SiteEventRow[]): void {
  store.run(
    query
      .insertInto('site_event')
      .values(rows)
      .onConflict(conflict =>
        conflict
          .columns(['site_id', 'day', 'kind', 'site_space_id', 'page_id', 'words', 'in_vain'])
          .doUpdateSet({ count: sql<number>`site_event.count + excluded.count` }),
      ),
  )
}

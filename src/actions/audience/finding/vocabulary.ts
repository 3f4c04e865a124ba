import { cacheSlot, stateSlot } from '../../../caches.ts'
import { type Vocabulary, VocabularyBuilder } from '../../../content/search/near-words.ts'
import type { Context } from '../../../context.ts'
import { SharedWork } from '../../../lib/shared-work.ts'
import { pauses } from '../../../lib/slices.ts'
import { indexedStamp, listWords, type WordsTable } from '../../../store/search/vocabulary.ts'

/** The words of titles and headings of all spaces, as of a state of the index. */
type Kept = { vocabulary: Vocabulary; stamp: string; at: number }

const cache = cacheSlot<Kept>('vocabulary')
const making = stateSlot(() => new SharedWork<Vocabulary>())

const tables: readonly WordsTable[] = ['search_title_words', 'search_heading_words']

/** The maximum number of words; beyond it, the rarest are left out. */
const mostWords = 100_000
/** How many words are read in one query, which blocks the event loop. */
const portion = 1_000
/**
 * A vocabulary with more words than `large` is kept for a while, in milliseconds, although the
 * index has changed.
 */
const large = 10_000
const keptMs = 30_000

/** Estimates the memory of a vocabulary in bytes. */
const weigh = ({ size, characters }: Vocabulary): number => 1_000 + characters * 2 + size * 64

/**
 * Returns the words of titles and headings in the index, of all spaces: pages with a word may be
 * hidden from a caller. A large vocabulary may lack the words of the last half minute.
 */
export async function readVocabulary(ctx: Context, signal?: AbortSignal): Promise<Vocabulary> {
  const stamp = indexedStamp(ctx.store)
  const vocabularies = ctx.caches.get(cache)
  const kept = vocabularies.get('all')
  const now = performance.now()
  if (kept && (kept.stamp === stamp || (kept.vocabulary.size > large && now - kept.at < keptMs)))
    return kept.vocabulary

  return ctx.caches.get(making).join(stamp, signal, async gone => {
    const vocabulary = await read(ctx, gone)
    const weight = Math.min(weigh(vocabulary), vocabularies.limit)
    vocabularies.set('all', { vocabulary, stamp, at: performance.now() }, weight)
    return vocabulary
  })
}

async function read({ store }: Context, signal: AbortSignal): Promise<Vocabulary> {
  const builder = new VocabularyBuilder(mostWords)
  const pause = pauses(signal)
  for (const table of tables) {
    for (let after = ''; ; ) {
      const rows = listWords(store, table, portion, after)
      for (const { term, doc } of rows) builder.add({ word: term, pages: doc })
      await pause()
      if (rows.length < portion) break
      after = rows.at(-1)!.term
    }
  }

  return builder.build()
}

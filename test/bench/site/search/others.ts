import lunr from 'lunr'
import MiniSearch from 'minisearch'
import { indexedWords } from '../../../../src/content/search/words.ts'

/** A page as all engines index it. */
export type IndexedText = { file: string; title: string; headings: string; text: string }

/** Returns the files of the first pages of a search. */
export type Find = (query: string, most: number) => string[]

/**
 * Returns a text with scripts without spaces as pairs of characters: neither engine separates their
 * words.
 */
const spaced = indexedWords

const fields = ['title', 'headings', 'text']
const boost: Record<string, number> = { title: 5, headings: 2, text: 1 }

/** Returns the searches of MiniSearch and lunr over some pages, both with the same weights. */
export function otherEngines(pages: readonly IndexedText[]): Record<'MiniSearch' | 'lunr', Find> {
  const texts = pages.map(({ file, title, headings, text }) => ({
    file,
    title: spaced(title),
    headings: spaced(headings),
    text: spaced(text),
  }))
  const mini = new MiniSearch({ idField: 'file', fields })
  const index = lunr(builder => {
    builder.ref('file')
    for (const field of fields) builder.field(field, { boost: boost[field] ?? 1 })
    // The trimmer of lunr removes all letters that are not ASCII.
    builder.pipeline.remove(lunr.trimmer)
    for (const each of texts) builder.add(each)
  })

  mini.addAll(texts)

  return {
    MiniSearch: (query, most) =>
      mini
        .search(spaced(query), { boost, prefix: true, fuzzy: 0.2 })
        .slice(0, most)
        .map(({ id }) => String(id)),
    lunr: (query, most) =>
      index
        .search(spaced(query).replace(/[^\p{L}\p{N}\p{M}]+/gu, ' '))
        .slice(0, most)
        .map(({ ref }) => ref),
  }
}

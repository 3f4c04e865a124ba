import { isDeepStrictEqual } from 'node:util'
import { areShownToAll } from '../../content/evaluate/shown-tree.ts'
import { withinLimits } from '../../content/markdown/limits.ts'
import { type Sections, sectionSteps } from '../../content/search/sections.ts'
import { weightSteps } from '../../content/search/weights.ts'
import { gatherWords, indexedWords, wordsApart } from '../../content/search/words.ts'
import { decode } from '../../content/text/bytes.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { readBlob, streamBlobs } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import { yieldToRequests } from '../../lib/yield-to-requests.ts'
import {
  addSearchPage,
  addSearchText,
  deleteSearchPages,
  findSearchPages,
  type IndexedPage,
  mostPieces,
  type SearchPageLocation,
  takeSearchId,
  updateSearchPage,
} from '../../store/search/search-index.ts'
import type { SearchPageRow } from '../../store/tables/rows.ts'
import type { SearchSource } from './search-source.ts'

/** Of larger pages only the title and description are indexed, in bytes. */
const textLimit = 1024 * 1024
/** How many pages are compared at once. */
const batch = 64
/** How much text is written in one transaction, which blocks the event loop, in characters. */
const mostWritten = 16_000
/** The most text of a long page's distinct words, in characters. */
const mostDistinct = 40_000

const noSections: Sections = { h1: '', sections: [] }

/** The revision that is being indexed; `head`: it is the primary head. */
export type Indexing = {
  repo: Repository
  source: SearchSource
  number: number
  head: boolean
  /** No caller is waiting. */
  patient?: boolean
  signal?: AbortSignal | undefined
}

/**
 * Returns what to await in a loop to yield to the event loop; to all pending requests if no caller
 * is waiting.
 */
const pausesFor = ({ patient }: Indexing): (() => Promise<void> | undefined) =>
  patient ? yieldToRequests : pauses()

/**
 * Returns whether a page can be found: documents can, unless they set `noIndex`. Hidden pages can:
 * they are only left out of navigation.
 */
export const isFindable = ({ type, facts }: PageNode): boolean =>
  type === 'document' && facts?.frontMatter.noIndex !== true

/** Returns whether an index row has the text and title of a page. */
export const isSame = (
  { keyOf }: SearchSource,
  row: Pick<SearchPageRow, 'oid' | 'title'>,
  node: PageNode,
): boolean => row.oid === keyOf(node) && row.title === node.title

/**
 * Returns what the index stores about a page besides its text. A page `varies` if readers may get
 * another text than that of Git or not be shown it; it `counts` if all readers are shown it, with
 * one text.
 */
export function locationOf(
  { content }: Pick<SearchSource, 'content'>,
  node: PageNode,
  head: boolean,
): SearchPageLocation {
  const line = [node]
  for (let above = parentOf(content, node); above; above = parentOf(content, above))
    line.unshift(above)
  const isForAll = areShownToAll(line)

  return {
    path: node.path,
    ancestors: line.slice(0, -1).map(({ title }) => title),
    head: head ? 1 : 0,
    varies: node.facts?.varies || !isForAll ? 1 : 0,
    counts: isForAll && !node.facts?.differs ? 1 : 0,
  }
}

/**
 * Adds the pages that the index lacks, at most `most`, in slices; for the primary head, removes
 * their former versions. Ends if content was erased since the source was read. Returns how many were
 * added and whether that was all.
 */
export async function indexPages(
  ctx: Context,
  indexing: Indexing,
  nodes: readonly PageNode[],
  most = Number.POSITIVE_INFINITY,
): Promise<{ added: number; whole: boolean }> {
  const pause = pausesFor(indexing)
  let added = 0
  for (let at = 0; at < nodes.length; at += batch) {
    indexing.signal?.throwIfAborted()
    if (!indexing.source.mayKeep()) break
    const some = nodes.slice(at, at + batch)
    const absent = settleKnown(ctx, indexing, some)
    if (added + absent.length > most) return { added, whole: false }
    added += absent.length
    await addPages(ctx, indexing, absent)
    await pause()
  }

  return { added, whole: indexing.source.mayKeep() }
}

/** Updates the index rows of these pages. Returns the pages that it lacks. */
function settleKnown(
  ctx: Context,
  { source, number, head }: Indexing,
  nodes: readonly PageNode[],
): PageNode[] {
  const byPage = new Map<string, SearchPageRow[]>()
  const ids = nodes.map(node => node.id)
  for (const row of findSearchPages(ctx.store, number, ids))
    byPage.set(row.page_id, [...(byPage.get(row.page_id) ?? []), row])
  const known = (node: PageNode) => byPage.get(node.id)?.find(row => isSame(source, row, node))
  const wanted = nodes.filter(isFindable)

  if (head) {
    const gone: SearchPageRow[] = []
    const moved: Moved[] = []
    for (const node of nodes) {
      for (const row of byPage.get(node.id) ?? []) {
        if (!isSame(source, row, node) || !isFindable(node)) {
          if (row.head) gone.push(row)
          continue
        }
        const place = locationOf(source, node, true)
        if (!sameLocation(row, place)) moved.push([row.id, place])
      }
    }

    updateLocations(ctx, gone, moved)
  }

  return wanted.filter(node => !known(node))
}

/** The id of an index row, and its new location. */
export type Moved = [id: number, place: ReturnType<typeof locationOf>]

/** Removes rows from the index and updates the locations of others, in one transaction. */
export function updateLocations(
  { store }: Context,
  gone: readonly SearchPageRow[],
  moved: readonly Moved[],
): void {
  if (gone.length === 0 && moved.length === 0) return
  store.transact(() => {
    deleteSearchPages(store, gone)
    for (const [id, place] of moved) updateSearchPage(store, id, place)
  })
}

/** Returns whether an index row has this location. */
export const sameLocation = (row: SearchPageRow, place: ReturnType<typeof locationOf>): boolean =>
  isDeepStrictEqual(
    [row.path, row.ancestors, row.head, row.varies, row.counts],
    [place.path, place.ancestors, place.head, place.varies, place.counts],
  )

async function addPages(
  ctx: Context,
  indexing: Indexing,
  nodes: readonly PageNode[],
): Promise<void> {
  const { store } = ctx
  const oids = [...new Set(nodes.flatMap(({ file }) => (file ? [file.oid] : [])))]
  const texts = await readTexts(indexing.repo, oids)
  const pause = pausesFor(indexing)
  let small: Indexed[] = []
  const write = () => {
    const now = small
    small = []
    if (now.length > 0)
      store.keep(indexing.source.mayKeep, () => {
        for (const page of now) addWhole(ctx, indexing.number, page)
      })
  }

  for (const node of nodes) {
    const text = node.file ? texts.get(node.file.oid) : await indexing.source.computedText(node)
    const read =
      text === undefined
        ? noSections
        : await inSlices(withinLimits(sectionSteps(text, node.file?.path), noSections))
    const page = await indexed(indexing, node, read)
    if (page.texts.length > 1) await addInPieces(ctx, indexing, page)
    else small.push(page)

    const length = small.reduce((sum, { texts }) => sum + texts[0]!.length, 0)

    if (length > (indexing.patient ? mostWritten / 2 : mostWritten)) {
      write()
      await pause()
    }
  }

  write()
}

/** A page with its text in pieces, as words of the index. */
type Indexed = { page: Omit<IndexedPage, 'id' | 'pieces'>; texts: readonly string[] }

function addWhole(ctx: Context, number: number, { page, texts }: Indexed): void {
  // Another process may have added it.
  const present = findSearchPages(ctx.store, number, [page.page_id])
  if (present.some(row => row.oid === page.oid && row.title === page.title)) return
  const id = takeSearchId(ctx.store, number)
  if (id === undefined) return
  for (const [piece, words] of texts.entries()) addSearchText(ctx.store, id, piece, words)
  addSearchPage(ctx.store, { ...page, id, pieces: texts.length })
}

/**
 * Adds a long page piece by piece, yielding to the event loop. It can only be found once complete,
 * even after a crash.
 */
async function addInPieces(
  ctx: Context,
  indexing: Indexing,
  { page, texts }: Indexed,
): Promise<void> {
  const { store } = ctx
  const { number, source } = indexing
  const id = store.transact(() => takeSearchId(store, number))
  if (id === undefined) return

  const keep = (write: () => unknown) => store.keep(source.mayKeep, write)
  const pause = pausesFor(indexing)
  const distinct = new Set<string>()

  for (const [piece, words] of texts.entries()) {
    keep(() => addSearchText(store, id, piece, words))
    gatherWords(distinct, words)
    await pause()
  }

  // One piece with all words, so that a search finds words from different pieces together.
  const all = wordsApart(distinct, mostDistinct)

  keep(() => addSearchText(store, id, texts.length, all))
  await pause()
  keep(() => addSearchPage(store, { ...page, id, pieces: texts.length + 1 }))
}

/** Returns the title of a page, with its own heading if that is another one. */
export const namedAs = ({ title }: PageNode, h1: string): string =>
  h1 === '' || h1 === title ? title : `${title}\n${h1}`

async function indexed(
  { source, head }: Indexing,
  node: PageNode,
  { h1, sections }: Sections,
): Promise<Indexed> {
  const description = node.facts?.frontMatter.description ?? null
  const named = namedAs(node, h1)
  const weights = await inSlices(weightSteps({ named, description: description ?? '', sections }))
  const headings = sections.map(section => section.heading).join('\n')
  const whole = sections.flatMap(({ heading, body }) => [heading, body]).join('\n')

  // Every piece includes the title and description, so that a search finds them together with the
  // text.
  const about = `${named}\n${description ?? ''}\n`

  return {
    page: {
      page_id: node.id,
      oid: source.keyOf(node),
      title: node.title,
      ...locationOf(source, node, head),
      description,
      sections: JSON.stringify(sections),
      weights,
      titleWords: indexedWords(named),
      headingWords: indexedWords(headings.trim()),
    },
    texts: piecesOf(whole).map(piece => indexedWords(about + piece)),
  }
}

/** Splits a text into at least one piece, at blanks if possible. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let at = 0
  while (text.length - at > mostWritten && pieces.length < mostPieces - 2) {
    const blank = text.slice(at, at + mostWritten).search(/\s\S*$/)
    const end = at + (blank > mostWritten / 2 ? blank : mostWritten)
    pieces.push(text.slice(at, end))
    at = end
  }

  pieces.push(text.slice(at, at + mostWritten))

  return pieces
}

/** Returns the texts of readable blobs, skipping damaged ones. */
async function readTexts(repo: Repository, oids: readonly Oid[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const left = new Set(oids)
  try {
    for await (const [oid, bytes] of streamBlobs(repo, oids, textLimit)) {
      left.delete(oid)
      texts.set(oid, decode(bytes).text)
    }
  } catch (error) {
    if (!isGitError(error, 'object_unreadable')) throw error
    for (const oid of left) {
      const bytes = await readBlob(repo, oid, textLimit).catch(() => undefined)
      if (bytes) texts.set(oid, decode(bytes).text)
    }
  }

  return texts
}

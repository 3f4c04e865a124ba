import { withinLimits } from '../../content/markdown/limits.ts'
import { type Sections, sectionSteps } from '../../content/search/sections.ts'
import { gatherWords, indexedWords, wordsApart } from '../../content/search/words.ts'
import { decode } from '../../content/text/bytes.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { readBlob, streamBlobs } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { giveWay } from '../../lib/give-way.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import {
  addSearchPage,
  addSearchText,
  deleteSearchPages,
  findSearchPages,
  type IndexedPage,
  mostPieces,
  takeSearchId,
  updateSearchPage,
} from '../../store/search/search-index.ts'
import type { SearchPageRow } from '../../store/tables/rows.ts'
import type { SearchSource } from './search-source.ts'

/** Of larger pages only the title and the description are found, as only those are read of them elsewhere. */
const textLimit = 1024 * 1024
/** How many pages are looked up together. */
const batch = 64
/** How much text is written in one transaction, in characters: nobody is served meanwhile. */
const mostWritten = 16_000
/** How much the distinct words of a long page may be, in characters. */
const mostDistinct = 40_000

const noSections: Sections = { h1: '', sections: [] }

/** What pages are put into the index from: `head` when they are the primary content's. */
export type Indexing = {
  repo: Repository
  source: SearchSource
  number: number
  head: boolean
  /** Nobody waits for it. */
  patient?: boolean
  signal?: AbortSignal | undefined
}

/** For a loop: what lets others in, all of them where nobody waits for this. */
const pausesFor = ({ patient }: Indexing): (() => Promise<void> | undefined) => (patient ? giveWay : pauses())

/** Whether a page is to be found: documents are, unless they say `noIndex`. Hidden ones are: they are left out of navigation alone. */
export const isFindable = ({ type, facts }: PageNode): boolean =>
  type === 'document' && facts?.frontMatter.noIndex !== true

/** Whether the index has a page as it is in a revision. */
export const isSame = (
  { keyOf }: SearchSource,
  row: Pick<SearchPageRow, 'oid' | 'title'>,
  node: PageNode,
): boolean => row.oid === keyOf(node) && row.title === node.title

/** What the index tells of a page beside its text. */
export function placeOf(
  { content }: Pick<SearchSource, 'content'>,
  node: PageNode,
  head: boolean,
): Pick<SearchPageRow, 'path' | 'ancestors' | 'head'> {
  const ancestors: string[] = []
  for (let above = parentOf(content, node); above; above = parentOf(content, above))
    ancestors.unshift(above.title)
  return { path: node.path, ancestors: JSON.stringify(ancestors), head: head ? 1 : 0 }
}

/**
 * Puts pages of a revision into the index that it does not have yet, at most `most` of them, in slices; of the primary
 * content, what they were before goes. Gives how many were added and whether that was all.
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
    const some = nodes.slice(at, at + batch)
    const absent = settleKnown(ctx, indexing, some)
    if (added + absent.length > most) return { added, whole: false }
    added += absent.length
    await addPages(ctx, indexing, absent)
    await pause()
  }
  return { added, whole: true }
}

/** Brings what the index has of these pages up to the revision; gives those that it has not. */
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
        const place = placeOf(source, node, true)
        if (!isPlaced(row, place)) moved.push([row.id, place])
      }
    }
    putInPlace(ctx, gone, moved)
  }
  return wanted.filter(node => !known(node))
}

/** A page of the index by its number, and what it is to tell beside the text. */
export type Moved = [id: number, place: ReturnType<typeof placeOf>]

/** Takes pages out of the index, and lets others tell where they stand now. */
export function putInPlace(
  { store }: Context,
  gone: readonly SearchPageRow[],
  moved: readonly Moved[],
): void {
  if (gone.length === 0 && moved.length === 0) return
  store.transactUnsynced(() => {
    deleteSearchPages(store, gone)
    for (const [id, place] of moved) updateSearchPage(store, id, place)
  })
}

/** Whether the index tells the same of a page. */
export const isPlaced = (row: SearchPageRow, place: ReturnType<typeof placeOf>): boolean =>
  row.path === place.path && row.ancestors === place.ancestors && row.head === place.head

async function addPages(ctx: Context, indexing: Indexing, nodes: readonly PageNode[]): Promise<void> {
  const { store } = ctx
  const oids = [...new Set(nodes.flatMap(({ file }) => (file ? [file.oid as Oid] : [])))]
  const texts = await readTexts(indexing.repo, oids)
  const pause = pausesFor(indexing)
  let small: Indexed[] = []
  const write = () => {
    const now = small
    small = []
    if (now.length > 0)
      store.transactUnsynced(() => {
        for (const page of now) addWhole(ctx, indexing.number, page)
      })
  }
  for (const node of nodes) {
    const text = node.file ? texts.get(node.file.oid) : await indexing.source.madeText(node)
    const read =
      text === undefined ? noSections : await inSlices(withinLimits(sectionSteps(text), noSections))
    const page = indexed(indexing, node, read)
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

/** A page with its text in pieces, each of them words as the index takes them. */
type Indexed = { page: Omit<IndexedPage, 'id' | 'pieces'>; texts: readonly string[] }

function addWhole(ctx: Context, number: number, { page, texts }: Indexed): void {
  // Another process may have added it meanwhile.
  const there = findSearchPages(ctx.store, number, [page.page_id])
  if (there.some(row => row.oid === page.oid && row.title === page.title)) return
  const id = takeSearchId(ctx.store, number)
  if (id === undefined) return
  for (const [piece, words] of texts.entries()) addSearchText(ctx.store, id, piece, words)
  addSearchPage(ctx.store, { ...page, id, pieces: texts.length })
}

/** A long page is added piece by piece, others being served in between. What a crash leaves of it is found by nobody. */
async function addInPieces(ctx: Context, indexing: Indexing, { page, texts }: Indexed): Promise<void> {
  const { store } = ctx
  const { number } = indexing
  const id = store.transactUnsynced(() => takeSearchId(store, number))
  if (id === undefined) return
  const pause = pausesFor(indexing)
  const distinct = new Set<string>()
  for (const [piece, words] of texts.entries()) {
    store.transactUnsynced(() => addSearchText(store, id, piece, words))
    gatherWords(distinct, words)
    await pause()
  }
  // So that words are found together that stand in different pieces.
  const all = wordsApart(distinct, mostDistinct)
  store.transactUnsynced(() => addSearchText(store, id, texts.length, all))
  await pause()
  store.transactUnsynced(() => addSearchPage(store, { ...page, id, pieces: texts.length + 1 }))
}

function indexed({ source, head }: Indexing, node: PageNode, { h1, sections }: Sections): Indexed {
  const description = node.facts?.frontMatter.description ?? null
  const named = h1 === '' || h1 === node.title ? node.title : `${node.title}\n${h1}`
  const headings = sections.map(section => section.heading).join('\n')
  const whole = sections.flatMap(({ heading, body }) => [heading, body]).join('\n')
  // What a page is called stands in each piece, so that it can be found together with what is on the page.
  const about = `${named}\n${description ?? ''}\n`
  return {
    page: {
      page_id: node.id,
      oid: source.keyOf(node),
      title: node.title,
      ...placeOf(source, node, head),
      description,
      sections: JSON.stringify(sections),
      titleWords: indexedWords(named),
      headingWords: indexedWords(headings.trim()),
    },
    texts: piecesOf(whole).map(piece => indexedWords(about + piece)),
  }
}

/** A text in pieces that are not too long, cut where there is a blank, if there is one; at least one. */
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

/** The pages that can be read, by blob; one that is damaged does not keep the others from it. */
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

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { missing } from '../../errors.ts'
import { asOid, type Oid } from '../../lib/oid.ts'
import type { ContentFile } from '../files.ts'
import type { Link } from '../links/find.ts'
import { type PageFacts, readPageFacts } from '../page/facts.ts'
import { parseSummary, type Summary } from '../summary/parse.ts'
import { reparseSummary } from '../summary/reparse.ts'
import { encode } from '../text/bytes.ts'
import type { ContentTree, PageNode } from '../tree/build.ts'
import type { IdOverrides } from '../tree/identity.ts'
import type { Structure } from './requests.ts'

/** The revision that a batch changes. */
export type EditSource = { spaceId: string; tree: ContentTree; identity: IdOverrides }

/** The state of a batch: the content after the changes so far. */
export type Draft = {
  source: EditSource
  /** Undefined as long as no change has asked for it; see `structureOf`. */
  structure: { input: Structure; files: ReadonlyMap<string, ContentFile> } | undefined
  /** The tree that was built last; use `treeOf` for the current one. */
  tree: ContentTree
  identity: IdOverrides
  summary: Summary | null
  /** The files to write, by path; null removes a file. */
  changed: Map<string, ContentFile | null>
  /** New content, by blob. */
  bytes: Map<string, Uint8Array>
  /** The blobs read so far; undefined for one that is too large. */
  blobs: Map<string, Uint8Array | undefined>
  /** The trees of the revisions that changes refer to, by name. */
  snapshots: Map<string, ContentTree | undefined>
  /**
   * The links, by blob, that may lead to the files `to`; undefined for a blob that was searched and
   * has none.
   */
  links: { to: ReadonlySet<string>; found: Map<string, readonly Link[] | undefined> }
  facts: Map<string, PageFacts>
  /** A change affects the tree: `tree` is out of date. */
  stale: boolean
  /** A file was written since the tree was built, even if the tree would be the same. */
  behind: boolean
  /** The files renamed since the tree was built: new path to old path. */
  moved: Map<string, string>
  /** The files renamed since the start of the batch: new path to old path. */
  renamed: Map<string, string>
  /** The nodes of `tree` in the order that the next tree will have; null for new ones. */
  order: (PageNode | null)[] | null
  /** The pages and files that changes gave a ref: the id of a page or the path of a file. */
  refs: Map<string, { page: string } | { file: string }>
  /**
   * The pages whose Markdown came with the batch, by path, with their text before: links are
   * settled at the end.
   */
  submitted: Map<string, string>
  outcomes: Map<string, { object: 'created_page' | 'updated_page' | 'deleted_page'; ref?: string }>
  insertedFiles: string[]
}

/** Returns the state at the start of a batch. */
export const openDraft = (source: EditSource): Draft => ({
  source,
  structure: undefined,
  tree: source.tree,
  identity: source.identity,
  summary: source.tree.summary,
  changed: new Map(),
  bytes: new Map(),
  blobs: new Map(),
  snapshots: new Map(),
  links: { to: new Set(), found: new Map() },
  facts: new Map(),
  stale: false,
  behind: false,
  moved: new Map(),
  renamed: new Map(),
  order: null,
  refs: new Map(),
  submitted: new Map(),
  outcomes: new Map(),
  insertedFiles: [],
})

/** Returns the id of a blob in Git. */
export const blobId = (bytes: Uint8Array): Oid =>
  asOid(createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'))

/** Returns all files of the content before the batch, by path. */
function filesBefore({ structure }: Draft): ReadonlyMap<string, ContentFile> {
  if (!structure) throw new Error('The change must ask for the structure first.')
  return structure.files
}

/**
 * Returns the current entry at a path; undefined if there is none. Before `structureOf`, only for
 * pages.
 */
export function fileAt(draft: Draft, path: string): ContentFile | undefined {
  const changed = draft.changed.get(path)
  if (changed !== undefined) return changed ?? undefined
  return fileBefore(draft, path)
}

function fileBefore(draft: Draft, path: string): ContentFile | undefined {
  const page = draft.structure ? undefined : draft.source.tree.pageByFile.get(path)
  return page?.file ? { path, oid: page.file.oid, mode: '100644' } : filesBefore(draft).get(path)
}

/** Returns all current entries. */
export function allFiles(draft: Draft): ContentFile[] {
  const files: ContentFile[] = []
  for (const file of filesBefore(draft).values()) {
    const changed = draft.changed.get(file.path)
    if (changed !== null) files.push(changed ?? file)
  }
  for (const [path, file] of draft.changed)
    if (file && !filesBefore(draft).has(path)) files.push(file)
  return files
}

/** Writes text to a path, unless the file has this text. */
export function putText(draft: Draft, path: string, text: string): void {
  putBytes(draft, path, encode(text))
}

/** Writes bytes to a path, unless they are there already. */
export function putBytes(draft: Draft, path: string, bytes: Uint8Array): void {
  const oid = blobId(bytes)
  const old = fileAt(draft, path)
  if (old?.oid === oid) return
  draft.bytes.set(oid, bytes)
  put(draft, { path, oid, mode: old?.mode ?? '100644' })
  const node = draft.tree.pageByFile.get(path)
  if (!old || !node?.facts || !sameToTree(node.facts, factsAt(draft, oid)!)) draft.stale = true
}

/** Writes a blob whose bytes are not known to a path of a file that is not a page. */
export function putUnread(draft: Draft, path: string, oid: Oid): void {
  if (fileAt(draft, path)?.oid === oid) return
  put(draft, { path, oid, mode: '100644' })
  draft.stale = true
}

/** Records an entry as changed, or as unchanged if it equals the entry before the batch. */
function put(draft: Draft, file: ContentFile): void {
  const before = fileBefore(draft, file.path)
  if (before?.oid === file.oid && before.mode === file.mode) draft.changed.delete(file.path)
  else draft.changed.set(file.path, file)
  draft.behind = true
}

/** Returns whether the tree is the same with either facts of a page. */
function sameToTree(a: PageFacts, b: PageFacts): boolean {
  const seen = ({ h1, issues, frontMatter }: PageFacts) => {
    const { title, icon, emoji, slug, position, label } = frontMatter
    return [h1, issues, title, icon, emoji, slug, position, label]
  }
  return isDeepStrictEqual(seen(a), seen(b))
}

/** Removes a file. */
export function removeFile(draft: Draft, path: string): void {
  if (filesBefore(draft).has(path)) draft.changed.set(path, null)
  else draft.changed.delete(path)
  draft.submitted.delete(path)
  draft.stale = true
}

/** Moves a file to another path; it keeps its id. */
export function moveFile(draft: Draft, from: string, to: string): void {
  const file = fileAt(draft, from)
  if (!file) throw missing('file', from)
  const text = draft.submitted.get(from)
  removeFile(draft, from)
  put(draft, { ...file, path: to })
  if (text !== undefined) draft.submitted.set(to, text)
  draft.moved.set(to, draft.moved.get(from) ?? from)
  draft.moved.delete(from)
  draft.renamed.set(to, draft.renamed.get(from) ?? from)
  draft.renamed.delete(from)
}

/**
 * Replaces the source of the table of contents. `order` is the order of pages that results; see
 * `Draft`.
 */
export function setSummary(draft: Draft, source: string, order: Draft['order']): void {
  if (draft.summary?.source === source && draft.moved.size === 0) return
  draft.summary = draft.summary ? reparseSummary(draft.summary, source) : parseSummary(source)
  const path = draft.tree.summaryPath
  const bytes = encode(source)
  const oid = blobId(bytes)

  draft.bytes.set(oid, bytes)
  put(draft, { path, oid, mode: fileAt(draft, path)?.mode ?? '100644' })
  draft.order = order
  draft.stale = true
}

/** Returns the facts of a blob. */
export function factsAt(draft: Draft, oid: string): PageFacts | undefined {
  const known = draft.facts.get(oid)
  if (known) return known
  const bytes = draft.bytes.get(oid)
  if (!bytes) return draft.structure?.input.facts(oid)
  const facts = draft.structure?.input.facts(oid) ?? readPageFacts(bytes)
  draft.facts.set(oid, facts)
  return facts
}

/** Records the outcome for a page, once per page. */
export function tellPage(
  draft: Draft,
  id: string,
  object: 'created_page' | 'updated_page' | 'deleted_page',
  ref?: string,
): void {
  const known = draft.outcomes.get(id)
  if (object === 'deleted_page' && known?.object === 'created_page') draft.outcomes.delete(id)
  else if (object === 'created_page' && known) draft.outcomes.set(id, { object: 'updated_page' })
  else if (!known || object === 'deleted_page')
    draft.outcomes.set(id, { object, ...(ref !== undefined && { ref }) })
}

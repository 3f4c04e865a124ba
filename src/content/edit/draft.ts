import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { invalid, missing } from '../../errors.ts'
import type { ContentFile } from '../files.ts'
import type { Link } from '../links/find.ts'
import { type PageFacts, readPageFacts } from '../page/facts.ts'
import { parseSummary, type Summary } from '../summary/parse.ts'
import { reparseSummary } from '../summary/reparse.ts'
import { decode, encode } from '../text/bytes.ts'
import type { ContentTree, PageNode, TreeInput } from '../tree/build.ts'
import type { Identity } from '../tree/identity.ts'

/** A revision that a change refers back to. */
export type Snapshot = {
  oid: string
  tree: ContentTree
  /** The bytes of a file of it that `needsOf` named; undefined when there is none. */
  read: (path: string) => Uint8Array | undefined
}

/** What a batch is applied to. */
export type EditSource = {
  spaceId: string
  tree: ContentTree
  identity: Identity
  /** What the tree was built from; not there when `needsOf` says that no change moves anything in the tree. */
  input: Omit<TreeInput, 'identity'> | undefined
  /** The bytes of a file that `needsOf` named; undefined when there is none. */
  read: (path: string) => Uint8Array | undefined
  /** By the name that changes give them. */
  snapshots: ReadonlyMap<string, Snapshot>
  /** The links of the blobs that may lead to what `needsOf` says is moving; undefined: they are not known yet. */
  links?: ReadonlyMap<string, readonly Link[]> | undefined
}

/** A batch under way: the content as the changes so far leave it. */
export type Draft = {
  source: EditSource
  /** The tree as it was last looked at; ask `treeOf`. */
  tree: ContentTree
  identity: Identity
  summary: Summary | null
  /** What is to be written: null takes a file away. */
  changed: Map<string, ContentFile | null>
  /** New content, by blob. */
  bytes: Map<string, Uint8Array>
  facts: Map<string, PageFacts>
  /** The page's facts say something else to the tree: what is kept of it is out of date. */
  stale: boolean
  /** Something was written since the tree was built, even if the tree would say the same of it. */
  behind: boolean
  /** The files that were renamed since the tree was built: new path to old path. */
  moved: Map<string, string>
  /** The same since the batch began. */
  renamed: Map<string, string>
  /** The nodes of the tree before, in the order in which the next tree has them; null for new ones. */
  order: (PageNode | null)[] | null
  /** Pages and files that the batch gave names: a page's id or a file's path. */
  refs: Map<string, { page: string } | { file: string }>
  /** Paths of pages whose Markdown came with the batch, to their text before: its links are settled at the end. */
  submitted: Map<string, string>
  outcomes: Map<string, { object: 'created_page' | 'updated_page' | 'deleted_page'; ref?: string }>
  insertedFiles: string[]
}

/** Begins a batch. */
export const openDraft = (source: EditSource): Draft => ({
  source,
  tree: source.tree,
  identity: source.identity,
  summary: source.tree.summary,
  changed: new Map(),
  bytes: new Map(),
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

/** The id that Git gives a blob. */
const blobId = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

const baseFiles = new WeakMap<object, Map<string, ContentFile>>()

/** All files of the content before the batch, by path. */
export function filesBefore(draft: Draft): Map<string, ContentFile> {
  const { input } = draft.source
  if (!input) throw new Error('The batch was not prepared for a change of the tree.')
  let files = baseFiles.get(input)
  if (!files) {
    files = new Map(input.files.map(file => [file.path, file]))
    baseFiles.set(input, files)
  }
  return files
}

/** The entry at a path as the batch leaves it; undefined when there is none. */
export function fileAt(draft: Draft, path: string): ContentFile | undefined {
  const changed = draft.changed.get(path)
  if (changed !== undefined) return changed ?? undefined
  if (draft.source.input) return filesBefore(draft).get(path)
  const node = draft.tree.pageByFile.get(path)
  return node?.file && { path, oid: node.file.oid, mode: '100644' }
}

/** Every entry as the batch leaves it. */
export function allFiles(draft: Draft): ContentFile[] {
  const files: ContentFile[] = []
  for (const file of filesBefore(draft).values()) {
    const changed = draft.changed.get(file.path)
    if (changed !== null) files.push(changed ?? file)
  }
  for (const [path, file] of draft.changed) if (file && !filesBefore(draft).has(path)) files.push(file)
  return files
}

/** The bytes of a file as the batch leaves it; undefined when there is none, or nobody read it. */
export function bytesAt(draft: Draft, path: string): Uint8Array | undefined {
  const changed = draft.changed.get(path)
  if (changed === null) return undefined
  return changed ? draft.bytes.get(changed.oid) : draft.source.read(path)
}

/** The text of a file that is to be edited. Throws 'missing' when it is not there, 'invalid' when it is not UTF-8. */
export function textAt(draft: Draft, path: string): string {
  const bytes = bytesAt(draft, path)
  if (!bytes) throw missing('file', path)
  const { text, exact } = decode(bytes)
  if (!exact)
    throw invalid(`"${path}" is not valid UTF-8, so it cannot be edited here: change it with Git.`, { path })
  return text
}

/** Puts text at a path; nothing happens when it is there already. */
export function putText(draft: Draft, path: string, text: string): void {
  putBytes(draft, path, encode(text))
}

/** Puts bytes at a path; nothing happens when they are there already. */
export function putBytes(draft: Draft, path: string, bytes: Uint8Array): void {
  const oid = blobId(bytes)
  const old = fileAt(draft, path)
  if (old?.oid === oid) return
  draft.bytes.set(oid, bytes)
  put(draft, { path, oid, mode: old?.mode ?? '100644' })
  const node = draft.tree.pageByFile.get(path)
  if (!old || !node?.facts || !sameToTree(node.facts, factsAt(draft, oid)!)) draft.stale = true
}

/** Puts an entry at its path, or takes it out of the changes when it is what was there before the batch. */
function put(draft: Draft, file: ContentFile): void {
  const before = draft.source.input ? filesBefore(draft).get(file.path) : fileInTree(draft, file.path)
  if (before?.oid === file.oid && before.mode === file.mode) draft.changed.delete(file.path)
  else draft.changed.set(file.path, file)
  draft.behind = true
}

const fileInTree = (draft: Draft, path: string): ContentFile | undefined => {
  const file = draft.source.tree.pageByFile.get(path)?.file
  return file && { path, oid: file.oid, mode: '100644' }
}

/** Whether the tree looks the same with one page's facts as with the other's. */
function sameToTree(a: PageFacts, b: PageFacts): boolean {
  const seen = ({ h1, issues, frontMatter: { title, icon, emoji } }: PageFacts) => [
    h1,
    issues,
    title,
    icon,
    emoji,
  ]
  return isDeepStrictEqual(seen(a), seen(b))
}

/** Takes a file away. */
export function removeFile(draft: Draft, path: string): void {
  if (filesBefore(draft).has(path)) draft.changed.set(path, null)
  else draft.changed.delete(path)
  draft.submitted.delete(path)
  draft.stale = true
}

/** Gives a file another path; it keeps its id. */
export function moveFile(draft: Draft, from: string, to: string): void {
  const file = fileAt(draft, from)
  if (!file) throw missing('file', from)
  const text = draft.submitted.get(from)
  const bytes = bytesAt(draft, from)
  if (bytes) draft.bytes.set(file.oid, bytes)
  removeFile(draft, from)
  put(draft, { ...file, path: to })
  if (text !== undefined) draft.submitted.set(to, text)
  draft.moved.set(to, draft.moved.get(from) ?? from)
  draft.moved.delete(from)
  draft.renamed.set(to, draft.renamed.get(from) ?? from)
  draft.renamed.delete(from)
}

/** Puts another source in place of the table of contents. `order` says which page stands where then; see `Draft`. */
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

/** What the tree reads of a blob. */
export function factsAt(draft: Draft, oid: string): PageFacts | undefined {
  const known = draft.facts.get(oid)
  if (known) return known
  const bytes = draft.bytes.get(oid)
  if (!bytes) return draft.source.input?.facts(oid)
  const facts = draft.source.input?.facts(oid) ?? readPageFacts(bytes)
  draft.facts.set(oid, facts)
  return facts
}

/** Remembers what became of a page, once for each. */
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

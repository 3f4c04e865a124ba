import { withinLimits } from '../../content/markdown/limits.ts'
import { factsVersion, type PageFacts, readPageFacts } from '../../content/page/facts.ts'
import { type Summary, summarySteps } from '../../content/summary/parse.ts'
import { summaryFrom } from '../../content/summary/reparse.ts'
import { decode } from '../../content/text/bytes.ts'
import { neededBlobs, pageFileSteps, type TreeInput } from '../../content/tree/build.ts'
import { configPath, readConfig } from '../../content/tree/config.ts'
import { readVariables } from '../../content/tree/variables.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { objectInfo, readBlob, streamBlobs, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { findEntry, listFiles, type TreeFile } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { inSlices, pauses, type Steps } from '../../lib/slices.ts'
import { findBlobFacts, putBlobFacts } from '../../store/git/blob-facts.ts'
import { note } from '../../store/note.ts'

/** Larger tables of contents are not read: the tree is inferred, with a notice. */
const summaryLimit = 8 * 1024 * 1024
/** Larger pages are shown, but only what the table of contents says of them. */
const factsLimit = 20 * 1024 * 1024

/** What a revision's tree is built from, but for its identity, and what deserves a word beside it. */
export type ReadContent = {
  input: Omit<TreeInput, 'identity'>
  files: readonly TreeFile[]
  notices: string[]
  /** False: the facts of some page could not be read. They can be, once the repository is mended. */
  whole: boolean
}

/**
 * Reads a tree of Git as content: settings, table of contents, variables, and the facts of its pages (each blob once, ever).
 * Throws GitError 'object_unreadable' when one of the first three is damaged: whoever took it for missing would show, and
 * write, another table of contents. A damaged page is there without its facts. `near` is the table of contents of another
 * revision: what both have of it is not read again.
 */
export async function readContent(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  tree: Oid,
  near?: Summary | null,
): Promise<ReadContent> {
  const { files, unnamed } = await listFiles(repo, tree)
  const notices = unnamed > 0 ? [`${unnamed} files are left out: their names are not usable text.`] : []
  const { config, summaryOid, ...settings } = await readSettings(repo, files)
  const summaryBytes = await readSmall(repo, summaryOid)
  const summary = (summaryOid && summaryBytes && (await readSummary(summaryOid, summaryBytes, near))) || null
  if (summaryOid && !summary)
    notices.push(`${config.summary} is too large to be read; the page tree is inferred.`)
  const { facts, whole } = await readFacts(ctx, repo, await inSlices(pageFileSteps(files, config, summary)))
  return {
    files,
    notices,
    whole,
    input: { spaceId, files, config, summary, facts: oid => facts.get(oid), ...settings },
  }
}

/**
 * What the tree of a view was built from, as `readContent` gives it: but for the list of files and the settings, all of
 * it is there. Throws GitError 'object_unreadable' like that.
 */
export async function readInput(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { treeOid, content }: RevisionView,
): Promise<ReadContent['input']> {
  const { files } = await listFiles(repo, treeOid as Oid)
  const { config, summaryOid, ...settings } = await readSettings(repo, files)
  const included = content.includes.map(include => include.oid)
  const { facts } = await readFacts(ctx, repo, included)
  for (const { file, facts: known } of content.pageByFile.values())
    if (file && known) facts.set(file.oid, known)
  return { spaceId, files, config, summary: content.summary, facts: oid => facts.get(oid), ...settings }
}

/** The settings and variables of a tree with these files, what is wrong in them, and the blob of its table of contents. */
async function readSettings(
  repo: Repository,
  files: readonly TreeFile[],
): Promise<Pick<TreeInput, 'config' | 'variables' | 'issues'> & { summaryOid: Oid | undefined }> {
  const { config, issues } = readConfig(await readSmall(repo, neededBlobs(files).config))
  const needed = neededBlobs(files, config)
  const read = readVariables(await readSmall(repo, needed.variables))
  return {
    config,
    variables: read.variables,
    issues: [
      ...issues.map(issue => ({ ...issue, path: configPath })),
      ...read.issues.map(issue => ({ ...issue, path: `${config.root}.gitbook/vars.yaml` })),
    ],
    summaryOid: needed.summary as Oid | undefined,
  }
}

/**
 * Returns the table of contents that is in force in a tree; null when the pages are inferred from the files. Throws GitError
 * 'object_unreadable'.
 */
export async function readSummaryOf(repo: Repository, tree: Oid): Promise<Summary | null> {
  const { config } = readConfig(await readSmall(repo, await findFile(repo, tree, configPath)))
  const oid = await findFile(repo, tree, config.summary)
  const bytes = await readSmall(repo, oid)
  return (oid && bytes && (await readSummary(oid, bytes))) || null
}

async function findFile(repo: Repository, tree: Oid, path: string): Promise<Oid | undefined> {
  const entry = await findEntry(repo, tree, path)
  return entry?.mode.startsWith('100') ? entry.oid : undefined
}

/** The bytes of a file; undefined when there is none, or it is too large. */
async function readSmall(repo: Repository, id: string | undefined): Promise<Buffer | undefined> {
  if (id === undefined) return undefined
  const oid = id as Oid
  try {
    const bytes = await readBlob(repo, oid, summaryLimit)
    if (!bytes) throw unreadable(oid)
    return bytes
  } catch (error) {
    if (isGitError(error, 'too_large')) return undefined
    throw error
  }
}

/** Tables of contents by blob, as long as somebody holds them: views do. */
const summaries = new Map<string, WeakRef<Summary>>()
const forgotten = new FinalizationRegistry<string>(oid => {
  if (!summaries.get(oid)?.deref()) summaries.delete(oid)
})

/** Reads a table of contents; gives undefined for one that is too large to be parsed. */
async function readSummary(
  oid: string,
  bytes: Uint8Array,
  near?: Summary | null,
): Promise<Summary | undefined> {
  const known = summaries.get(oid)?.deref()
  if (known) return known
  const { text } = decode(bytes)
  const read =
    (near && summaryFrom(near, text)) ?? (await inSlices(withinLimits(summarySteps(text), undefined)))
  if (!read) return undefined
  summaries.set(oid, new WeakRef(read))
  forgotten.register(read, oid)
  return read
}

/** An estimate of what the facts of a page hold in memory, in bytes, from their length as JSON. */
const weigh = (json: string): number => 200 + json.length * 2

/** The facts of blobs: those used lately from memory, those derived before from the store, the rest from Git, and kept. */
export async function readFacts(
  ctx: Context,
  repo: Repository,
  oids: readonly string[],
): Promise<{ facts: Map<string, PageFacts>; whole: boolean }> {
  const facts = new Map<string, PageFacts>()
  const absent = (oid: string) => !facts.has(oid)
  for (const oid of oids) {
    const known = ctx.facts.get(oid)
    if (known) facts.set(oid, known)
  }
  await inSlices(storedFacts(ctx, oids.filter(absent), facts))
  const unknown = oids.filter(absent) as Oid[]
  if (unknown.length === 0) return { facts, whole: true }
  let fresh: { oid: string; facts: string }[] = []
  const keep = () => {
    if (fresh.length > 0)
      note(() => ctx.store.transactUnsynced(() => putBlobFacts(ctx.store, 'blob_facts', factsVersion, fresh)))
    fresh = []
  }
  const pause = pauses()
  for await (const [oid, bytes] of streamReadable(repo, unknown, factsLimit)) {
    const read = readPageFacts(bytes)
    const text = JSON.stringify(read)
    facts.set(oid, read)
    ctx.facts.set(oid, read, weigh(text))
    fresh.push({ oid, facts: text })
    if (fresh.length === 1000) keep()
    await pause()
  }
  keep()
  const left = unknown.filter(absent)
  const infos = left.length > 0 ? await objectInfo(repo, left) : new Map<Oid, { size: number }>()
  return { facts, whole: left.every(oid => (infos.get(oid)?.size ?? 0) > factsLimit) }
}

/** Blobs as `streamBlobs` gives them, up to `limit` bytes; where one of them cannot be read, the others one by one. */
export async function* streamReadable(
  repo: Repository,
  oids: readonly Oid[],
  limit: number,
): AsyncGenerator<[Oid, Buffer]> {
  const left = new Set(oids)
  try {
    for await (const blob of streamBlobs(repo, oids, limit)) {
      left.delete(blob[0])
      yield blob
    }
  } catch (error) {
    if (!isGitError(error, 'object_unreadable')) throw error
    for (const oid of left) {
      const bytes = await readBlob(repo, oid, limit).catch(() => undefined)
      if (bytes) yield [oid, bytes]
    }
  }
}

function* storedFacts(ctx: Context, oids: readonly string[], facts: Map<string, PageFacts>): Steps<void> {
  for (let at = 0; at < oids.length; at += 500) {
    for (const [oid, text] of findBlobFacts(
      ctx.store,
      'blob_facts',
      oids.slice(at, at + 500),
      factsVersion,
    )) {
      const read = JSON.parse(text) as PageFacts
      facts.set(oid, read)
      ctx.facts.set(oid, read, weigh(text))
    }
    yield
  }
}

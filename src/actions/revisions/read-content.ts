import { cacheSlot } from '../../caches.ts'
import { withinLimits } from '../../content/markdown/limits.ts'
import { factsVersion, type PageFacts, readPageFacts } from '../../content/page/facts.ts'
import { type Summary, summarySteps } from '../../content/summary/parse.ts'
import { summaryFrom } from '../../content/summary/reparse.ts'
import { decode } from '../../content/text/bytes.ts'
import {
  type KeysByPath,
  neededBlobs,
  pageFileSteps,
  pathSteps,
  type TreeInput,
} from '../../content/tree/build.ts'
import { type ContentConfig, configPath } from '../../content/tree/config.ts'
import { readVariables, type Variables, variablesPath } from '../../content/tree/variables.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { objectInfo, readBlob, streamBlobs } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { listFiles, type TreeFile } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices, pauses, type Steps } from '../../lib/slices.ts'
import { findBlobFacts, putBlobFacts } from '../../store/git/blob-facts.ts'
import { note } from '../../store/note.ts'
import { findFile, readCategories, readConfigOf, readSmall } from './read-config.ts'

/** Larger pages are shown with only what the table of contents says about them. */
const factsLimit = 20 * 1024 * 1024

/** The input of a revision's page tree, except its identity, with notices for the reader. */
type ReadContent = {
  input: Omit<TreeInput, 'identity'>
  files: readonly TreeFile[]
  notices: string[]
  /** False: the facts of a page could not be read because the repository is damaged. */
  whole: boolean
}

/**
 * Reads a Git tree as content: settings, table of contents, variables, and the facts of its pages
 * (each blob once, ever). Throws GitError 'object_unreadable' if one of the first three is damaged:
 * treating it as missing would show, and write, another table of contents. A damaged page lacks its
 * facts. `near` is another revision's table of contents; common parts are not parsed again.
 */
export async function readContent(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  tree: Oid,
  near?: Summary | null,
): Promise<ReadContent> {
  const { files, unnamed, isTooLarge, ...read } = await readSources(repo, tree, near)
  const { config, summary } = read
  const notices =
    unnamed > 0 ? [`${unnamed} files are omitted: their names are not valid text.`] : []
  if (isTooLarge)
    notices.push(`${config.summary} is too large; the page tree is inferred from the files.`)

  const { facts, whole } = await readFacts(
    ctx,
    repo,
    await inSlices(pageFileSteps(files, config, summary)),
  )

  return {
    files,
    notices,
    whole,
    input: { spaceId, files, facts: oid => facts.get(oid), ...read },
  }
}

/** Reads the file list, the settings and the table of contents of a Git tree. */
async function readSources(repo: Repository, tree: Oid, near?: Summary | null) {
  const { files, unnamed } = await listFiles(repo, tree)
  const { summaryOid, ...settings } = await readSettings(repo, tree, files)
  const bytes = await readSmall(repo, summaryOid)
  const summary = (summaryOid && bytes && (await readSummary(summaryOid, bytes, near))) || null
  return { files, unnamed, summary, isTooLarge: summaryOid !== undefined && !summary, ...settings }
}

/**
 * The pages of a revision: their keys by path, and the settings and table of contents that they
 * come from.
 */
export type PagePaths = KeysByPath & {
  config: ContentConfig
  summary: Summary | null
}

/**
 * Returns the paths of the pages of a Git tree, reading only the pages at the paths `asking`, whose
 * front matter counts. Throws like `readContent`.
 */
export async function readPagePaths(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  tree: Oid,
  { near, asking }: { near?: Summary | null; asking: ReadonlySet<string> },
): Promise<PagePaths> {
  const { config, summary, ...sources } = await readSources(repo, tree, near)
  const oids = sources.files.flatMap(({ path, oid }) => (asking.has(path) ? [oid] : []))
  const { facts } = await readFacts(ctx, repo, oids)
  const input: Omit<TreeInput, 'identity'> = {
    ...sources,
    ...{ spaceId, config, summary },
    facts: oid => facts.get(oid),
  }
  return { ...(await inSlices(pathSteps(input))), config, summary }
}

/**
 * Returns the input that a view's tree was built from, like `readContent`, reading only the list of
 * files and the settings. Throws GitError 'object_unreadable'.
 */
export async function readInput(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { treeOid, content }: RevisionView,
): Promise<ReadContent['input']> {
  const { files } = await listFiles(repo, treeOid)
  const { config, summaryOid, ...settings } = await readSettings(repo, treeOid, files)
  const included = content.includes.map(include => include.oid)
  const { facts } = await readFacts(ctx, repo, included)

  for (const { file, facts: known } of content.pageByFile.values())
    if (file && known) facts.set(file.oid, known)

  return {
    spaceId,
    files,
    config,
    summary: content.summary,
    facts: oid => facts.get(oid),
    ...settings,
  }
}

/**
 * Returns the settings and variables of a tree with these files, their issues, and the blob of its
 * table of contents.
 */
async function readSettings(
  repo: Repository,
  tree: Oid,
  files: readonly TreeFile[],
): Promise<Pick<TreeInput, 'config' | 'variables' | 'issues'> & { summaryOid: Oid | undefined }> {
  const { config, issues } = await readConfigOf(repo, tree, files)
  const needed = neededBlobs(files, config)
  const categories =
    needed.summary || config.navigation?.groups
      ? undefined
      : await readCategories(repo, files, config.root)
  const read = readVariables(await readSmall(repo, needed.variables))

  return {
    config: { ...config, ...(categories && { categories }) },
    variables: read.variables,
    issues: [
      ...(needed.summary ? [] : untaken(config)),
      ...issues.map(issue => ({ ...issue, path: configPath })),
      ...read.issues.map(issue => ({ ...issue, path: `${config.root}.gitbook/vars.yaml` })),
    ],
    summaryOid: needed.summary,
  }
}

/** Returns why the settings of another tool do not list the pages. */
const untaken = ({ navigation }: ContentConfig): { message: string; path: string }[] =>
  navigation && !navigation.groups
    ? navigation.notTaken.map(what => ({ message: `${what}.`, path: navigation.path }))
    : []

/**
 * Returns the table of contents of a tree; null if its pages are inferred from the files. Throws
 * GitError 'object_unreadable'.
 */
export async function readSummaryOf(repo: Repository, tree: Oid): Promise<Summary | null> {
  const { config } = await readConfigOf(repo, tree)
  const oid = await findFile(repo, tree, config.summary)
  const bytes = await readSmall(repo, oid)
  return (oid && bytes && (await readSummary(oid, bytes))) || null
}

/** Returns the variables of a tree or commit. Throws GitError 'object_unreadable'. */
export async function readVariablesOf(repo: Repository, tree: Oid): Promise<Variables> {
  const { config } = await readConfigOf(repo, tree)
  return readVariables(
    await readSmall(repo, await findFile(repo, tree, config.root + variablesPath)),
  ).variables
}

/**
 * Parsed tables of contents by blob, while a view holds them. Shared by all contexts: a blob id
 * determines the result.
 */
const summaries = new Map<string, WeakRef<Summary>>()
const collected = new FinalizationRegistry<string>(oid => {
  if (!summaries.get(oid)?.deref()) summaries.delete(oid)
})

/** Parses a table of contents; undefined if it exceeds the parser's limits. */
async function readSummary(
  oid: Oid,
  bytes: Uint8Array,
  near?: Summary | null,
): Promise<Summary | undefined> {
  const known = summaries.get(oid)?.deref()
  if (known) return known
  const { text } = decode(bytes)
  const read =
    (near && summaryFrom(near, text)) ??
    (await inSlices(withinLimits(summarySteps(text), undefined)))
  if (!read) return undefined
  summaries.set(oid, new WeakRef(read))
  collected.register(read, oid)

  return read
}

/** Estimates the memory of a page's facts in bytes from their length as JSON. */
const weigh = (json: string): number => 200 + json.length * 2

const factCache = cacheSlot<PageFacts>('facts')

/**
 * Returns the facts of blobs, from memory, from the store, or read from Git and stored. `whole` is
 * false if a blob could not be read.
 */
export async function readFacts(
  ctx: Context,
  repo: Repository,
  oids: readonly Oid[],
): Promise<{ facts: Map<string, PageFacts>; whole: boolean }> {
  const cached = ctx.caches.get(factCache)
  const facts = new Map<string, PageFacts>()
  const absent = (oid: Oid) => !facts.has(oid)

  for (const oid of oids) {
    const known = cached.get(oid)
    if (known) facts.set(oid, known)
  }

  await inSlices(storedFacts(ctx, oids.filter(absent), facts))
  const unknown = oids.filter(absent)
  if (unknown.length === 0) return { facts, whole: true }

  let fresh: { oid: Oid; facts: string }[] = []
  const mayKeep = ctx.store.watchErasing()
  const keep = () => {
    if (fresh.length > 0)
      note(() =>
        ctx.store.keep(mayKeep, () => putBlobFacts(ctx.store, 'blob_facts', factsVersion, fresh)),
      )
    fresh = []
  }
  const pause = pauses()

  for await (const [oid, bytes] of streamReadable(repo, unknown, factsLimit)) {
    const read = readPageFacts(bytes)
    const text = JSON.stringify(read)
    facts.set(oid, read)
    cached.set(oid, read, weigh(text))
    fresh.push({ oid, facts: text })
    if (fresh.length === 1000) keep()
    await pause()
  }

  keep()
  const left = unknown.filter(absent)
  const infos = left.length > 0 ? await objectInfo(repo, left) : new Map<Oid, { size: number }>()

  return { facts, whole: left.every(oid => (infos.get(oid)?.size ?? 0) > factsLimit) }
}

/** Streams blobs like `streamBlobs`, up to `limit` bytes each, skipping unreadable ones. */
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

function* storedFacts(
  ctx: Context,
  oids: readonly Oid[],
  facts: Map<string, PageFacts>,
): Steps<void> {
  for (let at = 0; at < oids.length; at += 500) {
    for (const [oid, text] of findBlobFacts(
      ctx.store,
      'blob_facts',
      oids.slice(at, at + 500),
      factsVersion,
    )) {
      const read = JSON.parse(text) as PageFacts
      facts.set(oid, read)
      ctx.caches.get(factCache).set(oid, read, weigh(text))
    }
    yield
  }
}

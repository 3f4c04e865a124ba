import { decode } from '../content/bytes.ts'
import { configPath, readConfig } from '../content/config.ts'
import { factsVersion, type PageFacts, readPageFacts } from '../content/page.ts'
import { parseSummary } from '../content/summary.ts'
import { neededBlobs, pageFilesOf, type TreeInput } from '../content/tree.ts'
import { readVariables } from '../content/variables.ts'
import type { Context } from '../context.ts'
import { readBlob, streamBlobs } from '../git/objects.ts'
import type { Oid } from '../git/oid.ts'
import type { Repository } from '../git/repository.ts'
import { listFiles, type TreeFile } from '../git/tree-files.ts'
import { findBlobFacts, putBlobFacts } from '../store/blob-facts.ts'
import { note } from '../store/note.ts'

/** Larger tables of contents are not read: the tree is inferred, with a notice. */
const summaryLimit = 8 * 1024 * 1024
/** Larger pages are shown, but only what the table of contents says of them. */
const factsLimit = 20 * 1024 * 1024

/** What a revision's tree is built from, but for its identity, and what deserves a word beside it. */
export type ReadContent = {
  input: Omit<TreeInput, 'identity'>
  files: readonly TreeFile[]
  notices: string[]
}

/** Reads a tree of Git as content: settings, table of contents, variables, and the facts of its pages (each blob once, ever). */
export async function readContent(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  tree: Oid,
): Promise<ReadContent> {
  const { files, unnamed } = await listFiles(repo, tree)
  const notices = unnamed > 0 ? [`${unnamed} files are left out: their names are not usable text.`] : []
  const small = async (oid: string | undefined) =>
    oid === undefined ? undefined : await readBlob(repo, oid as Oid, summaryLimit).catch(() => undefined)

  const { config, issues } = readConfig(await small(neededBlobs(files).config))
  const needed = neededBlobs(files, config)
  const [summaryBytes, variableBytes] = await Promise.all([small(needed.summary), small(needed.variables)])
  if (needed.summary && !summaryBytes)
    notices.push(`${config.summary} is too large to be read; the page tree is inferred.`)
  const summary = summaryBytes ? parseSummary(decode(summaryBytes).text) : null
  const variables = readVariables(variableBytes)
  const facts = await readFacts(ctx, repo, pageFilesOf(files, config, summary))
  return {
    files,
    notices,
    input: {
      spaceId,
      files,
      config,
      summary,
      facts: oid => facts.get(oid),
      variables: variables.variables,
      issues: [
        ...issues.map(issue => ({ ...issue, path: configPath })),
        ...variables.issues.map(issue => ({ ...issue, path: `${config.root}.gitbook/vars.yaml` })),
      ],
    },
  }
}

/** An estimate of what the facts of a page hold in memory, in bytes, from their length as JSON. */
const weigh = (json: string): number => 200 + json.length * 2

/** The facts of blobs: those used lately from memory, those derived before from the store, the rest from Git, and kept. */
async function readFacts(
  ctx: Context,
  repo: Repository,
  oids: readonly string[],
): Promise<Map<string, PageFacts>> {
  const facts = new Map<string, PageFacts>()
  const absent = (oid: string) => !facts.has(oid)
  for (const oid of oids) {
    const known = ctx.facts.get(oid)
    if (known) facts.set(oid, known)
  }
  for (const [oid, text] of findBlobFacts(ctx.store, oids.filter(absent), factsVersion)) {
    const read = JSON.parse(text) as PageFacts
    facts.set(oid, read)
    ctx.facts.set(oid, read, weigh(text))
  }
  const unknown = oids.filter(absent) as Oid[]
  if (unknown.length === 0) return facts
  const fresh: { oid: string; facts: string }[] = []
  for await (const [oid, bytes] of streamBlobs(repo, unknown, factsLimit)) {
    const read = readPageFacts(bytes)
    const text = JSON.stringify(read)
    facts.set(oid, read)
    ctx.facts.set(oid, read, weigh(text))
    fresh.push({ oid, facts: text })
  }
  note(() => putBlobFacts(ctx.store, factsVersion, fresh))
  return facts
}

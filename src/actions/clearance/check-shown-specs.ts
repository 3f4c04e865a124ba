import { slugSteps } from '../../content/openapi/blocks.ts'
import { slugOfSource } from '../../content/openapi/page.ts'
import { openapiEntries } from '../../content/openapi/pages.ts'
import type { SummaryEntry } from '../../content/summary/parse.ts'
import { decode } from '../../content/text/bytes.ts'
import { type ContentTree, treeSteps } from '../../content/tree/build.ts'
import { readComputed } from '../../content/tree/computed.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { arrivingBlobs, arrivingCommits, type Held } from '../../git/history/arriving.ts'
import { readCommit, readCommits, streamBlobs, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import { headsBelow } from '../repositories/head-of.ts'
import { contentRefs } from '../repositories/ref-names.ts'
import { noIdentity } from '../revisions/identity.ts'
import { readContent, readSummaryOf } from '../revisions/read-content.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import type { Arrival } from './arrival.ts'

/**
 * Throws Fault 'forbidden' when a commit that becomes content on behalf of a guest would show an
 * OpenAPI spec that the content does not show already. Checks the result, independent of how it was
 * made: every revision that can be read once `head` is content. A spec is shown by an entry of a
 * revision's table of contents, and by a block on a page or in reusable content. Blocks in new
 * files that are not pages count too: another table of contents could list them later.
 */
export const checkShownSpecs = (
  ctx: Context,
  repo: Repository,
  spaceId: string,
  arrival: Arrival,
): Promise<void> =>
  checkShown(arrival, {
    repo,
    held: { commits: arrival.beside, refs: contentRefs },
    readHead: async () => (await viewRevision(ctx, spaceId, arrival.head)).content,
    readBeside: async oid => (await viewRevision(ctx, spaceId, oid)).content,
  })

/**
 * Throws like `checkShownSpecs`, for a commit whose objects are in a quarantine of the repository
 * of the space. Nothing is cached under the name of the space, which may never have the commit.
 */
export async function checkSpecsInQuarantine(
  ctx: Context,
  { repo, target }: { repo: Repository; target: Repository },
  spaceId: string,
  arrival: Arrival,
): Promise<void> {
  // A quarantine has no refs.
  const refs = await Promise.all(contentRefs.map(prefix => headsBelow(ctx, spaceId, prefix)))
  const read = async (oid: Oid) => {
    const commit = await readCommit(repo, oid)
    if (!commit) throw unreadable(oid)
    const { input } = await readContent(ctx, repo, spaceId, commit.tree)
    // Identities of pages do not decide which files are shown.
    return inSlices(treeSteps({ ...input, identity: noIdentity }))
  }
  const commits = [...new Set([...arrival.beside, ...refs.flatMap(each => [...each.values()])])]
  await checkShown(arrival, {
    repo,
    held: { commits, refs: [] },
    readHead: () => read(arrival.head),
    // An edit may follow another one that is in the same quarantine.
    readBeside: async oid =>
      (await readCommit(target, oid)) ? (await viewRevision(ctx, spaceId, oid)).content : read(oid),
  })
}

type CheckedContent = {
  /** Has the objects of the commit. */
  repo: Repository
  held: Held
  /** Reads the content of the commit. */
  readHead: () => Promise<ContentTree>
  /** Reads the content of a commit beside it. */
  readBeside: (oid: Oid) => Promise<ContentTree>
}

async function checkShown(
  { head, beside }: Arrival,
  { repo, held, readHead, readBeside }: CheckedContent,
): Promise<void> {
  const commits = await arrivingCommits(repo, head, held)
  if (commits.length === 0) return
  const before: ContentTree[] = []
  for (const oid of beside) before.push(await readBeside(oid))
  let known: ReadonlySet<string> | undefined
  const check = async (slugs: Iterable<string>) => {
    for (const slug of slugs) {
      known ??= await shownIn(repo, before)
      if (!known.has(slug)) throw notVisible(slug)
    }
  }

  await check(await entriesOf(repo, commits))
  await check(await blocksIn(repo, await arrivingBlobs(repo, head, held)))
  const content = await readHead()
  const shown = new Set(before.flatMap(tree => [...textsOf(tree)]))

  await check(
    await blocksIn(
      repo,
      [...textsOf(content)].filter(oid => !shown.has(oid)),
    ),
  )
}

/** Returns the slugs that entries name in the tables of contents of these commits. */
async function entriesOf(repo: Repository, commits: readonly Oid[]): Promise<Set<string>> {
  const slugs = new Set<string>()
  const trees = new Set([...(await readCommits(repo, commits)).values()].map(({ tree }) => tree))
  const seen = new Set<unknown>()

  for (const tree of trees) {
    const summary = await readSummaryOf(repo, tree)
    if (!summary || seen.has(summary)) continue
    seen.add(summary)
    for (const { entries } of summary.groups) for (const slug of namedBy(entries)) slugs.add(slug)
  }

  return slugs
}

const namedBy = (entries: readonly SummaryEntry[]): string[] =>
  entries.flatMap(({ yaml, children }) => {
    const slug = yaml === undefined ? undefined : slugOfSource(readComputed(yaml).computed)
    return [...(slug === undefined ? [] : [slug]), ...namedBy(children)]
  })

/** Returns the slugs that trees show in their entries, pages and reusable content. */
async function shownIn(repo: Repository, trees: readonly ContentTree[]): Promise<Set<string>> {
  const entries = trees.flatMap(tree => openapiEntries(tree))
  const slugs = entries.flatMap(({ computed }) => slugOfSource(computed) ?? [])
  const blocks = await blocksIn(repo, new Set(trees.flatMap(tree => [...textsOf(tree)])))
  return new Set([...slugs, ...blocks])
}

/** Yields the blobs whose blocks readers see. */
function* textsOf({ pageByFile, includes }: ContentTree): Generator<Oid> {
  for (const { file } of pageByFile.values()) if (file) yield file.oid
  for (const { oid } of includes) yield oid
}

/** Returns the slugs that the blocks in these blobs name. */
async function blocksIn(repo: Repository, blobs: Iterable<Oid>): Promise<Set<string>> {
  const slugs = new Set<string>()
  for await (const [, bytes] of streamBlobs(repo, blobs)) {
    if (!bytes.includes('openapi')) continue
    for (const slug of await inSlices(slugSteps(decode(bytes).text))) slugs.add(slug)
  }
  return slugs
}

const notVisible = (slug: string) =>
  new Fault(
    'beyond_your_rights',
    `You do not have access to the OpenAPI specs of this organization, so you cannot show "${slug}" in this space. Ask a member of the organization to make this change.`,
  )

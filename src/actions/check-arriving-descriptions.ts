import type { Context } from '../context.ts'
import { arrivingBlobs } from '../git/arriving-blobs.ts'
import { streamBlobs } from '../git/objects.ts'
import type { Oid } from '../git/oid.ts'
import { readRef } from '../git/refs.ts'
import { defaultBranch, type Repository } from '../git/repository.ts'
import type { SpaceRow, UserRow } from '../store/rows.ts'
import { allNamedIn, seesDescriptions } from './check-named-descriptions.ts'
import { slugsOnPage } from './resolve-blocks.ts'
import { SyncFailure } from './sync-failure.ts'
import { viewRevision } from './view-revision.ts'

/** Where what was fetched is kept, whatever became of it. */
const fetched = ['refs/stemma/remotes/', 'refs/stemma/projects/']

/**
 * Throws SyncFailure where a commit was fetched for somebody who may not see the organization's OpenAPI descriptions, such
 * as a guest, and it, or its history, names one that the content does not name now: whoever reads the space would be
 * shown it.
 */
export async function checkArrivingDescriptions(
  ctx: Context,
  repo: Repository,
  { space, by }: { space: Pick<SpaceRow, 'id' | 'organization_id'>; by: Pick<UserRow, 'id'> },
  commit: Oid,
): Promise<void> {
  if (seesDescriptions(ctx, space, by)) return
  let known: ReadonlySet<string> | undefined
  for await (const [, bytes] of streamBlobs(repo, await arrivingBlobs(repo, commit, fetched))) {
    if (!bytes.includes('openapi')) continue
    for (const name of await allNamedIn(bytes)) {
      known ??= await namedNow(ctx, repo, space.id)
      if (!known.has(name)) throw unseen(name)
    }
  }
}

/** What the primary content names. */
async function namedNow(ctx: Context, repo: Repository, spaceId: string): Promise<Set<string>> {
  const named = new Set<string>()
  const head = await readRef(repo, await defaultBranch(repo))
  if (!head) return named
  const { content } = await viewRevision(ctx, spaceId, head)
  for (const name of await allNamedIn(Buffer.from(content.summary?.source ?? ''))) named.add(name)
  const files = [...content.pageByFile.values()].flatMap(({ file }) => file ?? [])
  for (const file of [...files, ...content.includes])
    for (const slug of await slugsOnPage(repo, { file })) named.add(slug)
  return named
}

const unseen = (name: string) =>
  new SyncFailure(
    `The repository names the OpenAPI description "${name.replace(/\s+/g, ' ').slice(0, 100)}", and you may not see those of this organization: ask one of its members to do this.`,
  )

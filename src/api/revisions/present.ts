import type { z } from 'zod'
import type { Commit } from '../../git/values/parse.ts'
import { webAddress } from '../../lib/web-address.ts'
import type { ServiceCommitKind } from '../../store/tables/git.ts'
import type { RevisionSummary } from './schema.ts'

type GitFields = z.input<typeof RevisionSummary>['git']
type Type = z.input<typeof RevisionSummary>['type']

/** How the service made a commit, as its rows say; undefined: it came from elsewhere, whatever its words claim. */
type Made = ServiceCommitKind | undefined

/**
 * Presents what Git says of a commit, and whether the service made it. `commitUrl` is what the addresses of commits begin
 * with, where they are hosted.
 */
export function presentGit(
  commit: { oid: string; message: string },
  { made, commitUrl, ref }: { made: Made; commitUrl?: string | null | undefined; ref?: string | undefined },
): GitFields {
  const byService = made !== undefined
  const address = webAddress(commitUrl)
  return {
    oid: commit.oid,
    message: commit.message,
    createdByService: byService,
    createdByGitBook: byService,
    ...(address && { url: `${address.replace(/\/?$/, '/')}${commit.oid}` }),
    ...(ref !== undefined && { ref }),
  }
}

/** How a revision came to be. */
export const typeOf = (made: Made): Type => (made === 'merge' || made === 'update' ? made : 'edits')

/** A revision in a list: who, when and what, without its content. `base` is what `urls.*` begin with. */
export function presentSummary(
  commit: Commit,
  shown: {
    spaceId: string
    made: Made
    commitUrl: string | null | undefined
    path: string | undefined
    base: string
  },
): z.input<typeof RevisionSummary> {
  const location = `${shown.base}/v1/spaces/${shown.spaceId}/revisions/${commit.oid}`
  return {
    object: 'revision',
    id: commit.oid,
    parents: commit.parents,
    type: typeOf(shown.made),
    message: commit.message.trim().split(/\r?\n/, 1)[0] ?? '',
    author: { name: commit.author.name, email: commit.author.email },
    ...(shown.path !== undefined && { path: shown.path }),
    createdAt: timeOf(commit.committer.at),
    git: presentGit(commit, { made: shown.made, commitUrl: shown.commitUrl }),
    urls: { app: location, location },
  }
}

/** The time of a commit as the API writes it; commits from elsewhere may bear dates that no calendar has. */
export function timeOf(seconds: number): string {
  const latest = 253_402_300_799
  return new Date(Math.min(Math.max(seconds, 0), latest) * 1000).toISOString()
}

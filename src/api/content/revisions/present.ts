import type { z } from 'zod'
import { addressesInApp } from '../../../actions/app-addresses.ts'
import { timeOf } from '../../../git/values/commit-time.ts'
import type { Commit } from '../../../git/values/parse.ts'
import { webAddress } from '../../../lib/web-address.ts'
import type { ServiceCommitKind } from '../../../store/tables/git.ts'
import type { RevisionSummary } from './schema.ts'

type GitFields = z.input<typeof RevisionSummary>['git']
type Type = z.input<typeof RevisionSummary>['type']

/**
 * How the service created a commit, by its own records; undefined for a commit from elsewhere,
 * whatever its message claims.
 */
type CommitOrigin = ServiceCommitKind | undefined

/**
 * Returns the Git metadata of a commit, and whether the service created it. `commitUrl` is the
 * prefix of the commits' URLs on the hosting service.
 */
export function presentGit(
  commit: { oid: string; message: string },
  {
    made,
    commitUrl,
    ref,
  }: { made: CommitOrigin; commitUrl?: string | null | undefined; ref?: string | undefined },
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

/** Returns the type of a revision. */
export const typeOf = (made: CommitOrigin): Type =>
  made === 'merge' || made === 'update' ? made : 'edits'

/**
 * Returns a revision in a list: author, time and message, without content. `base` is the prefix of
 * `urls.*`.
 */
export function presentSummary(
  commit: Commit,
  shown: {
    spaceId: string
    made: CommitOrigin
    commitUrl: string | null | undefined
    path: string | undefined
    base: string
  },
): z.input<typeof RevisionSummary> {
  const location = `${shown.base}/v1/spaces/${shown.spaceId}/revisions/${commit.oid}`
  const { content: app } = addressesInApp(shown.base, shown.spaceId, commit.oid)
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
    urls: { app, location },
  }
}

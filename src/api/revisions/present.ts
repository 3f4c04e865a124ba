import type { z } from 'zod'
import { service } from '../../actions/people.ts'
import type { Commit } from '../../git/parse.ts'
import type { RevisionSummary } from './schema.ts'

type GitFields = z.input<typeof RevisionSummary>['git']
type Type = z.input<typeof RevisionSummary>['type']

const serviceEmail = service(new Date(0)).email

/** What Git says of a commit. `commitUrl` is what the addresses of commits begin with, where they are hosted. */
export function presentGit(
  commit: { oid: string; message: string; committer: { email: string } },
  { commitUrl, ref }: { commitUrl?: string | null | undefined; ref?: string | undefined },
): GitFields {
  const byService = commit.committer.email === serviceEmail
  return {
    oid: commit.oid,
    message: commit.message,
    createdByService: byService,
    createdByGitBook: byService,
    ...(commitUrl && { url: `${commitUrl.replace(/\/?$/, '/')}${commit.oid}` }),
    ...(ref !== undefined && { ref }),
  }
}

/** How a revision came to be: `merged` says that it is where a change request was merged. */
export function typeOf(commit: { message: string; committer: { email: string } }, merged: boolean): Type {
  if (merged) return 'merge'
  const ours = commit.committer.email === serviceEmail
  const update = /^Stemma-Operation: update\b/m.test(commit.message)
  return ours && update && /^Stemma-Change-Request: \d/m.test(commit.message) ? 'update' : 'edits'
}

/** A revision in a list: who, when and what, without its content. `base` is what `urls.*` begin with. */
export function presentSummary(
  commit: Commit,
  shown: {
    spaceId: string
    merged: boolean
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
    type: typeOf(commit, shown.merged),
    message: commit.message.trim().split(/\r?\n/, 1)[0] ?? '',
    author: { name: commit.author.name, email: commit.author.email },
    ...(shown.path !== undefined && { path: shown.path }),
    createdAt: timeOf(commit.committer.at),
    git: presentGit(commit, { commitUrl: shown.commitUrl }),
    urls: { app: location, location },
  }
}

/** The time of a commit as the API writes it; commits from elsewhere may bear dates that no calendar has. */
export function timeOf(seconds: number): string {
  const latest = 253_402_300_799
  return new Date(Math.min(Math.max(seconds, 0), latest) * 1000).toISOString()
}

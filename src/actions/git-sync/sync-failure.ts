import { Fault } from '../../errors.ts'
import { GitError, type GitErrorCode } from '../../git/values/errors.ts'

export type SyncConflict = { path: string; type: string }

/** Why a Git import or export ended: one sentence that a person can act on, with the paths in conflict where there are any. */
export class SyncFailure extends Error {
  readonly conflicts: readonly SyncConflict[] | undefined

  constructor(message: string, conflicts?: readonly SyncConflict[]) {
    super(message)
    this.name = 'SyncFailure'
    this.conflicts = conflicts
  }
}

/** What to tell of an error of the Git room; a code that is not here is our own trouble. */
const sentences: Partial<Record<GitErrorCode, string>> = {
  auth_failed: 'The repository refused the credentials: check the user and the password or token in the URL.',
  not_found: 'There is no repository at this URL, or the credentials may not see it.',
  unreachable: 'The server of the repository could not be reached: check the URL, or try again later.',
  tls: 'The certificate of the server could not be verified: it must be valid for the host in the URL.',
  redirected: 'The server sends this URL elsewhere: use the address that it redirects to.',
  too_slow: 'The server of the repository sends too slowly (less than 64 kB per second): try again later.',
  timeout: 'The server of the repository took too long to answer: try again later.',
  too_large: 'The repository is larger than is taken.',
  too_many_files: 'The repository has more files than is taken (100,000).',
  too_many_refs: 'The repository has more branches than is taken.',
  too_deep: 'The repository has folders nested deeper than is taken (64 levels).',
  bad_objects:
    'The repository holds objects that Git refuses as broken or unsafe: check it with "git fsck --strict".',
  rejected: 'The repository refused the push: the branch may be protected, or the credentials may not write.',
  no_space: 'The disk of this server is full: make room and try again.',
  busy: 'The server has too much to do at once: try again in a minute.',
  remote_scheme:
    'Only https: repositories are taken; http: only when the server runs with STEMMA_ALLOW_PRIVATE_REMOTES=true.',
  remote_port:
    'The port in the URL belongs to another protocol than HTTP: use the port of the web server, usually 443.',
  remote_invalid: 'The URL of the repository is not valid.',
  remote_blocked:
    'The host of the repository has a private or reserved address, which this server talks to only when it runs with STEMMA_ALLOW_PRIVATE_REMOTES=true.',
  dumb_http:
    "The server of the repository does not speak Git's smart HTTP protocol (it serves plain files, known as dumb HTTP): use a Git server that does.",
  unrelated:
    'The two histories have no commit in common. Use "force" (--force) to keep the files of both sides, or "replace" (--replace) to keep only those of the repository in an import, or of the space in an export.',
}

/** Which limit it was, and how it can be raised where it can. */
function tooLarge(what: string, limit: number): string {
  const mega = `${Math.floor(limit / 1024 ** 2)} MB`
  if (what === 'packBytes') return `An import brings ${mega} at most (STEMMA_MAX_IMPORT_PACK_MB).`
  if (what === 'repositoryBytes') return `A space holds ${mega} at most (STEMMA_MAX_REPOSITORY_MB).`
  if (what === 'blobBytes') return `A file has ${mega} at most.`
  if (what === 'objects') return `It has ${limit} objects at most.`
  return 'It unfolds to more than an import may take of memory and time.'
}

/** The failure to report for whatever was thrown; undefined for trouble of our own, which the log gets. */
export function syncFailureOf(error: unknown): SyncFailure | undefined {
  if (error instanceof SyncFailure) return error
  if (error instanceof Fault) return new SyncFailure(error.message)
  const sentence = error instanceof GitError ? sentences[error.code] : undefined
  if (!(error instanceof GitError) || sentence === undefined) return undefined
  const { instead, what, limit } = error.detail
  if (error.code === 'too_large' && typeof what === 'string')
    return new SyncFailure(`${sentence} ${tooLarge(what, Number(limit))}`)
  return new SyncFailure(instead === undefined ? sentence : `${sentence} Write it as ${String(instead)}.`)
}

import { Fault } from '../../errors.ts'
import { GitError, type GitErrorCode } from '../../git/values/errors.ts'
import type { Conflict } from '../revisions/name-conflicts.ts'

/** `ours` is the side of the space. */
type SyncConflict = Omit<Conflict, 'page'>

/**
 * The reason why a Git import or export failed: one sentence to act on, with the conflicting paths,
 * if any.
 */
export class SyncFailure extends Error {
  readonly conflicts: readonly SyncConflict[] | undefined

  constructor(message: string, conflicts?: readonly SyncConflict[]) {
    super(message)
    this.name = 'SyncFailure'
    this.conflicts = conflicts
  }
}

/** Messages for errors of the Git room; codes not listed here are internal errors. */
const messages: Partial<Record<GitErrorCode, string>> = {
  auth_failed:
    'The repository refused the credentials. Check the user and the password or token in the URL.',
  not_found: 'There is no repository at this URL, or the credentials have no access to it.',
  unreachable:
    'The server of the repository could not be reached. Check the URL, or try again later.',
  tls: 'The TLS certificate of the server could not be verified. It must be valid for the host in the URL.',
  redirected: 'The server redirects this URL. Use the address that it redirects to.',
  too_slow:
    'The server of the repository sends too slowly (less than 64 kB per second). Try again later.',
  timeout: 'The server of the repository took too long to answer. Try again later.',
  too_large: 'The repository is too large.',
  too_many_files: 'The repository has more than 100,000 files.',
  too_many_refs: 'The repository has too many branches.',
  too_deep: 'The repository has folders nested deeper than 64 levels.',
  bad_objects:
    'The repository has objects that Git rejects as broken or unsafe. Check it with "git fsck --strict".',
  rejected:
    'The repository refused the push. The branch may be protected, or the credentials may lack write access.',
  no_space: 'The disk of the server is full. Free disk space and try again.',
  busy: 'The server is busy. Try again in a minute.',
  remote_scheme:
    'Only https: URLs are allowed; http: only if the server runs with STEMMA_ALLOW_PRIVATE_REMOTES=true.',
  remote_port:
    'The port in the URL is reserved for a protocol other than HTTP. Use the port of the web server, usually 443.',
  remote_invalid: 'The URL of the repository is not valid.',
  remote_blocked:
    'The host of the repository has a private or reserved address. The server only connects to it if it runs with STEMMA_ALLOW_PRIVATE_REMOTES=true.',
  dumb_http:
    "The server of the repository does not speak Git's smart HTTP protocol (it serves plain files, known as dumb HTTP). Use a Git server that does.",
  unrelated:
    'The two histories have no commit in common. Use "force" (--force) to keep the files of both sides, or "replace" (--replace) to keep only those of the repository in an import, or of the space in an export.',
}

/** Returns which limit was exceeded, and how to raise it, if possible. */
function tooLarge(what: string, limit: number): string {
  const mega = `${Math.floor(limit / 1024 ** 2)} MB`
  if (what === 'packBytes')
    return `The download is larger than ${mega}, the limit of an import (STEMMA_MAX_IMPORT_PACK_MB).`
  if (what === 'repositoryBytes')
    return `The space would be larger than ${mega}, the limit of a space (STEMMA_MAX_REPOSITORY_MB).`
  if (what === 'blobBytes') return `A file is larger than ${mega}, the limit of a file.`
  if (what === 'objects')
    return `The download has more than ${limit} objects, the limit of an import.`

  return 'Unpacking the download takes more memory or time than an import may use.'
}

/** Returns the failure to report for an error; undefined for internal errors, which are logged. */
export function syncFailureOf(error: unknown): SyncFailure | undefined {
  if (error instanceof SyncFailure) return error
  if (error instanceof Fault) return new SyncFailure(error.message)
  const message = error instanceof GitError ? messages[error.code] : undefined
  if (!(error instanceof GitError) || message === undefined) return undefined

  const { instead, what, limit } = error.detail
  if (error.code === 'too_large' && typeof what === 'string')
    return new SyncFailure(`${message} ${tooLarge(what, Number(limit))}`)

  return new SyncFailure(
    instead === undefined ? message : `${message} Write it as ${String(instead)}.`,
  )
}

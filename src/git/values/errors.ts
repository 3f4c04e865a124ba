/** What can go wrong in the Git room, as a closed list: callers switch on these, never on Git's own words. */
export type GitErrorCode =
  | 'ref_moved'
  | 'ref_locked'
  | 'ref_conflict'
  | 'ref_invalid'
  | 'not_found'
  | 'unrelated'
  | 'path_conflict'
  | 'path_invalid'
  | 'too_many_files'
  | 'too_deep'
  | 'too_large'
  | 'too_many_refs'
  | 'object_unreadable'
  | 'bad_objects'
  | 'no_space'
  | 'config_changed'
  | 'busy'
  | 'timeout'
  | 'too_slow'
  | 'aborted'
  | 'auth_failed'
  | 'unreachable'
  | 'tls'
  | 'redirected'
  | 'dumb_http'
  | 'rejected'
  | 'remote_scheme'
  | 'remote_invalid'
  | 'remote_blocked'
  | 'remote_port'
  | 'unsupported_git'
  | 'failed'

/** An error of the Git room: a code to act on, and a detail that is safe to show. */
export class GitError extends Error {
  readonly code: GitErrorCode
  readonly detail: Readonly<Record<string, unknown>>
  /** The end of what Git said, for the operator's log alone: without control characters, never for users. */
  readonly trace: string | undefined

  constructor(
    code: GitErrorCode,
    message: string,
    detail: Readonly<Record<string, unknown>> = {},
    trace?: string,
  ) {
    super(message)
    this.name = 'GitError'
    this.code = code
    this.detail = detail
    // Not enumerable, so that a logger or a response that spreads the error does not carry it along.
    Object.defineProperty(this, 'trace', {
      value: trace === undefined ? undefined : tail(trace),
      enumerable: false,
    })
  }
}

/** Whether the error is a GitError, with this code when one is given. */
export const isGitError = (error: unknown, code?: GitErrorCode): error is GitError =>
  error instanceof GitError && (code === undefined || error.code === code)

/**
 * The error for a git command that ended badly, told from its stderr. `what` names the work, e.g. "merge".
 */
export function commandError(what: string, code: number | null, stderr: string): GitError {
  for (const [pattern, name, sentence] of commandFaults)
    if (pattern.test(stderr)) return new GitError(name, sentence, {}, stderr)
  return new GitError('failed', `Git could not finish: ${what}.`, { exit: code }, stderr)
}

/** The error for a ref transaction that was refused, told from the stderr of `update-ref --stdin`. */
export function refError(stderr: string): GitError {
  for (const [pattern, name, sentence] of refFaults) {
    const ref = pattern.exec(stderr)?.[1]
    if (ref !== undefined) return new GitError(name, sentence, { ref }, stderr)
  }
  return commandError('move refs', 128, stderr)
}

/** The error for a file operation inside a repository that failed. */
export function fileError(what: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new GitError('no_space', 'The disk that holds the repositories is full.', {}, `${what}: ${code}`)
  return error
}

type Fault = readonly [pattern: RegExp, code: GitErrorCode, sentence: string]

const commandFaults: readonly Fault[] = [
  [
    /No space left on device|Disk quota exceeded/i,
    'no_space',
    'The disk that holds the repositories is full.',
  ],
  [/refusing to merge unrelated histories/, 'unrelated', 'The two histories have no commit in common.'],
  [/Unable to create '.*\.lock': File exists/, 'ref_locked', 'Another Git process holds a lock.'],
  [/exceeds maximum allowed size|pack exceeds/, 'too_large', 'The repository is too large.'],
  [
    /fsck error|index-pack (failed|died)|unpack-objects (failed|died)|invalid index-pack output|missing (blob|tree|commit)|is corrupt|inflate: data stream error|pack (is|has) (corrupted|bad)|did not send all necessary objects|SHA1 COLLISION/i,
    'bad_objects',
    'The repository holds objects that are broken or not allowed.',
  ],
  [
    /not a valid (object|commit) name|bad object|bad revision|not a tree object|unknown revision|not something we can merge/i,
    'not_found',
    'The object is not in this repository.',
  ],
]

// The sentences of Git's ref backend, as Gitaly collected them (updateref.go) and refs/files-backend.c writes
// them.
const refFaults: readonly Fault[] = [
  [/cannot lock ref '(.+?)': is at \S+ but expected/, 'ref_moved', 'The branch has moved meanwhile.'],
  [/cannot lock ref '(.+?)': reference already exists/, 'ref_moved', 'The branch exists already.'],
  [/cannot lock ref '(.+?)': reference is missing/, 'ref_moved', 'The branch has gone meanwhile.'],
  [/cannot lock ref '(.+?)': unable to resolve reference/, 'ref_moved', 'The branch has gone meanwhile.'],
  [
    /cannot lock ref '(.+?)': Unable to create/,
    'ref_locked',
    'Another Git process holds the lock of the branch.',
  ],
  [
    /cannot lock ref '(.+?)': '.+?' exists; cannot create/,
    'ref_conflict',
    'A branch of that name stands in the way.',
  ],
  [
    /cannot lock ref '(.+?)': there are still refs under/,
    'ref_conflict',
    'Branches under that name stand in the way.',
  ],
  [
    /cannot lock ref '(.+?)': there is a non-empty directory/,
    'ref_conflict',
    'Branches under that name stand in the way.',
  ],
  [
    /cannot process '(.+?)' and '.+?' at the same time/,
    'ref_conflict',
    "Two of the branches stand in each other's way.",
  ],
  [/multiple updates for (?:ref )?'(.+?)' not allowed/, 'ref_conflict', 'The same branch is named twice.'],
  [
    /cannot update ref '(.+?)': trying to write (?:ref '.*?' with nonexistent|non-commit) object/,
    'not_found',
    'The branch would point at something that is no commit here.',
  ],
  [/invalid ref format: (.+)/, 'ref_invalid', 'That is not a name for a branch.'],
]

const tail = (text: string): string => text.replace(/[^\x20-\x7e\n]/g, '?').slice(-2048)

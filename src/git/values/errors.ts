/**
 * Error codes of the Git room, as a closed list: callers switch on these, never on Git's own text.
 */
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
  | 'repository_damaged'
  | 'busy'
  | 'timeout'
  | 'too_slow'
  | 'aborted'
  | 'closed'
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

/**
 * The codes that mean a damaged repository if no caller handles them: a caller that looks for an object
 * which may not exist handles 'not_found' itself.
 */
const damages: ReadonlySet<GitErrorCode> = new Set<GitErrorCode>([
  'object_unreadable',
  'bad_objects',
  'not_found',
  'config_changed',
  'repository_damaged',
])

/** An error of the Git room: a code to act on, and a detail that is safe to show. */
export class GitError extends Error {
  readonly code: GitErrorCode
  readonly detail: Readonly<Record<string, unknown>>
  /**
   * The end of Git's stderr without control characters. For the operator's log only, never for
   * users.
   */
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

    // Not enumerable, so a logger or a response that spreads the error does not include it.
    Object.defineProperty(this, 'trace', {
      value: trace === undefined ? undefined : tail(trace),
      enumerable: false,
    })
  }

  /** Whether the repository is damaged, so that a retry does not help. */
  get isDamage(): boolean {
    return damages.has(this.code)
  }
}

/** Returns whether the error is a GitError, with the given code if there is one. */
export const isGitError = (error: unknown, code?: GitErrorCode): error is GitError =>
  error instanceof GitError && (code === undefined || error.code === code)

/**
 * Returns the error for a failed git command, classified by its stderr. `what` completes "Git could
 * not …", e.g. "merge".
 */
export function commandError(what: string, code: number | null, stderr: string): GitError {
  for (const [pattern, name, sentence] of commandFaults)
    if (pattern.test(stderr)) return new GitError(name, sentence, {}, stderr)
  return new GitError('failed', `Git could not ${what}.`, { exit: code }, stderr)
}

/**
 * Returns the error for a refused ref transaction, classified by the stderr of `update-ref
 * --stdin`.
 */
export function refError(stderr: string): GitError {
  for (const [pattern, name, sentence] of refFaults) {
    const ref = pattern.exec(stderr)?.[1]
    if (ref !== undefined) return new GitError(name, sentence, { ref }, stderr)
  }
  return commandError('move refs', 128, stderr)
}

/**
 * Returns a GitError 'no_space' for a file operation that failed on a full disk; any other error
 * unchanged.
 */
export function fileError(what: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new GitError(
      'no_space',
      'The disk that holds the repositories is full.',
      {},
      `${what}: ${code}`,
    )

  return error
}

type Fault = readonly [pattern: RegExp, code: GitErrorCode, sentence: string]

const commandFaults: readonly Fault[] = [
  [
    /No space left on device|Disk quota exceeded|Out of diskspace/i,
    'no_space',
    'The disk that holds the repositories is full.',
  ],
  [
    /refusing to merge unrelated histories/,
    'unrelated',
    'The two histories have no commit in common.',
  ],
  [
    /Unable to create '.*\.lock': File exists/,
    'ref_locked',
    'The repository is locked by another Git process. Try again in a moment.',
  ],
  [/exceeds maximum allowed size|pack exceeds/, 'too_large', 'The repository is too large.'],
  [
    /fsck error|index-pack (failed|died)|unpack-objects (failed|died)|invalid index-pack output|missing (blob|tree|commit)|is corrupt|inflate: data stream error|pack (is|has) (corrupted|bad)|did not send all necessary objects|SHA1 COLLISION/i,
    'bad_objects',
    'The repository contains objects that are corrupt or not allowed.',
  ],
  [
    /not a git repository|bad config line|unexpected line in /,
    'repository_damaged',
    'The repository is missing or damaged.',
  ],
  [
    /not a valid (object|commit) name|bad object|bad revision|not a tree object|unknown revision|not something we can merge/i,
    'not_found',
    'The object is not in this repository.',
  ],
]

// Messages of Git's ref backend, as collected by Gitaly (updateref.go) and written by
// refs/files-backend.c.
const refFaults: readonly Fault[] = [
  [
    /cannot lock ref '(.+?)': is at \S+ but expected/,
    'ref_moved',
    'The branch has moved in the meantime.',
  ],
  [/cannot lock ref '(.+?)': reference already exists/, 'ref_moved', 'The branch already exists.'],
  [
    /cannot lock ref '(.+?)': reference is missing/,
    'ref_moved',
    'The branch has been deleted in the meantime.',
  ],
  [
    /cannot lock ref '(.+?)': unable to resolve reference/,
    'ref_moved',
    'The branch has been deleted in the meantime.',
  ],
  [
    /cannot lock ref '(.+?)': Unable to create/,
    'ref_locked',
    'The branch is locked by another Git process. Try again in a moment.',
  ],
  [
    /cannot lock ref '(.+?)': '.+?' exists; cannot create/,
    'ref_conflict',
    'The name conflicts with an existing branch.',
  ],
  [
    /cannot lock ref '(.+?)': there are still refs under/,
    'ref_conflict',
    'The name conflicts with branches below it.',
  ],
  [
    /cannot lock ref '(.+?)': there is a non-empty directory/,
    'ref_conflict',
    'The name conflicts with branches below it.',
  ],
  [
    /cannot process '(.+?)' and '.+?' at the same time/,
    'ref_conflict',
    'The names of two of the branches conflict.',
  ],
  [
    /multiple updates for (?:ref )?'(.+?)' not allowed/,
    'ref_conflict',
    'The same branch appears twice.',
  ],
  [
    /cannot update ref '(.+?)': trying to write (?:ref '.*?' with nonexistent|non-commit) object/,
    'not_found',
    'The branch must point at a commit of this repository.',
  ],
  [/invalid ref format: (.+)/, 'ref_invalid', 'The branch name is invalid.'],
]

const tail = (text: string): string => text.replace(/[^\x20-\x7e\n]/g, '?').slice(-2048)

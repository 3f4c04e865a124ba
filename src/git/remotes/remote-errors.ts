import { commandError, GitError, type GitErrorCode } from '../values/errors.ts'
import { type RemoteUrl, redact } from './remote-url.ts'

/**
 * Returns the error for a failed network command. Messages of the server ("remote: …") are ignored:
 * they could imitate any error, or reveal the answer of an internal server. Secrets are removed
 * from the trace.
 */
export function remoteError(what: string, code: number, stderr: string, url: RemoteUrl): GitError {
  const own = stderr
    .split(/[\r\n]+/)
    .filter(line => !line.startsWith('remote:'))
    .join('\n')
  const trace = redact(own, url)

  // All other pack failures are reported; only exceeding the memory and CPU limits kills the reader
  // silently.
  if (/invalid index-pack output/.test(own) && own.match(/^(fatal|error):/gm)?.length === 1)
    return new GitError(
      'too_large',
      'The remote repository is too expensive to process.',
      { what: 'work' },
      trace,
    )

  for (const [pattern, name, sentence, detail] of faults)
    if (pattern.test(own)) return new GitError(name, sentence, detail, trace)

  return commandError(what, code, trace)
}

const faults: readonly (readonly [RegExp, GitErrorCode, string, Record<string, unknown>?])[] = [
  //
  [
    /died of signal 25|File too large|exceeds maximum allowed size/i,
    'too_large',
    'The remote repository is too large.',
    { what: 'packBytes' },
  ],
  [
    /out of memory|mmap failed|died of signal 24|cannot allocate/i,
    'too_large',
    'The remote repository takes too much memory or CPU time.',
    { what: 'work' },
  ],
  [
    /couldn't find remote ref|Remote branch .* not found|no matching remote head/i,
    'not_found',
    'The remote repository has no such branch.',
  ],
  [
    /Authentication failed|could not read (Username|Password)|returned error: 40[13]|HTTP 40[13]/i,
    'auth_failed',
    'The remote repository rejected the credentials.',
  ],
  [
    /returned error: 404|repository '.*' not found|HTTP 404/i,
    'not_found',
    'The remote repository was not found.',
  ],
  [
    /returned error: 30\d|HTTP 30\d|error: 30\d\b|redirect/i,
    'redirected',
    'The remote repository has moved. Use its new address.',
  ],
  [
    /SSL|certificate|gnutls|\bTLS\b/i,
    'tls',
    'The certificate of the remote server is not trusted.',
  ],
  [
    /Operation too slow|Operation timed out|Timeout was reached|Connection timed out/i,
    'timeout',
    'The remote server took too long.',
  ],
  [
    /\[(remote )?rejected\]|stale info|non-fast-forward|fetch first|failed to push some refs/i,
    'rejected',
    'The remote repository rejected the push: its branch has moved or is protected.',
  ],
  [
    /pack has bad object|index-pack (failed|died)|invalid index-pack output|fsck error|did not send all necessary objects|invalid hash|protocol error|bad band|bad line length|inflate|corrupt|COLLISION|bad pack|pack is/i,
    'bad_objects',
    'The remote repository contains objects that are corrupt or not allowed.',
  ],
  [
    /Could not resolve|Failed to connect|Connection (refused|reset)|Empty reply|Recv failure|Send failure|returned error: \d+|HTTP 5\d\d|not valid: is this a git repository|unexpected disconnect|hung up|early EOF|Couldn't connect|expected flush|invalid server response|unable to access/i,
    'unreachable',
    'The remote server cannot be reached or is not a Git server.',
  ],
]

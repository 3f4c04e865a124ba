import { z } from 'zod'
import type { FaultKind, Refusal } from '../errors.ts'
import { Fault } from '../errors.ts'
import { readOnlyMessage } from './limits/check-writable.ts'

/** The status of each kind of fault. */
const statuses: Record<FaultKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  wrong_method: 405,
  too_slow: 408,
  conflict: 409,
  unmet: 412,
  too_large: 413,
  unsupported_type: 415,
  too_many: 429,
  not_installed: 501,
  unavailable: 503,
  no_space: 507,
}

/** The body of every error response. */
export const ErrorBody = z
  .object({
    error: z.object({ code: z.int(), message: z.string() }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error' })

/** Git errors that the caller can act on: status and message, by the error's code. */
const gitFailures: Readonly<Record<string, [status: number, message: string]>> = {
  unrelated: [409, 'The two histories have no commit in common, so they cannot be merged.'],
  ref_moved: [409, 'The branch has moved in the meantime. Try again.'],
  ref_conflict: [
    409,
    'Another branch in the repository conflicts with the name of the new branch.',
  ],
  path_conflict: [409, 'A file and a folder would have the same path.'],
  path_invalid: [400, 'That path cannot be used for a file.'],
  too_large: [413, 'The content is too large for this operation.'],
  too_many_files: [413, 'There are too many files for this operation.'],
  too_deep: [413, 'The folders are nested too deep for this operation.'],
  ref_locked: [503, 'Another Git process is using the repository. Try again in a moment.'],
  busy: [503, 'Git is busy. Try again in a moment.'],
  timeout: [
    503,
    'Git took too long, and nothing was changed. Try again, or run it with git in a clone.',
  ],
  no_space: [507, 'The disk that holds the repositories is full. Nothing was changed.'],
}

/** Errors of the database that the caller can act on. */
const storeFailures: Readonly<Record<string, [status: number, message: string]>> = {
  full: [507, "The server's disk is full. Nothing was changed."],
  busy: [503, "Another program is using the server's database. Try again in a moment."],
  readonly: [503, readOnlyMessage],
  text: [400, 'The request has a text with the character U+0000, which cannot be stored.'],
  unavailable: [
    503,
    "The server's database does not answer at the moment. Try again in a few seconds, with the same Idempotency-Key if the request has one.",
  ],
}

/** Errors of the file system. */
const fileFailures: Readonly<Record<string, [status: number, message: string]>> = {
  EMFILE: [503, 'The server has too many files open. Try again in a moment.'],
  ENFILE: [503, 'The machine has too many files open. Try again in a moment.'],
  ENOSPC: [507, "The server's disk is full."],
  EDQUOT: [507, "The server's disk is full."],
}

export type Failure = {
  status: number
  /** `Retry-After`, where a retry makes sense. */
  headers: Readonly<Record<string, string>>
  body: z.input<typeof ErrorBody>
  expected: boolean
  refusal?: Refusal | undefined
}

/**
 * How long a client waits whose request failed for a moment, in seconds, unless the refusal says
 * it.
 */
const usualWait = 2

function failure(
  status: number,
  message: string,
  details?: Record<string, unknown>,
  refusal?: Refusal,
): Failure {
  const wait = refusal?.retryAfter ?? (status === 429 || status === 503 ? usualWait : undefined)
  return {
    status,
    headers: wait === undefined ? {} : { 'Retry-After': String(wait) },
    body: { error: { code: status, message }, ...(details && { details }) },
    expected: status < 500,
    refusal,
  }
}

/**
 * Returns the response to a thrown value: an actionable message for a Fault or a known error, and
 * no internals for the rest. `spaceId` is the space of the path, if it has one.
 */
export function failureOf(error: unknown, spaceId?: string): Failure {
  if (error instanceof Fault) {
    const { kind, message, detail, refusal } = error
    return { ...failure(statuses[kind], message, detail, refusal), expected: true }
  }

  // Recognised by name: this room does not import git/.
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }
  const failures =
    name === 'GitError'
      ? gitFailures
      : name === 'DatabaseError'
        ? storeFailures
        : isOfFile(error)
          ? fileFailures
          : {}
  const known = Object.hasOwn(failures, String(code)) && failures[String(code)]
  if (known) return failure(...known)
  if (name === 'GitError' && damages.has(code)) return failure(500, damaged(spaceId))

  // Errors of Express and its body parser carry a status.
  const status = (error as { status?: unknown }).status
  if (error instanceof URIError || status === 400)
    return failure(400, 'The request could not be read: check its path and body.')
  if (status === 413) return failure(413, 'The body is too large.')
  if (status === 415)
    return failure(415, 'The body has an unsupported encoding. Send it uncompressed or with gzip.')

  return failure(
    500,
    'The server failed to handle the request. The server log has details under the request id.',
  )
}

/**
 * Returns an error for the log: its stack and, for a Git error, the output of git and the object.
 */
export const describeError = (error: unknown): Record<string, unknown> =>
  error instanceof Error
    ? {
        name: error.name,
        stack: error.stack,
        ...('trace' in error && { trace: error.trace }),
        ...('detail' in error && { detail: error.detail }),
      }
    : { name: typeof error }

/** Returns whether an error comes from a system call: only those name one. */
const isOfFile = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** Codes of Git errors that mean a damaged repository: retrying does not help. */
const damages = new Set<unknown>(['object_unreadable', 'bad_objects'])

/** Returns the message for damaged content, with the command that repairs the space. */
const damaged = (spaceId = 'ID'): string =>
  `Part of this content is damaged and cannot be read. The operator of the server can find the damage with "stemma verify" and repair it with "stemma repair --space ${spaceId}".`

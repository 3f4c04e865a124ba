import { z } from 'zod'
import { damagedMessage, Fault, isDamage, type Refusal } from '../errors.ts'
import { type FaultKind, kindOf, type Reason, reasons } from '../reasons.ts'
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
  unsatisfiable: 416,
  too_many: 429,
  failed: 500,
  not_installed: 501,
  unavailable: 503,
  no_space: 507,
}

const words = Object.values(reasons)
  .flatMap(Object.keys)
  .sort()
  .map(word => `\`${word}\``)
  .join(', ')

/** The body of every error response. */
export const ErrorBody = z
  .object({
    error: z.object({
      code: z.int(),
      reason: z
        .string()
        .describe(
          `The stable name of the error, for programs. New names may be added. Known names: ${words}.`,
        ),
      message: z.string(),
    }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: 'Error',
    description: 'The body of every error.',
    sentences: {
      error: 'What went wrong.',
      'error.code': 'The HTTP status.',
      'error.message': 'What is wrong and what to do, for people. The text may change.',
      details:
        'Details for programs, depending on the error: `issues` of invalid properties, `conflicts`, or merge rules that are not met.',
    },
  })

/** Git errors that the caller can act on: reason and message, by the error's code. */
const gitFailures: Readonly<Record<string, [reason: Reason, message: string]>> = {
  unrelated: [
    'unrelated_histories',
    'The two histories have no commit in common, so they cannot be merged.',
  ],
  ref_moved: ['concurrent_change', 'The branch has moved in the meantime. Try again.'],
  ref_conflict: [
    'branch_conflict',
    'Another branch in the repository conflicts with the name of the new branch.',
  ],
  path_conflict: ['path_conflict', 'A file and a folder would have the same path.'],
  path_invalid: ['path_not_allowed', 'That path cannot be used for a file.'],
  too_large: ['too_large', 'The content is too large for this operation.'],
  too_many_files: ['too_large', 'There are too many files for this operation.'],
  too_deep: ['too_large', 'The folders are nested too deep for this operation.'],
  ref_locked: ['busy', 'Another Git process is using the repository. Try again in a moment.'],
  busy: ['busy', 'Git is busy. Try again in a moment.'],
  timeout: [
    'timed_out',
    'Git took too long, and nothing was changed. Try again, or run it with git in a clone.',
  ],
  no_space: ['disk_full', 'The disk that holds the repositories is full. Nothing was changed.'],
}

/** Errors of the database that the caller can act on. */
const storeFailures: Readonly<Record<string, [reason: Reason, message: string]>> = {
  full: ['disk_full', "The server's disk is full. Nothing was changed."],
  busy: ['busy', "Another program is using the server's database. Try again in a moment."],
  readonly: ['read_only', readOnlyMessage],
  text: [
    'malformed_request',
    'The request has a text with the character U+0000, which cannot be stored.',
  ],
  unavailable: [
    'database_unavailable',
    "The server's database does not answer at the moment. Try again in a few seconds, with the same Idempotency-Key if the request has one.",
  ],
}

/** Errors of the file system. */
const fileFailures: Readonly<Record<string, [reason: Reason, message: string]>> = {
  EMFILE: ['busy', 'The server has too many files open. Try again in a moment.'],
  ENFILE: ['busy', 'The machine has too many files open. Try again in a moment.'],
  ENOSPC: ['disk_full', "The server's disk is full."],
  EDQUOT: ['disk_full', "The server's disk is full."],
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
  reason: Reason,
  message: string,
  details?: Record<string, unknown>,
  refusal?: Refusal,
): Failure {
  const status = statuses[kindOf(reason)]
  const wait = refusal?.retryAfter ?? (status === 429 || status === 503 ? usualWait : undefined)
  return {
    status,
    headers: wait === undefined ? {} : { 'Retry-After': String(wait) },
    body: { error: { code: status, reason, message }, ...(details && { details }) },
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
    const { reason, message, detail, refusal } = error
    return { ...failure(reason, message, detail, refusal), expected: true }
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
  if (isDamage(error)) return failure('content_damaged', damagedMessage(spaceId))

  // Errors of Express and its body parser carry a status.
  const status = (error as { status?: unknown }).status
  if (error instanceof URIError || status === 400)
    return failure('malformed_request', 'The request could not be read: check its path and body.')
  if (status === 413) return failure('too_large', 'The body is too large.')
  if (status === 415)
    return failure(
      'unsupported_media_type',
      'The body has an unsupported encoding. Send it uncompressed or with gzip.',
    )

  return failure(
    'internal_error',
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

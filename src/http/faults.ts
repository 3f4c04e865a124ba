import { z } from 'zod'
import type { FaultKind, Refusal } from '../errors.ts'
import { Fault } from '../errors.ts'
import { closestIssues } from './closest-issues.ts'

/** The one table from what went wrong to its status. */
const statuses: Record<FaultKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  too_slow: 408,
  conflict: 409,
  unmet: 412,
  too_large: 413,
  unsupported_type: 415,
  too_many: 429,
  unavailable: 503,
  no_space: 507,
}

/** The body of every answer that is not a success. */
export const ErrorBody = z
  .object({
    error: z.object({ code: z.int(), message: z.string() }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error' })

/** What the caller can act on when Git could not do it: the status and what to do, by the error's code. */
const gitFailures: Readonly<Record<string, [status: number, message: string]>> = {
  unrelated: [409, 'The two histories have no commit in common, so they cannot be merged.'],
  ref_moved: [409, 'The branch has moved meanwhile. Try again.'],
  ref_conflict: [409, 'Another branch in the repository stands in the way of the name that is needed.'],
  path_conflict: [409, 'A file would stand where a folder is, or the other way round.'],
  path_invalid: [400, 'That path cannot be used for a file.'],
  too_large: [413, 'This is too large to be done here.'],
  too_many_files: [413, 'There are too many files for this.'],
  too_deep: [413, 'The folders are nested too deep for this.'],
  ref_locked: [503, 'Another Git process works on the repository. Try again in a moment.'],
  busy: [503, 'Git is busy. Try again in a moment.'],
  timeout: [503, 'Git took too long, and nothing was changed. Try again, or do it with git in a clone.'],
  no_space: [507, 'The disk that holds the repositories is full, and nothing was changed.'],
}

/** The same for rows that could not be written. */
const storeFailures: Readonly<Record<string, [status: number, message: string]>> = {
  SQLITE_FULL: [507, 'The disk of the server is full, and nothing was changed.'],
  SQLITE_BUSY: [503, 'Another program works on the data of the server. Try again in a moment.'],
  SQLITE_READONLY: [503, 'The data of the server cannot be written now. Try again later.'],
}

/** The same for files that could not be opened or written. */
const fileFailures: Readonly<Record<string, [status: number, message: string]>> = {
  EMFILE: [503, 'The server has too many files open. Try again in a moment.'],
  ENFILE: [503, 'The machine has too many files open. Try again in a moment.'],
  ENOSPC: [507, 'The disk of the server is full.'],
  EDQUOT: [507, 'The disk of the server is full.'],
}

export type Failure = {
  status: number
  body: z.input<typeof ErrorBody>
  expected: boolean
  refusal?: Refusal | undefined
}

const failure = (status: number, message: string, details?: Record<string, unknown>): Failure => ({
  status,
  body: { error: { code: status, message }, ...(details && { details }) },
  expected: status < 500,
})

/**
 * What to answer for whatever was thrown: a message to act on for a Fault, and nothing of our insides for the rest.
 * `spaceId` is the space that was asked for, if one was.
 */
export function failureOf(error: unknown, spaceId?: string): Failure {
  if (error instanceof Fault) {
    const known = failure(statuses[error.kind], error.message, error.detail)
    return { ...known, expected: true, refusal: error.refusal }
  }
  // Told by its name: this room does not know Git.
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }
  const failures =
    name === 'GitError'
      ? gitFailures
      : name === 'SqliteError'
        ? storeFailures
        : isOfFile(error)
          ? fileFailures
          : {}
  const known = Object.hasOwn(failures, String(code)) && failures[String(code)]
  if (known) return failure(...known)
  if (name === 'GitError' && damages.has(code)) return failure(500, damaged(spaceId))
  // What Express and its body parser throw carries a status of its own.
  const status = (error as { status?: unknown }).status
  if (error instanceof URIError || status === 400)
    return failure(400, 'The request could not be read: check its path and body.')
  if (status === 413) return failure(413, 'The body is too large.')
  if (status === 415)
    return failure(415, 'The body has an encoding that is not taken: send it plain or with gzip.')
  return failure(500, 'Something went wrong on our side. The request id leads to it in the log.')
}

/** Whether the system said it: its errors name the call. */
const isOfFile = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** Git's errors that say that the repository itself is damaged: nothing the caller sends will change that. */
const damages = new Set<unknown>(['object_unreadable', 'bad_objects'])

/** What to say of content that is damaged, with the command that mends this space. */
const damaged = (spaceId = 'ID'): string =>
  `A part of this content is damaged and cannot be read: whoever runs the server finds out what with "stemma verify", and mends it with "stemma repair --space ${spaceId}".`

/** Returns a Fault with the first problem as its sentence, and up to 20 of them as details. */
export function invalidInput(where: 'path' | 'query' | 'body', error: z.ZodError): Fault {
  // What was sent may be as long as a body.
  const issues = closestIssues(error.issues.slice(0, 20))
    .slice(0, 20)
    .map(issue => ({
      path: issue.path.map(String).join('.').slice(0, 200),
      message: issue.message.slice(0, 500),
    }))
  const first = issues[0]
  const name = first?.path ? `"${first.path}" in the ${where}` : `The ${where}`
  return new Fault('invalid', `${name}: ${first?.message ?? 'is not valid'}.`, {
    where,
    issues,
  })
}

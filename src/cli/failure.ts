import { Fault } from '../errors.ts'
import { isGitError } from '../git/values/errors.ts'

export const exitFailed = 1
/** The command line or the environment cannot be used as it is. */
export const exitUsage = 2
/** What `sysexits.h` calls a temporary failure: another server has the folder. */
export const exitLocked = 75

/** A command ends here: with a sentence for stderr ('' when all is said), and an exit code. */
export class Failure extends Error {
  readonly exitCode: number

  constructor(sentence: string, exitCode = exitFailed) {
    super(sentence)
    this.exitCode = exitCode
  }
}

/** What a person at a terminal is told of an error, and how the program ends. */
export function failureOf(error: unknown): { sentence: string; exitCode: number } {
  if (error instanceof Failure) return { sentence: error.message, exitCode: error.exitCode }
  if (error instanceof Fault || isGitError(error)) return { sentence: error.message, exitCode: exitFailed }
  if (!(error instanceof Error)) return { sentence: String(error), exitCode: exitFailed }
  const { code, path } = error as NodeJS.ErrnoException
  const known = code === undefined ? undefined : sentences[code]
  if (known) return { sentence: path ? `${path}: ${known}` : known, exitCode: exitFailed }
  // What we throw ourselves is a sentence; what a mistake of ours makes Node throw is not.
  if (error.constructor === Error) return { sentence: error.message, exitCode: exitFailed }
  return { sentence: `Something went wrong that nobody expected: ${error.message}`, exitCode: exitFailed }
}

const damaged =
  'The database of the data folder is damaged. Stop the server, keep a copy of the folder, and restore the last good backup.'

/** By the codes of Node and of SQLite. */
const sentences: Readonly<Record<string, string>> = {
  EACCES: 'This user may not read or write it.',
  EPERM: 'This user may not do that to it.',
  EROFS: 'It is on a disk that is mounted for reading alone.',
  ENOENT: 'It is not there.',
  ENOTDIR: 'A part of its path is no folder.',
  EISDIR: 'It is a folder, not a file.',
  EEXIST: 'It exists already.',
  ENOSPC: 'The disk is full. Make room and try again.',
  SQLITE_FULL: 'The disk is full. Make room and try again.',
  SQLITE_CORRUPT: damaged,
  SQLITE_NOTADB: damaged,
  SQLITE_BUSY: 'The database is busy. Try again in a moment.',
  SQLITE_READONLY: 'This user may not write to the database of the data folder.',
  SQLITE_CANTOPEN: 'This user may not open the database of the data folder.',
}

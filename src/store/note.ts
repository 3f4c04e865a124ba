/**
 * The codes of SQLite for a disk that is full or broken, another process that writes, and a
 * read-only file.
 */
const cannotWrite = /^SQLITE_(?:FULL|BUSY|IOERR|READONLY)/

/** Returns whether an error means that nothing can be written now. */
export const saysCannotWrite = (error: unknown): boolean =>
  cannotWrite.test(String((error as { code?: unknown }).code))

/**
 * Runs an optional write, such as the time at which a token was used. Skips it if the database
 * cannot be written now, so that reads go on. Throws other errors.
 */
export function note(write: () => unknown): void {
  try {
    write()
  } catch (error) {
    if (!saysCannotWrite(error)) throw error
  }
}

/**
 * Ignores an error of SQLite, for derived rows that follow a completed write: they are found
 * missing later and derived again. Throws other errors.
 */
export function ignoreDatabaseError(error: unknown): void {
  if (!/^SQLITE_/.test(String((error as { code?: unknown }).code))) throw error
}

/** What SQLite says when it cannot write now: the disk is full or broken, another process is writing, the file is read-only. */
const cannotWrite = /^SQLITE_(?:FULL|BUSY|IOERR|READONLY)/

/** Whether an error says that nothing can be written now. */
export const saysCannotWrite = (error: unknown): boolean =>
  cannotWrite.test(String((error as { code?: unknown }).code))

/**
 * Writes what is only worth keeping, such as when a token was used or what was derived from a blob: where nothing can be
 * written now, it is left, so that reading goes on. Throws everything else.
 */
export function note(write: () => unknown): void {
  try {
    write()
  } catch (error) {
    if (!saysCannotWrite(error)) throw error
  }
}

import type { Config } from '../../config.ts'
import { Fault } from '../../errors.ts'
import { freeBytes } from '../../lib/free-bytes.ts'

/** The free disk space that writes require, in bytes. */
const minFreeBytes = 128 * 1024 * 1024

/** Says that nothing can be written, in the words of the database's own refusal. */
export const readOnlyMessage =
  'The server is read-only at the moment. Nothing was changed. Try again later.'

/**
 * Refuses a write before any work is done for it: in read-only mode ('unavailable'), and on an
 * almost full disk ('no_space'), where the refs of an operation might still move but its rows could
 * no longer be written.
 */
export function checkWritable({ readOnly, dataDir }: Pick<Config, 'readOnly' | 'dataDir'>): void {
  if (readOnly)
    throw new Fault('read_only', readOnlyMessage, undefined, {
      label: 'read_only',
      retryAfter: 60,
    })
  if (freeBytes(dataDir) < minFreeBytes)
    throw new Fault(
      'disk_full',
      "The server's disk is almost full. Writes are refused until there is room.",
      undefined,
      { label: 'disk', retryAfter: 60 },
    )
}

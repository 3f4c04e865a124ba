import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

/** The suite's folders hold less than a quarter of this at any time. */
const neededBytes = 2 * 1024 ** 3

/**
 * Makes a folder on the RAM disk for the data folders of tests, where nothing waits for fsync, and
 * returns the environment that makes it the temporary folder. Returns nothing where TMPDIR is set
 * already, or where there is no RAM disk with enough space: in a container it often has 64 MB. The
 * folder is removed when the process ends.
 */
export function openRamDisk(disk = '/dev/shm'): { TMPDIR?: string } {
  if (process.env.TMPDIR) return {}
  try {
    accessSync(disk, constants.W_OK)
    const { bavail, bsize } = statfsSync(disk)
    if (bavail * bsize < neededBytes || freemem() < neededBytes) return {}
    const folder = mkdtempSync(join(disk, 'stemma-tests-'))
    // A test process that is ending may still write.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
    return { TMPDIR: folder }
  } catch {
    return {}
  }
}

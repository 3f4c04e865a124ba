import { statfsSync } from 'node:fs'

/** Returns the free bytes on the disk that contains a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

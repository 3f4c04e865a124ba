import { statfsSync } from 'node:fs'

/** How many bytes can still be written to the disk that holds a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

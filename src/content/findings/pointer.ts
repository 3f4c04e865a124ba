/** Longer files are no pointers of Git LFS, and shorter ones neither. */
export const longestPointer = 1_023
export const shortestPointer = 100

/** Reports whether a file is what Git LFS stores in place of a file. */
export function isPointer(bytes: Uint8Array): boolean {
  if (bytes.length > longestPointer || bytes.length < shortestPointer) return false
  const text = Buffer.from(bytes).toString('latin1')
  return /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n(?:ext-.*\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n?$/.test(
    text,
  )
}

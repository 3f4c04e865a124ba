import type { LeftOut } from './order.ts'

/** Why an image is left out when all of them have too many bytes or pixels. */
export const tooLarge = 'all images together are too large for one PDF'

/** How many images that are left out are named. */
const mostNamed = 10

/** The most characters of a path that are shown. */
const longestName = 100

/**
 * Returns a sentence about images that are not shown, with their names; none without such images.
 * `paths` has their paths by blob.
 */
export function notesOfImages(
  left: readonly LeftOut[],
  paths: ReadonlyMap<string, string>,
): string[] {
  if (left.length === 0) return []
  const named = left
    .slice(0, mostNamed)
    .map(({ blob, why }) => `${(paths.get(blob) ?? blob).slice(-longestName)} (${why})`)
  const more = left.length > mostNamed ? ` and ${left.length - mostNamed} more` : ''
  const verb = left.length === 1 ? '1 image is' : `${left.length} images are`
  return [`${verb} not shown: ${named.join(', ')}${more}.`]
}

/** What decides whether search engines list a page. */
export type RobotsFacts = {
  visibility: 'public' | 'unlisted' | 'share-link' | 'visitor-auth'
  /**
   * Whether it is the published content, and not a former revision, a change request, a comparison
   * or a preview.
   */
  current: boolean
}

/** The fields of the front matter that keep a page out of search engines. */
type PageFields = {
  hidden?: boolean | undefined
  noIndex?: boolean | undefined
  noRobotsIndex?: boolean | undefined
}

/**
 * Returns what a page says to search engines, as the value of `X-Robots-Tag` and of the element
 * `meta`: "noindex", or undefined for a page that they may list. `branch` is the front matter of
 * the page and of the pages above it.
 */
export function robotsOf(
  { visibility, current }: RobotsFacts,
  branch: readonly PageFields[],
): 'noindex' | undefined {
  const isListed =
    visibility === 'public' &&
    current &&
    !branch.some(({ hidden, noIndex, noRobotsIndex }) => hidden || noIndex || noRobotsIndex)
  return isListed ? undefined : 'noindex'
}

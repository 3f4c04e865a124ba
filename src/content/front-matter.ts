/** Which parts of a page's frame are shown; what is not named is left to the site. */
export type PageLayout = Record<string, unknown>

/** The fields of a page's front matter that we understand, wrong types already dropped. */
export type FrontMatter = {
  title?: string
  description?: string
  icon?: string
  emoji?: string
  hidden?: boolean
  noIndex?: boolean
  noRobotsIndex?: boolean
  cover?: string
  coverDark?: string
  coverY?: number
  coverHeight?: number
  layout?: PageLayout
  vars?: Record<string, string | number | boolean>
  /** The expression under the key `if`. */
  condition?: string
  tags?: string[]
}

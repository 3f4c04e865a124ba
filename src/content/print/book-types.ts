/** A page to be printed. */
export type PrintPage = {
  id: string
  title: string
  emoji?: string
  description?: string
  /** The number of pages above it: 0 is the top. */
  depth: number
  /**
   * The path of its Markdown, to which its links are relative; undefined for a page without a file.
   */
  filePath: string | undefined
  /** The paths, in the form that is compared, that lead to it beside that of its file. */
  otherPaths?: readonly string[]
  /** The file's text, or the page's, with or without front matter. */
  markdown: string
  /**
   * The heading of the group that starts with this page; '' where a group ends and no other starts.
   */
  group?: string
}

/** The target of a link of the content in a printed book. */
export type PrintLink = { page: string; anchor?: string } | { url: string }

/** A book to be printed, and the look-ups that its pages need. */
export type PrintBook = {
  title: string
  subtitle?: string
  revision: string
  /** The day of the revision, such as 2026-11-21. */
  date: string
  /** A language code such as `en` or `zh-CN`. */
  language?: string
  /** Sentences in small print below the title, such as that a font is missing. */
  notes?: readonly string[]
  /** In reading order. */
  pages: readonly PrintPage[]
  /** Returns the file that an `{% include %}` names; undefined where there is none. */
  include(
    fromFile: string | undefined,
    target: string,
  ): { path: string; markdown: string } | undefined
  /** Returns the target of a link; undefined for a broken one, of which only the text is shown. */
  link(fromFile: string | undefined, target: string): PrintLink | undefined
  /**
   * Returns the file of an image for the compiler and its width in pixels; undefined to show the
   * text instead.
   */
  image(fromFile: string | undefined, target: string): { name: string; width?: number } | undefined
  /** Font families, the first of each preferred. */
  fonts: { body: readonly string[]; mono: readonly string[] }
}

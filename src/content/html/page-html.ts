/** Where a link of a page leads. */
export type HtmlLink = {
  href: string
  /** Within the site, to a file, or to another server. */
  kind: 'page' | 'anchor' | 'file' | 'external'
  /** The title, emoji and icon of the page, or the name of the file: for links that show what they lead to. */
  title?: string
  emoji?: string | undefined
  icon?: string | undefined
  description?: string | undefined
  /** The size of a file in bytes. */
  size?: number | undefined
}

/** An image of the space: its address, and its size in pixels where it is known. */
export type HtmlImage = { src: string; srcset?: string; width?: number; height?: number }

/** Look-ups for the targets in the texts of a page. `fromFile` is the path of the file that contains the target. */
export type HtmlTargets = {
  /** Returns where a target leads; undefined for a broken one, and for an address that no link may have. */
  link: (fromFile: string | undefined, target: string) => HtmlLink | undefined
  /** Returns an image of the space, or one of another server; undefined for a broken target. */
  image: (fromFile: string | undefined, target: string) => HtmlImage | undefined
  /** Returns reusable content, with its path. */
  include: (fromFile: string | undefined, target: string) => { path: string; markdown: string } | undefined
}

/** Words that the writer adds to a page, in the language of the site. */
export type HtmlWords = {
  copy: string
  linkToHeading: string
  table: string
  footnotes: string
  backToText: string
  download: string
  diagram: string
  formula: string
  cut: string
  edited: string
  added: string
  removed: string
  moved: string
}

export type HtmlOptions = {
  targets: HtmlTargets
  words: HtmlWords
  /** The file of the page; undefined for a computed page. */
  file: string | undefined
  /** Whether links to other servers open a new tab. */
  externalBlank: boolean
  /** Whether broken links are marked: only for members. */
  marksBroken: boolean
  /** Returns the SVG of an icon of the page, by the name that the format gives it. */
  icon?: ((name: string) => string | undefined) | undefined
  /** Returns the address of the frame that shows a diagram of the page, by its number from 0. */
  diagram?: ((index: number) => string) | undefined
}

/** A heading of a page, for the list "On this page". The level is 2 to 6, after levels were closed up. */
export type HtmlHeading = { id: string; level: number; text: string }

/** The text of a page as HTML. */
export type PageHtml = {
  html: string
  /** The text of the heading that begins the page. It is the page's title and not a part of `html`. */
  title?: string
  headings: HtmlHeading[]
  /** The sources of its diagrams, in order. */
  diagrams: string[]
  /** The beginning of its first paragraph as text, at most 200 characters; '' without one. */
  summary: string
  /** The text was longer than the writer's limit, and its end is left out. */
  cut: boolean
}

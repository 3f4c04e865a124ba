import type { Notes } from '../markup/grammar.ts'
import type { MarkupElement } from '../markup/tree.ts'

/** Where a link of a page leads. */
export type HtmlLink = {
  href: string
  /** Within the site, to a file, or to another server. */
  kind: 'page' | 'anchor' | 'file' | 'external'
  /**
   * The title, emoji and icon of the page, or the name of the file: for links that show what they
   * lead to.
   */
  title?: string
  emoji?: string | undefined
  icon?: string | undefined
  description?: string | undefined
  /** The size of a file in bytes. */
  size?: number | undefined
}

/** An image of the space: its address, and its size in pixels where it is known. */
export type HtmlImage = {
  src: string
  /** Its versions, as the attribute `srcset` has them. */
  srcset?: string
  width?: number
  height?: number
  /** Whether it is larger than a page shows it: then it leads to itself. */
  isLarge?: boolean
}

type HtmlInclude = {
  path: string
  markdown: string
  tree?: { root: MarkupElement; notes: Notes } | undefined
}

/**
 * Look-ups for the targets in the texts of a page. `fromFile` is the path of the file that contains
 * the target.
 */
export type HtmlTargets = {
  /**
   * Returns where a target leads; undefined for a broken one, and for an address that no link may
   * have.
   */
  link: (fromFile: string | undefined, target: string) => HtmlLink | undefined
  /** Returns an image of the space, or one of another server; undefined for a broken target. */
  image: (fromFile: string | undefined, target: string) => HtmlImage | undefined
  /** Returns reusable content, with its path; and its tree if it is shown with marks. */
  include: (fromFile: string | undefined, target: string) => HtmlInclude | undefined
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
  diagramFailed: string
  showMore: string
  showLess: string
  enlarge: string
  tryIt: string
  formula: string
  cut: string
  edited: string
  added: string
  removed: string
  moved: string
}

/** How readers limit the updates of a page to those with a tag. */
export type HtmlTagFilter = {
  chosen: string | undefined
  /** Returns the address of the page with a tag, or with all updates. */
  hrefOf: (tag: string | undefined) => string
  label: string
  all: string
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
  /** Whether the page belongs to a copy without a server: buttons that search are left out. */
  isCopy?: boolean | undefined
  /** Returns the SVG of an icon of the page, by the name that the format gives it. */
  icon?: ((name: string) => string | undefined) | undefined
  /** The address of the document in which a frame draws a diagram, whose source stands below it. */
  diagramFrame?: string | undefined
  /**
   * The language of the page, in which its dates are written; undefined: as they are in the source.
   */
  lang?: string | undefined
  /**
   * Returns the call whose example request is a block of code: what a script needs for its form,
   * and a short name.
   */
  callOf?: ((sample: string) => { data: string; title: string } | undefined) | undefined
  /**
   * The filter of updates by tag: the chosen tag, the addresses, and the words. Without it, none is
   * offered.
   */
  tags?: HtmlTagFilter | undefined
  /** The ids whose blocks are looked for; see `PageHtml.ends`. */
  wanted?: ReadonlySet<string> | undefined
  /** Whether the end of every block is looked for; see `PageHtml.everyEnd`. */
  allEnds?: boolean | undefined
}

/**
 * A heading of a page, for the list "On this page". The level is 2 to 6, after levels were closed
 * up.
 */
export type HtmlHeading = { id: string; level: number; text: string }

/** An update of a page, for feeds. */
export type HtmlUpdate = {
  /** Its anchor. */
  id: string
  /** As it is written: an ISO date, possibly with a time. */
  date: string
  tags: readonly string[]
  html: string
}

/**
 * The end of the outermost block that has an id: its offset in the HTML, where other blocks may
 * stand, and the level of the heading above it (1: that of the page).
 */
export type BlockEnd = { id: string; at: number; level: number }

/** The text of a page as HTML. */
export type PageHtml = {
  html: string
  /**
   * The text of the heading that begins the page. It is the page's title and not a part of `html`.
   */
  title?: string
  headings: HtmlHeading[]
  /** The sources of its diagrams, in order. */
  diagrams: string[]
  /** Its updates with a date, in order; those within others are a part of them. */
  updates: HtmlUpdate[]
  /** The beginning of its first paragraph as text, at most 200 characters; '' without one. */
  summary: string
  /** The ends of the blocks with wanted ids, in order; ids that the page lacks are left out. */
  ends: BlockEnd[]
  /** With `allEnds`, the offsets where the blocks of the page end, in order. */
  everyEnd: number[]
  /** The text was longer than the writer's limit, and its end is left out. */
  cut: boolean
}

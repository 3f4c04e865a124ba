import type { HtmlHeading } from '../../content/html/page-html.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import type { SurfaceWords } from '../../ui/words/all.ts'

/** A link or a menu of links in the header. */
export type HeaderItem = {
  title: string
  href?: string | undefined
  style: 'link' | 'button-primary' | 'button-secondary'
  links: FrameLink[]
}

/**
 * A section of the site, or a group of sections with a menu. Every `icon` of a model is SVG of the
 * program's own set.
 */
export type Tab = {
  title: string
  href: string
  icon?: string | undefined
  description?: string | undefined
  current: boolean
  children: Tab[]
}

/** A variant of the section, such as a version or a language. */
export type Variant = FrameLink & {
  current: boolean
  /**
   * The same page in it: its id and that of its space, its encoded path below the base of the site,
   * its language, and whether the variant is the default.
   */
  page?: { id: string; space: string; path: string; lang: string; isDefault: boolean } | undefined
}

/** How a page differs in the change request or comparison that is shown. */
export type PageMark = 'changed' | 'new' | 'removed'

/**
 * An entry of the list of pages. Only the open branch has its pages; `fragment` is the address of
 * those of a shut one.
 */
export type NavEntry = {
  kind: 'group' | 'page' | 'link'
  id: string
  title: string
  href: string
  emoji?: string | undefined
  icon?: string | undefined
  current: boolean
  open: boolean
  hasPages: boolean
  pages: NavEntry[]
  mark?: PageMark | 'draft' | undefined
  fragment?: string | undefined
}

/**
 * What every page says about the state of the content that it shows: a former revision, a change
 * request, a comparison.
 */
export type Banner = {
  kind: 'revision' | 'change-request' | 'comparison' | 'preview'
  text: string
  links: FrameLink[]
  /** What differs in the content, and how many more entries there are. */
  changed?: { entries: ChangedEntry[]; more: number } | undefined
  /** The number of changes that the text marks: their anchors are `change-1` and so on. */
  changes?: number | undefined
}

/** A page or a file that differs; without `href` for what cannot be opened. */
export type ChangedEntry = { title: string; href?: string | undefined; mark: PageMark }

export type Announcement = {
  message: string
  link?: FrameLink | undefined
  style: 'info' | 'warning' | 'danger' | 'success'
  /** Identifies its text: a reader who closed it sees it again when it changes. */
  digest: string
}

/**
 * What the pages of a site have in common for one reader. Texts are plain text; `href`s are
 * addresses.
 */
export type Frame = {
  /** Whether the pages belong to a copy, which has no server and no scripts. */
  isCopy?: boolean
  lang: string
  dir: 'ltr' | 'rtl'
  words: SurfaceWords
  title: string
  home: string
  logo?: { light: string; dark: string } | undefined
  favicon: { href: string; type: string }
  /** The address of the icon on the screens of phones. */
  touchIcon?: string | undefined
  /**
   * The style sheets and scripts: the site's own, that of earlier versions and members, the theme
   * and the fonts of its settings, and the scripts of integrations.
   */
  assets: {
    style: string
    script: string
    travel: string
    /** The style and the script of the form that calls an operation. */
    callStyle: string
    callScript: string
    /** The script that lets the frames of diagrams draw. */
    diagramScript: string
    theme?: string | undefined
    fonts?: readonly string[]
    scripts?: readonly string[] | undefined
  }
  /**
   * Attributes of the root element that settings select: theme, corners, links and so on, such as
   * `data-theme-style`.
   */
  look: Readonly<Record<string, string>>
  /** The scheme of a reader who has chosen none; `auto` follows the system. */
  scheme: 'auto' | 'light' | 'dark'
  schemeSwitch: boolean
  search: { action: string }
  /** The address that tells scripts who is signed in to this server; undefined on sites. */
  session?: string
  header: HeaderItem[]
  tabs: Tab[]
  variants: Variant[]
  announcement?: Announcement | undefined
  footer: {
    logo?: { light: string; dark: string } | undefined
    groups: { title: string; links: FrameLink[] }[]
    copyright?: string | undefined
    privacy?: string | undefined
    trademark: boolean
  }
  banner?: Banner | undefined
  /** Links for members who are signed in. */
  toolbar: FrameLink[]
}

/** What the head of a page says to search engines and other programs. */
export type Head = {
  title: string
  description: string
  canonical: string
  robots?: string | undefined
  image?: string | undefined
  markdown?: string | undefined
  feed?: string | undefined
  /** The same page in other languages. */
  alternates: { lang: string; href: string }[]
  /** Breadcrumbs for search engines. */
  crumbs: FrameLink[]
}

/** An action in the menu of a page. */
export type PageAction = {
  kind: 'copy' | 'markdown' | 'assistant' | 'mcp' | 'pdf' | 'feed' | 'edit' | 'history' | 'link'
  title: string
  href: string
}

/** A page as a card that leads to it. */
export type PageCard = {
  title: string
  href: string
  emoji?: string | undefined
  icon?: string | undefined
  description?: string | undefined
}

/** A comment or a reply. `html` is written by `content/html`. */
export type CommentPost = {
  id: string
  author: string
  at: { iso: string; text: string }
  isEdited: boolean
  html: string
}

/** A comment with its replies, and how many replies are not shown. */
export type CommentThread = CommentPost & {
  /** Who resolved it and when, as a sentence; undefined for an open one. */
  resolved?: string | undefined
  replies: CommentPost[]
  more: number
}

/** The comments that a page shows, oldest first. */
export type PageComments = {
  /**
   * Those on blocks, in the order of the blocks: their place in the HTML of the page, and the level
   * of the heading above it.
   */
  placed: { at: number; level: number; threads: CommentThread[] }[]
  /** Those on the page as a whole, and those on blocks that it does not have. */
  whole: CommentThread[]
  lost: CommentThread[]
  /** Those on the change request as a whole, on the page where it begins. */
  request: CommentThread[]
  /** How many are not shown: '' for none. */
  more: string
}

/** A page with text. */
export type ArticlePage = {
  kind: 'article'
  head: Head
  id: string
  title: string
  emoji?: string | undefined
  icon?: string | undefined
  description?: string | undefined
  /**
   * The title and the description before, where the page marks what changed: '' for one that it did
   * not have.
   */
  former?: { title: string; description: string } | undefined
  /** Members are told that only they see the page. */
  isDraft?: boolean | undefined
  /**
   * What the page says about its address before, where the page marks what changed and has another
   * address now.
   */
  moved?: string | undefined
  cover?:
    | {
        light: string
        dark?: string | undefined
        y: number
        height?: number | undefined
        hero: boolean
      }
    | undefined
  /** Written by `content/html`. */
  html: string
  /** The comments that a change request has on the page, for members who may read them. */
  comments?: PageComments | undefined
  /** The pages below a page without text. */
  below?: readonly PageCard[]
  /** Whether its text has operations that readers can call. */
  calls?: boolean
  /** Whether its text has diagrams. */
  diagrams?: boolean
  headings: HtmlHeading[]
  breadcrumbs: FrameLink[]
  nav: NavEntry[]
  previous?: FrameLink | undefined
  next?: FrameLink | undefined
  /** When the page last changed, as an ISO date and in words. */
  updated?: { iso: string; text: string; href?: string | undefined } | undefined
  actions: PageAction[]
  /** The form that asks whether the page helped, or the thanks for an answer. */
  feedback?: { action: string; isThanked?: boolean } | undefined
  layout: {
    wide: boolean
    title: boolean
    description: boolean
    tableOfContents: boolean
    outline: boolean
    pagination: boolean
    metadata: boolean
  }
}

/**
 * A hit of a search: a page or a section of one. `passage` is split at the words that were found.
 */
export type SearchHit = {
  title: string
  path: string
  href: string
  passage: { text: string; found: boolean }[]
}

/** The results of a search. */
export type SearchResults = {
  query: string
  hits: SearchHit[]
  /** The number of found pages, and whether there may be more. */
  count: number
  more: boolean
  /**
   * The words that were searched instead, if the query finds nothing; `hits` are the results for
   * them.
   */
  suggestion?: { query: string; href: string } | undefined
  /** The words that the best result lacks, because nothing has all of them. */
  without?: readonly string[] | undefined
}

/** The page of a search, also without JavaScript. */
export type SearchPage = SearchResults & {
  kind: 'search'
  head: Head
  /**
   * The name of the current scope, and the scopes to choose from: a list of sections and a list of
   * variants.
   */
  scope: string
  filters: SearchFilter[][]
  /** The address of the page with all hits. */
  all: string
  nav: NavEntry[]
}

/** A part of a site that a search can be limited to. */
export type SearchFilter = FrameLink & { current: boolean }

/** A page that says that there is nothing here, or why something failed, with ways on. */
export type MessagePage = {
  kind: 'message'
  head: Head
  status: number
  title: string
  text: string
  links: FrameLink[]
  /** The words of the path, for the search field. */
  query?: string | undefined
  /** The results of a search for these words. */
  found?: SearchResults | undefined
  /** The id under which the log has the error. */
  requestId?: string | undefined
  nav: NavEntry[]
}

/** The former versions of a page, latest first. */
export type HistoryPage = {
  kind: 'history'
  head: Head
  title: string
  entries: {
    date: { iso: string; text: string }
    /** The beginning of the id of the commit. */
    revision: string
    author: string
    subject: string
    changeRequest?: FrameLink | undefined
    asOf: string
    changed?: string | undefined
  }[]
  /** The address of earlier entries. */
  older?: string | undefined
  nav: NavEntry[]
}

/** The list of sites of a server: its first page. */
export type SitesPage = {
  kind: 'sites'
  head: Head
  sites: { title: string; href: string; description?: string | undefined }[]
  /** Who is signed in, as a sentence. */
  account?: string | undefined
  /** A link to the account, or to the sign-in. */
  way: FrameLink
  nav: NavEntry[]
}

export type SitePage = ArticlePage | SearchPage | MessagePage | HistoryPage | SitesPage

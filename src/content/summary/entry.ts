import type { Range } from '../text/range.ts'

/** An entry of a table of contents. */
export type SummaryEntry = {
  /**
   * page: the target is a path without a fragment; link: a URL, an app URL or a path with a
   * fragment; text: no target or an empty one; computed: a fenced block of YAML that generates
   * entries.
   */
  kind: 'page' | 'link' | 'text' | 'computed'
  /** The link text as plain text: unescaped, without formatting marks. */
  title: string
  /** Unescaped and without `<>`, but still percent-encoded. */
  target?: string
  linkTitle?: string
  /** The source inside the fence, its indentation removed. */
  yaml?: string
  /** 1 for the top level. */
  depth: number
  children: SummaryEntry[]
  /** The entry's own lines with their line endings. */
  lines: Range
  /** The entry's own lines and those of all its children. */
  range: Range
  /** The offsets of its parts in the source, for edits. */
  at: EntryParts
}

type EntryParts = {
  /** The offsets of the list marker and of the content behind it. */
  marker: number
  content: number
  /** '' for an entry without a list item: a link that is alone on its line. */
  bullet: string
  /** Columns; a tab reaches to the next multiple of four. */
  indent: number
  contentColumn: number
  /** The text between the brackets, or the plain text; absent for an entry without words. */
  text?: Range
  /** The target as written, without `<>`. */
  target?: Range
  angle?: boolean
  /** True if the list item begins on the line of its parent item. */
  shared: boolean
}

/** Something the reader should tell the author of a file; never a reason to refuse the file. */
export type Issue = { message: string; line?: number }

/** A stretch of a source string, as offsets into it. */
export type Range = { start: number; end: number }

export type SummaryEntry = {
  /**
   * page: the target is a path without a fragment; link: an URL, an app URL or a path with a fragment;
   * text: no target or an empty one; computed: a fenced block of YAML that makes entries.
   */
  kind: 'page' | 'link' | 'text' | 'computed'
  /** The link text as plain text: unescaped, without formatting marks. */
  title: string
  /** Unescaped and without `<>`; percent escapes are not decoded. */
  target?: string
  linkTitle?: string
  /** The source inside the fence, its indentation removed. */
  yaml?: string
  /** 1 is the top. */
  depth: number
  children: SummaryEntry[]
  /** The entry's own lines: whole lines with their ends. */
  lines: Range
  /** The entry's own lines and those of all its children. */
  range: Range
}

/** Entries under one heading; `title` is null before the first heading and after a rule. */
export type SummaryGroup = {
  title: string | null
  anchor?: string
  entries: SummaryEntry[]
  heading?: Range
  range: Range
}

export type Summary = { source: string; groups: SummaryGroup[]; issues: Issue[] }

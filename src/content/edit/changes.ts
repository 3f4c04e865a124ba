import type { JSONDocument } from '../document/to-page.ts'
import type { Template } from './template.ts'

/** A page's body: Markdown with or without front matter, a block tree, or nothing (an empty body; for an update: unchanged). */
export type Body = { markdown: string } | { document: JSONDocument } | Record<string, never>

/** What can be said of a page beside its body; '' takes emoji, icon and condition away, null the description too. */
export type PageFields = {
  title?: string | undefined
  slug?: string | undefined
  emoji?: string | undefined
  icon?: string | undefined
  description?: string | null | undefined
  hidden?: boolean | undefined
  noIndex?: boolean | undefined
  noRobotsIndex?: boolean | undefined
  condition?: string | undefined
}

/** Where a page goes: below a page or group (null: at the top), as the how-manieth of those there (absent: last). */
type Placement = { into?: string | null | undefined; at?: number | undefined }

export type InsertPage = { operation: 'insert_page'; document: Body; ref?: string | undefined } & Placement &
  PageFields

export type UpdatePage = {
  operation: 'update_page'
  page: string
  document?: Body | undefined
  /** The revision that the author saw, as a key of `EditSource.snapshots`. */
  baseRevision?: string | undefined
  /** False: links to it stay as they are when its slug changes. */
  rewriteLinks?: boolean | undefined
  /** Its address, and those of the pages below it, lead on when they change. */
  redirect?: boolean | undefined
} & Placement &
  PageFields

/** What becomes of links to what goes: their words alone stay, or they lead to something else (an id, or a ref). */
type Removal = { rewriteLinks?: boolean | undefined; replaceWith?: string | undefined }

export type DeletePage = {
  operation: 'delete_page'
  page: string
  baseRevision?: string | undefined
  /** Its address, and those of the pages below it, lead to the page that takes its place. */
  redirect?: boolean | undefined
} & Removal

/** `revision` is a key of `EditSource.snapshots`; without one it is the snapshot with the key ''. */
export type RevertPage = { operation: 'revert_page'; page: string; revision?: string | undefined }

export type NewFile = { name: string; ref?: string | undefined; bytes: Uint8Array }

export type InsertFiles = { operation: 'insert_files'; files: NewFile[] }

export type InsertGroup = {
  operation: 'insert_group'
  title: string
  slug?: string | undefined
  at?: number | undefined
  ref?: string | undefined
}

/** What a link of the table of contents leads to, inside the space. */
export type InnerTarget =
  | { page: string; anchor?: string | undefined; file?: undefined }
  | { file: string; page?: undefined }

export type InsertLink = {
  operation: 'insert_link'
  title: string
  url?: string | undefined
  target?: InnerTarget | undefined
} & Placement

export type UpdateGroup = {
  operation: 'update_group'
  page: string
  title?: string | undefined
  slug?: string | undefined
  at?: number | undefined
}

export type DeleteFile = { operation: 'delete_file'; file: string } & Removal
export type RenameFile = {
  operation: 'rename_file'
  file: string
  name: string
  /** False: links to it stay as they are. */
  rewriteLinks?: boolean | undefined
}

export type SetVariables = {
  operation: 'set_variables'
  /** All of them: those that are not named go. */
  variables: Record<string, string | number | boolean>
}

/** What a name of a template stands for, as the API says it: its kind, and the id, address or slug that goes with it. */
export type ContentRef = {
  kind: string
  file?: string | undefined
  page?: string | undefined
  anchor?: string | undefined
  url?: string | undefined
  spec?: string | undefined
  /** The space of the page; undefined: the one that the template is put into. */
  space?: string | undefined
}

export type ApplyTemplate = {
  operation: 'apply_template'
  template: Template
  /** By the names of the template. */
  refs: Readonly<Record<string, ContentRef>>
}

/** One change of a batch. Pages and groups are named by id, or by the `ref` of an earlier change of the batch. */
export type Change =
  | InsertPage
  | UpdatePage
  | DeletePage
  | RevertPage
  | InsertFiles
  | InsertGroup
  | InsertLink
  | UpdateGroup
  | DeleteFile
  | RenameFile
  | SetVariables
  | ApplyTemplate

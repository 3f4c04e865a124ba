import type { Oid } from '../../lib/oid.ts'
import type { JSONDocument } from '../document/to-page.ts'
import type { Template } from './template.ts'

/**
 * A page's body: Markdown with or without front matter, a block tree, or neither (empty; for an
 * update: unchanged). With `whole`, the Markdown is the file as it is to be: it gets neither the
 * heading nor the line endings of the page before.
 */
export type Body =
  | { markdown: string; whole?: boolean }
  | { document: JSONDocument }
  | Record<string, never>

/**
 * The fields of a page besides its body; '' removes emoji, icon, condition and description, null
 * the description.
 */
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

/**
 * The place of a page: below a page or group (null: at the top level), at an index among its
 * siblings (absent: last).
 */
type Placement = { into?: string | null | undefined; at?: number | undefined }

export type InsertPage = {
  operation: 'insert_page'
  document: Body
  ref?: string | undefined
} & Placement &
  PageFields

export type UpdatePage = {
  operation: 'update_page'
  page: string
  document?: Body | undefined
  /** The name of the revision that the change is based on. */
  baseRevision?: string | undefined
  /** False: links to the page are not rewritten when its slug changes. */
  rewriteLinks?: boolean | undefined
  /** Adds redirects if the address of the page or of its descendants changes. */
  redirect?: boolean | undefined
} & Placement &
  PageFields

/**
 * The treatment of links to removed content: replaced by their text, or by links to something else
 * (an id or a ref).
 */
export type Removal = { rewriteLinks?: boolean | undefined; replaceWith?: string | undefined }

export type DeletePage = {
  operation: 'delete_page'
  page: string
  baseRevision?: string | undefined
  /** Adds redirects from the address of the page and of its descendants to the replacement. */
  redirect?: boolean | undefined
} & Removal

/**
 * `revision` is the name of a revision; without one, it is the revision that a change request began
 * with.
 */
export type RevertPage = { operation: 'revert_page'; page: string; revision?: string | undefined }

/** A file on disk whose bytes are not looked at: it is written into the repository as a blob. */
type UnreadFile = { oid: Oid; size: number; path: string }

type NewFile = { name: string; ref?: string | undefined } & (
  | { bytes: Uint8Array; unread?: never }
  | { unread: UnreadFile; bytes?: never }
)

export type InsertFiles = { operation: 'insert_files'; files: NewFile[] }

export type InsertGroup = {
  operation: 'insert_group'
  title: string
  slug?: string | undefined
  at?: number | undefined
  ref?: string | undefined
}

/** The target of a link in the table of contents, inside the space. */
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
  /** False: links to the file are not rewritten. */
  rewriteLinks?: boolean | undefined
}

export type SetVariables = {
  operation: 'set_variables'
  /** All variables: those that are missing here are removed. */
  variables: Record<string, string | number | boolean>
}

/** The value of a template's name as in the API: its kind, and the matching id, URL or slug. */
export type ContentRef = {
  kind: string
  file?: string | undefined
  page?: string | undefined
  anchor?: string | undefined
  url?: string | undefined
  spec?: string | undefined
  /** The space of the page; undefined: the space that the template is applied to. */
  space?: string | undefined
}

export type ApplyTemplate = {
  operation: 'apply_template'
  template: Template
  /** By name of the template. */
  refs: Readonly<Record<string, ContentRef>>
}

/**
 * One change of a batch. Pages and groups are identified by id, or by the `ref` of an earlier
 * change of the batch.
 */
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

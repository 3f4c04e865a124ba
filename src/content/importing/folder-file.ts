import type { Oid } from '../../lib/oid.ts'

/** Where the bytes of a file are that becomes one of the space. */
export type KeptBytes = { oid: Oid; size: number; path: string }

/** A file with its path in the folder that is imported: a text, or one that only changes its place. */
export type FolderFile =
  | { path: string; text: string; kept?: never }
  | { path: string; kept: KeptBytes; text?: never }

/** A file as it was read: `html` is a page that is still to be converted. */
export type ReadFile = FolderFile | { path: string; html: string; text?: never; kept?: never }

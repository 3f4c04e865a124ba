import type { Oid } from '../../lib/oid.ts'

/** Where the bytes of a file are that becomes one of the space. */
export type KeptBytes = { oid: Oid; size: number; path: string }

/** A file with its path in the folder that is imported. */
export type FolderFile =
  | { path: string; text: string; kept?: never }
  | { path: string; kept: KeptBytes; text?: never }

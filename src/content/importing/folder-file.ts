import type { Oid } from '../../lib/oid.ts'

/** Where the bytes of a file are that becomes one of the space. */
export type KeptBytes = { oid: Oid; size: number; path: string }

/** A file with its path in the folder that is imported: a text, or one that only changes its place. */
export type FolderFile =
  | { path: string; text: string; kept?: never }
  | { path: string; kept: KeptBytes; text?: never }

/** A picture of a page that is not in its HTML. */
export type PagePicture = { ending: string; kept: KeptBytes }

/**
 * A page that is still to be converted. The address of a picture in `pictures` is `data:,` and its place;
 * without them, pictures are in their addresses.
 */
export type ReadPage = {
  path: string
  html: string
  pictures?: readonly PagePicture[]
  text?: never
  kept?: never
}

/** A file as it was read. */
export type ReadFile = FolderFile | ReadPage

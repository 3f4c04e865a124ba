type BlobLinksTable = { oid: string; version: number; facts: string }

/** The tables of links in `derived.sql`, by name. */
export type LinksTables = { blob_links: BlobLinksTable }

type BlobLinksTable = { oid: string; version: number; facts: string }

/** The tables of `migrations/0005-links.sql`, by name. */
export type LinksTables = { blob_links: BlobLinksTable }

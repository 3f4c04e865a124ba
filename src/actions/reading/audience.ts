/**
 * What determines what a reader is shown: their claims, and whether they read drafts. Answers for
 * one `claimsId` are the same: it is the digest of the claims, '' for none.
 */
export type Audience = {
  claims: Readonly<Record<string, unknown>>
  claimsId: string
  /** The id of the space whose drafts the reader is shown, as a member who may read it. */
  draftsOf?: string
}

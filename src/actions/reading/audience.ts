/** The claims that determine what a reader is shown, and their digest: '' for no claims. */
export type Audience = { claims: Readonly<Record<string, unknown>>; claimsId: string }

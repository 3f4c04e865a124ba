import type { Variables } from '../tree/variables.ts'

/** What expressions on a page see, as plain data. */
export type PageScope = {
  space: { vars: Readonly<Variables> }
  /** There only when the page has variables of its own. */
  page?: { vars: Readonly<Variables> }
  visitor: { claims: Readonly<Record<string, unknown>> }
}

/** Claims of a reader of whom nothing is known. */
export const noClaims: PageScope['visitor']['claims'] = { unsigned: {} }

/** What the expressions on one page see: variables of the space and of the page, and what is claimed of the reader. */
export const pageScope = (
  ofSpace: Readonly<Variables>,
  ofPage: Readonly<Variables> | undefined,
  claims = noClaims,
): PageScope => ({
  space: { vars: ofSpace },
  ...(ofPage && Object.keys(ofPage).length > 0 && { page: { vars: ofPage } }),
  visitor: { claims },
})

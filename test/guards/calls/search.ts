import { type Calls, fresh } from './call.ts'

const asked = fresh(() => ({ query: '?query=page' }))

/** Searches, which need a query. */
export const search: Calls = {
  searchSpaceContent: asked,
  searchChangeRequestContent: asked,
  searchRevisionContent: asked,
  searchOrganizationContent: asked,
}

import { recordOn } from '../events/record-event.ts'

/** Records an event of a site. Call inside the transaction that makes it happen. */
export const recordSiteEvent = recordOn('site')

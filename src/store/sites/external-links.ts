import { Rows } from '../rows.ts'

const links = new Rows('site_external_link')

/** Inserts an external link. */
export const insertExternalLink = links.insert

/** Updates an external link. */
export const updateExternalLink = links.set('id')

/** Deletes an external link. */
export const deleteExternalLink = links.remove('id')

import { Rows } from '../rows.ts'

const siteSpaces = new Rows('site_space')

/** Inserts a site space. */
export const insertSiteSpace = siteSpaces.insert

/** Updates a site space. Returns the new row. */
export const updateSiteSpace = siteSpaces.update('id')

/** Deletes a site space; triggers delete the former paths and redirects that lead to it. */
export const deleteSiteSpace = siteSpaces.remove('id')

/** Returns the site spaces that show a space, oldest first. */
export const listSiteSpacesWith = siteSpaces.list('seq', 'space_id')

/** Returns site spaces by id. */
export const findSiteSpaces = siteSpaces.findAll('id')

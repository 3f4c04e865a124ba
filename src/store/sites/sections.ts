import { Rows } from '../rows.ts'

const sections = new Rows('site_section')
const groups = new Rows('site_section_group')

/** Inserts a section. */
export const insertSection = sections.insert

/** Updates a section. Returns the new row. */
export const updateSection = sections.update('id')

/**
 * Deletes a section with its site spaces; triggers delete the former paths and redirects that lead
 * to them.
 */
export const deleteSection = sections.remove('id')

/** Inserts a section group. */
export const insertSectionGroup = groups.insert

/** Updates a section group. Returns the new row. */
export const updateSectionGroup = groups.update('id')

/** Deletes an empty section group. */
export const deleteSectionGroup = groups.remove('id')

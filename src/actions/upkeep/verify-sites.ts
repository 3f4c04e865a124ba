import type { Context } from '../../context.ts'
import { listAllOrganizations } from '../../store/people/organizations.ts'
import { listSitesOf } from '../../store/sites/sites.ts'
import { readStructure, type StructureRows } from '../../store/sites/structure.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import type { Problem } from './verify-repository.ts'

/** Returns the sites whose structure is not sound: its defaults, its groups, and what lies at the root. */
export const verifySites = ({ store }: Context): Problem[] =>
  listAllOrganizations(store).flatMap(({ id }) =>
    listSitesOf(store, id).flatMap(site =>
      faultsOf(site, readStructure(store, site.id)).map(fault => ({
        organization: id,
        what: `The structure of the site ${site.id} is damaged: ${fault}.`,
        remedy: 'Restore the last good backup, or delete the site and create it again.',
      })),
    ),
  )

function faultsOf(site: SiteRow, { groups, sections, siteSpaces }: StructureRows): string[] {
  const isAmong = (rows: readonly { id: string }[], id: string | null) =>
    id === null || rows.some(row => row.id === id)
  const inSection = (id: string | null) => siteSpaces.filter(row => row.section_id === id)
  const parents = new Map(groups.map(row => [row.id, row.parent_id]))
  const tooDeep = groups.some(({ parent_id }) => parent_id !== null && parents.get(parent_id) !== null)
  return [
    ...(isAmong(sections, site.default_section_id) ? [] : ['its default section is not on it']),
    ...(isAmong(inSection(null), site.default_site_space_id)
      ? []
      : ['its default site space is not at its root']),
    ...sections
      .filter(({ id, default_site_space_id }) => !isAmong(inSection(id), default_site_space_id))
      .map(({ id }) => `the default site space of the section ${id} is not in it`),
    ...(sections.every(({ group_id }) => group_id === null || parents.has(group_id))
      ? []
      : ['a section is in a group of another site']),
    // A group in a group is in none further; so is a group in itself, or in a missing one.
    ...(tooDeep ? ['its groups are nested in more than two levels'] : []),
    ...(sections.length + groups.length > 0 && inSection(null).length > 0
      ? ['it has sections and site spaces at its root']
      : []),
  ]
}

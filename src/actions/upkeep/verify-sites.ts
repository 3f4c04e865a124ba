import type { Context } from '../../context.ts'
import { listAllOrganizations } from '../../store/people/organizations.ts'
import { countShareLinks, listShareLinks } from '../../store/sites/share-links.ts'
import { listSitesOf } from '../../store/sites/sites.ts'
import { readStructure, type StructureRows } from '../../store/sites/structure.ts'
import { findVisitorAuth } from '../../store/sites/visitor-auth.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import type { Problem } from './verify-repository.ts'
import { findUnopened } from './verify-secrets.ts'

/**
 * Returns the problems of all sites: structures that are not sound (their defaults, their groups,
 * and what lies at the root), and visitor keys and share links that the key of the data folder does
 * not decrypt.
 */
export const verifySites = (ctx: Context): Problem[] =>
  listAllOrganizations(ctx.store).flatMap(({ id }) =>
    listSitesOf(ctx.store, id)
      .flatMap(site => [...structureProblems(ctx, site), ...sealedProblems(ctx, site)])
      .map(problem => ({ organization: id, ...problem })),
  )

const structureProblems = ({ store }: Context, site: SiteRow): Problem[] =>
  faultsOf(site, readStructure(store, site.id)).map(fault => ({
    what: `The structure of the site ${site.id} is damaged: ${fault}.`,
    remedy: 'Restore the last good backup, or delete the site and create it again.',
  }))

function sealedProblems(ctx: Context, { id }: SiteRow): Problem[] {
  const auth = findVisitorAuth(ctx.store, id)
  const links = listShareLinks(ctx.store, id, countShareLinks(ctx.store, id))
  const visitorKey = auth && {
    what: `The visitor key of the site ${id}`,
    purpose: 'visitor key',
    sealed: auth.key_sealed,
    renew: 'regenerate the visitor key',
  }

  return findUnopened(ctx, [
    ...(visitorKey ? [visitorKey] : []),
    ...links.map(link => ({
      what: `The key of the share link ${link.id} of the site ${id}`,
      purpose: 'share link',
      sealed: link.key_sealed,
      renew: 'delete the share link and create another',
    })),
  ])
}

function faultsOf(site: SiteRow, { groups, sections, links, siteSpaces }: StructureRows): string[] {
  const isAmong = (rows: readonly { id: string }[], id: string | null) =>
    id === null || rows.some(row => row.id === id)
  const inSection = (id: string | null) => siteSpaces.filter(row => row.section_id === id)
  const parents = new Map(groups.map(row => [row.id, row.parent_id]))
  const tooDeep = groups.some(
    ({ parent_id }) => parent_id !== null && parents.get(parent_id) !== null,
  )

  return [
    ...(isAmong(sections, site.default_section_id) ? [] : ['its default section is not on it']),
    ...(isAmong(inSection(null), site.default_site_space_id)
      ? []
      : ['its default site space is not at its root']),
    ...sections
      .filter(({ id, default_site_space_id }) => !isAmong(inSection(id), default_site_space_id))
      .map(({ id }) => `the default site space of the section ${id} is not in it`),
    ...([...sections, ...links].every(({ group_id }) => group_id === null || parents.has(group_id))
      ? []
      : ['a section or link is in a group of another site']),
    // A group in a group is in none further; so is a group in itself, or in a missing one.
    ...(tooDeep ? ['its groups are nested in more than two levels'] : []),
    ...(sections.length + groups.length > 0 && inSection(null).length > 0
      ? ['it has sections and site spaces at its root']
      : []),
  ]
}

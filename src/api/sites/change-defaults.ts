import type { z } from 'zod'
import { viewForUser } from '../../actions/sites/view-for-user.ts'
import type { SectionView, SiteView } from '../../actions/sites/view-site.ts'
import type { Context } from '../../context.ts'
import { invalid, missing } from '../../errors.ts'
import { updateSection } from '../../store/sites/sections.ts'
import { updateSite } from '../../store/sites/sites.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import type { SitePatch } from './schema.ts'

/** The ids of the defaults, for the audit log; null for none. */
type Defaults = { defaultSiteSection?: string | null; defaultSiteSpace?: string | null }

type Changed = { site: SiteRow; defaults: { before: Defaults; after: Defaults } | undefined }

/**
 * Sets the default section and then the default site space that a body names: one of the default
 * section, or of the root. Returns the row of the site; call it inside a transaction. Throws
 * 'missing' for ids of parts that the user may not see, and 'invalid' for a site space elsewhere.
 */
export function changeDefaults(
  ctx: Context,
  row: SiteRow,
  { defaultSiteSection, defaultSiteSpace }: z.output<typeof SitePatch>,
  user: { id: string },
): Changed {
  if (defaultSiteSection === undefined && defaultSiteSpace === undefined)
    return { site: row, defaults: undefined }
  const first = viewForUser(ctx, row, user, 'create')
  const before: Defaults = {}
  const after: Defaults = {}
  let site = row

  if (defaultSiteSection !== undefined) {
    if (!first.sections.some(({ row: { id } }) => id === defaultSiteSection))
      throw missing('section', defaultSiteSection)
    before.defaultSiteSection = row.default_section_id
    after.defaultSiteSection = defaultSiteSection
    site = updateSite(ctx.store, row.id, { default_section_id: defaultSiteSection }) as SiteRow
  }

  if (defaultSiteSpace !== undefined) {
    const view = viewForUser(ctx, site, user, 'create')
    const section = sectionFor(view, defaultSiteSection)
    checkFits(view, section, defaultSiteSpace)
    after.defaultSiteSpace = defaultSiteSpace

    if (section) {
      before.defaultSiteSpace = section.row.default_site_space_id
      updateSection(ctx.store, section.row.id, { default_site_space_id: defaultSiteSpace })
    } else {
      before.defaultSiteSpace = site.default_site_space_id
      site = updateSite(ctx.store, row.id, { default_site_space_id: defaultSiteSpace }) as SiteRow
    }
  }

  return { site, defaults: { before, after } }
}

/**
 * Returns the section that the default site space is set in: the one that the body names, else the
 * default.
 */
const sectionFor = ({ sections }: SiteView, named: string | undefined): SectionView | undefined =>
  sections.find(({ row, isDefault }) => (named === undefined ? isDefault : row.id === named))

function checkFits({ siteSpaces }: SiteView, section: SectionView | undefined, id: string): void {
  const found = siteSpaces.find(({ row }) => row.id === id)
  if (!found) throw missing('site space', id)
  if (section && found.row.section_id !== section.row.id)
    throw invalid(
      `"defaultSiteSpace" in the body: the site space "${id}" is not in the default section. Name its section as "defaultSiteSection", or set the default of its section.`,
    )
}

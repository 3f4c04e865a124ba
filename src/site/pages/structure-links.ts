import { type ShownOnSite, variantPages } from '../../actions/sites/variant-pages.ts'
import type { StructureView } from '../../actions/sites/view-site.ts'
import type { Settings } from '../../content/customization/schema.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { SitePlace } from '../place/place.ts'
import type { Tab, Variant } from '../views/model.ts'

type IconOf = (name: string | null) => string | undefined

/**
 * Returns the sections and external links of a site as tabs; none for a site without sections, and
 * for one with a single section.
 */
export function sectionsOf(place: SitePlace, iconOf: IconOf): Tab[] {
  const { root, sections } = place.view
  if (root.type === 'siteSpaces') return []
  const hasLinks = root.items.some(({ kind }) => kind === 'site-external-link')
  if (sections.length < 2 && !hasLinks) return []
  return root.items.map(item => tabOf(place, item, iconOf))
}

function tabOf(place: SitePlace, item: StructureView, iconOf: IconOf): Tab {
  if (item.kind === 'site-section-group') {
    const children = item.children.map(child => tabOf(place, child, iconOf))
    const { title, icon } = item.row
    const current = children.some(child => child.current)

    return {
      title,
      icon: iconOf(icon),
      href: children[0]?.href ?? place.siteBase,
      current,
      children,
    }
  }

  if (item.kind === 'site-external-link') {
    const { title, icon, description, url } = item.row
    return {
      title,
      icon: iconOf(icon),
      description: description ?? undefined,
      href: url,
      current: false,
      children: [],
    }
  }

  const { row, path } = item
  return {
    title: row.title,
    icon: iconOf(row.icon),
    description: row.description ?? undefined,
    href: place.siteBase + path,
    current: place.resolved.siteSpace.section?.id === row.id,
    children: [],
  }
}

/** Returns the content of a place as what its site shows. */
export const shownAt = (place: SitePlace, settings: Settings): ShownOnSite => ({
  ctx: place.ctx,
  view: place.view,
  siteSpace: place.resolved.siteSpace,
  settings,
  content: place.open.shown.content,
  audience: place.open.audience ?? { claims: {}, claimsId: '' },
})

/**
 * Returns the variants of the section of a place, with the addresses of the same page where they
 * have it.
 */
export const variantsOf = async (
  place: SitePlace,
  settings: Settings,
  page?: PageNode,
): Promise<Variant[]> =>
  (await variantPages(shownAt(place, settings), page)).map(
    ({ siteSpace, current, page: same }) => ({
      title: siteSpace.space.title,
      href: place.siteBase + (same?.path ?? siteSpace.path),
      current,
      page: same,
    }),
  )

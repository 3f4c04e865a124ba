import { findShownPage } from '../../actions/reading/shows-page.ts'
import type { StructureView } from '../../actions/sites/view-site.ts'
import { pageLanguage } from '../../content/customization/language.ts'
import type { Settings } from '../../content/customization/schema.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { encodePath, pathOfPage } from '../../content/tree/page-address.ts'
import type { SitePlace } from '../place/place.ts'
import type { Tab, Variant } from '../views/model.ts'

/** The most variants in which the same page is looked up. */
const mostLookedUp = 10

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

/**
 * Returns the variants of the section of a place, with the addresses of the same page where they
 * have it.
 */
export async function variantsOf(
  place: SitePlace,
  settings: Settings,
  page?: PageNode,
): Promise<Variant[]> {
  const { ctx, view, resolved, siteBase, open } = place
  const { section, row } = resolved.siteSpace
  const siteSpaces = view.siteSpaces.filter(each => each.section?.id === section?.id)
  if (siteSpaces.length < 2) return []

  const audience = open.audience ?? { claims: {}, claimsId: '' }
  const wanted = page && { path: pathOfPage(open.shown.content, page), id: page.id }

  return Promise.all(
    siteSpaces.map(async (each, at) => {
      const current = each.row.id === row.id
      const found =
        wanted && at < mostLookedUp
          ? await findShownPage(ctx, each.space, wanted, audience)
          : undefined
      const path = each.path + (found ? encodePath(pathOfPage(found.content, found.node)) : '')

      return {
        title: each.space.title,
        href: siteBase + path,
        current,
        page: found && {
          path,
          lang: pageLanguage(settings, each.space.language).lang,
          isDefault: each.isDefault,
        },
      }
    }),
  )
}

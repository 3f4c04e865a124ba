import { showsPage } from '../../actions/reading/shows-page.ts'
import type { SectionGroupView, SectionView } from '../../actions/sites/view-site.ts'
import { encodePath } from '../place/page-address.ts'
import type { Place } from '../place/place.ts'
import type { Tab, Variant } from '../views/model.ts'

/** The most variants in which the same page is looked up. */
const mostLookedUp = 10

type IconOf = (name: string | null) => string | undefined

/** Returns the sections of a site as tabs; none for a site without sections, and for one with a single section. */
export function sectionsOf(place: Place, iconOf: IconOf): Tab[] {
  const { root, sections } = place.view
  if (root.type === 'siteSpaces' || sections.length < 2) return []
  return root.items.map(item => tabOf(place, item, iconOf))
}

function tabOf(place: Place, item: SectionView | SectionGroupView, iconOf: IconOf): Tab {
  if (item.kind === 'site-section-group') {
    const children = item.children.map(child => tabOf(place, child, iconOf))
    const { title, icon } = item.row
    const current = children.some(child => child.current)
    return { title, icon: iconOf(icon), href: children[0]?.href ?? place.siteBase, current, children }
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

/** Returns the variants of the section of a place, with the addresses of the same page where they have it. */
export async function variantsOf(place: Place): Promise<Variant[]> {
  const { ctx, view, resolved, siteBase, path, open } = place
  const sectionId = resolved.siteSpace.section?.id
  const siteSpaces = view.siteSpaces.filter(each => each.section?.id === sectionId)
  if (siteSpaces.length < 2) return []
  const audience = open.audience ?? { claims: {}, claimsId: '' }
  return Promise.all(
    siteSpaces.map(async (each, at) => {
      const current = each.row.id === resolved.siteSpace.row.id
      const base = siteBase + each.path
      const isThere =
        current || (at < mostLookedUp && path !== '' && (await showsPage(ctx, each.space, path, audience)))
      return { title: each.space.title, href: isThere ? base + encodePath(path) : base, current }
    }),
  )
}

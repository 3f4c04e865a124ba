import type { SectionView, SiteSpaceView } from '../../../actions/sites/view-site.ts'
import type { SitePlace } from '../../place/place.ts'
import type { SearchFilter } from '../../views/model.ts'

/** Maximum number of sections, and of variants, to offer. */
const mostOffered = 20

/**
 * The site spaces that a search covers. `name` is the scope in an address: '' for the open site
 * space and the default variants of the other sections, `<section>`, `<section>/<variant>`, or
 * `<variant>` on a site without sections.
 */
type SearchScope = {
  name: string
  siteSpaces: SiteSpaceView[]
  /** The section and the variant that the search is limited to. */
  section: SectionView | undefined
  variant: SiteSpaceView | undefined
}

type ScopePlace = Pick<SitePlace, 'view' | 'resolved' | 'scope'>

/** Returns the scope with a name. Unknown names give the scope of everything. */
export function searchScope(place: ScopePlace, name: string): SearchScope {
  const { view, resolved, scope } = place
  const { siteSpace } = resolved
  const everything = { name: '', section: undefined, variant: undefined }
  if (scope) return { ...everything, siteSpaces: [siteSpace] }

  const section = view.sections.find(({ row }) => row.path === name)
  if (section) return { name, section, variant: undefined, siteSpaces: [openIn(place, section)] }

  const variant = view.siteSpaces.find(each => nameOf(each) === name)

  if (variant) {
    const around = view.sections.find(({ row }) => row.id === variant.section?.id)
    return { name, section: around, variant, siteSpaces: [variant] }
  }

  const others = view.siteSpaces.filter(
    each => each.section?.id !== siteSpace.section?.id && each.isDefault,
  )

  return { ...everything, siteSpaces: [siteSpace, ...others] }
}

const nameOf = ({ section, row }: SiteSpaceView): string =>
  section ? `${section.path}/${row.path}` : row.path

/** Returns the variant of a section that is open, or its default. */
function openIn({ resolved }: ScopePlace, { siteSpaces }: SectionView): SiteSpaceView {
  const { row } = resolved.siteSpace
  return (siteSpaces.find(each => each.row.id === row.id) ??
    siteSpaces.find(({ isDefault }) => isDefault) ??
    siteSpaces[0]) as SiteSpaceView
}

/**
 * Returns the scopes to choose from: a list of the sections, the open one first, and a list of the
 * variants of the chosen or open section, in the order of the site. Lists with a single entry are
 * left out.
 */
export function searchFilters(
  place: SitePlace,
  chosen: SearchScope,
  { everywhere, addressOf }: { everywhere: string; addressOf: (name: string) => string },
): SearchFilter[][] {
  const { view, resolved, scope } = place
  if (scope) return []
  const filter = (title: string, name: string, current: boolean): SearchFilter => ({
    title,
    href: addressOf(name),
    current,
  })
  const open = resolved.siteSpace.section?.id
  const sections = [...view.sections].sort(
    (a, b) => Number(b.row.id === open) - Number(a.row.id === open),
  )
  const ofSections = [
    filter(everywhere, '', chosen.section === undefined),
    ...bounded(sections, ({ row }) => row.id === chosen.section?.row.id).map(({ row }) =>
      filter(row.title, row.path, row.id === chosen.section?.row.id),
    ),
  ]
  const within = chosen.section?.row.id ?? open
  const variants = view.siteSpaces.filter(({ section }) => section?.id === within)
  const isSearched = ({ row }: SiteSpaceView) =>
    chosen.siteSpaces.some(each => each.row.id === row.id)
  const ofVariants = bounded(variants, isSearched).map(each =>
    filter(each.space.title, nameOf(each), isSearched(each)),
  )

  return [view.sections.length > 1 ? ofSections : [], ofVariants].filter(list => list.length > 1)
}

/** Returns the first `mostOffered` items, and the chosen one if it is not among them. */
function bounded<Item>(items: readonly Item[], isChosen: (item: Item) => boolean): Item[] {
  const first = items.slice(0, mostOffered)
  return first.some(isChosen) ? first : [...first, ...items.filter(isChosen)]
}

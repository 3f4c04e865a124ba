import { movedAmong } from '../../../content/summary/moved-among.ts'
import { apiAddresses } from '../../../content/tree/browser-addresses.ts'
import type { ContentTree } from '../../../content/tree/build.ts'
import { presentPages } from '../present-page.ts'
import type { Page } from '../schema.ts'
import { differing } from './attributes.ts'
import type { Change } from './changes-schema.ts'

/** A page with its place in the tree. */
type Placed = {
  page: Page
  oid: string | undefined
  parent: Page | undefined
  siblings: readonly Page[]
}

/**
 * Returns the changes of pages between two trees, matched by id: in the order of the later tree,
 * then the deleted ones.
 */
export function pageChanges(before: ContentTree | undefined, after: ContentTree): Change[] {
  const [old, now] = [placed(before), placed(after)]
  const moved = movedPages(old, now)
  const changes: Change[] = []

  for (const [id, place] of now) {
    const was = old.get(id)
    const page = named(place.page)
    if (!was) {
      changes.push({ type: 'page_created', page })
      continue
    }

    if (moved.has(id)) {
      const [from, to] = [was.parent, place.parent]
      const parent = { ...(from && { before: named(from) }), ...(to && { after: named(to) }) }
      changes.push({ type: 'page_moved', page, parent })
    }

    const attributes = differing(fieldsOf(was), fieldsOf(place))
    if (attributes) changes.push({ type: 'page_edited', page, attributes })
  }

  for (const [id, { page }] of old)
    if (!now.has(id)) changes.push({ type: 'page_deleted', page: named(page) })

  return changes
}

function placed(content: ContentTree | undefined): Map<string, Placed> {
  const places = new Map<string, Placed>()
  if (!content) return places
  const walk = (siblings: readonly Page[], parent: Page | undefined) => {
    for (const page of siblings) {
      const oid = content.pageById.get(page.id)?.file?.oid
      places.set(page.id, { page, oid, parent, siblings })
      walk(page.pages ?? [], page)
    }
  }

  walk(presentPages(content.pages, { content, app: apiAddresses(''), metadata: false }), undefined)

  return places
}

/**
 * Returns the pages with another parent, and those that changed their order among the siblings that
 * they kept.
 */
function movedPages(
  old: ReadonlyMap<string, Placed>,
  now: ReadonlyMap<string, Placed>,
): Set<string> {
  const moved = new Set<string>()
  const seen = new Set<readonly Page[]>()
  for (const [id, { parent, siblings }] of now) {
    const was = old.get(id)
    if (!was) continue

    if (was.parent?.id !== parent?.id) moved.add(id)
    else if (!seen.has(siblings)) {
      seen.add(siblings)
      const stayed = (pages: readonly Page[]) =>
        pages
          .map(page => page.id)
          .filter(each => isUnder(old, each, parent) && isUnder(now, each, parent))
      for (const each of movedAmong(stayed(was.siblings), stayed(siblings))) moved.add(each)
    }
  }

  return moved
}

function isUnder(
  places: ReadonlyMap<string, Placed>,
  id: string,
  parent: Page | undefined,
): boolean {
  const place = places.get(id)
  return place !== undefined && place.parent?.id === parent?.id
}

const named = (page: Page) => ({
  id: page.id,
  type: page.type,
  title: page.title,
  ...('path' in page && { path: page.path }),
})

function fieldsOf({ page, oid }: Placed) {
  const { title, emoji, icon } = page
  const all = { title, emoji, icon }
  if (page.type === 'link') return { ...all, target: page.target }
  if (page.type === 'computed') return all
  if (page.type === 'group') return { ...all, slug: page.slug }
  const { slug, description, cover, layout, variables, hidden, noIndex, noRobotsIndex } = page
  const shown = { hidden, noIndex, noRobotsIndex }
  return { ...all, slug, description, document: oid, cover, layout, variables, ...shown }
}

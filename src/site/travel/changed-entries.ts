import { addressOfPage, encodePath } from '../../content/tree/page-address.ts'
import { fileAddress } from '../place/file-address.ts'
import type { SitePlace } from '../place/place.ts'
import { readsEverything } from '../place/rights.ts'
import { comparedIn } from '../place/scope.ts'
import type { Banner, ChangedEntry } from '../views/model.ts'

/** The most pages and files that the banner lists. */
const mostListed = 200

/**
 * Returns what differs in the content that a place compares: its pages, then the files that are the
 * text of no page, for those who may read all of the space. Undefined where nothing differs or is
 * compared.
 */
export function changedEntries(place: SitePlace): Banner['changed'] {
  const compared = comparedIn(place.scope)
  if (!compared) return undefined
  const { marks, removed } = compared.pages
  const files = filesIn(place)
  const count = marks.size + removed.length + files.length
  if (count === 0) return undefined

  const entries = [...pageEntries(place), ...removedEntries(place)].slice(0, mostListed)
  const rest = files.slice(0, mostListed - entries.length)
  const all = [...entries, ...rest.map(file => fileEntry(place, file))]

  return { entries: all, more: count - all.length }
}

/** Returns the files that differ and that the reader of a place may know of. */
export const filesIn = (place: SitePlace) =>
  readsEverything(place) ? (comparedIn(place.scope)?.files ?? []) : []

function* pageEntries({ scope, open, base }: SitePlace): Generator<ChangedEntry> {
  const { content } = open.shown
  for (const [id, mark] of comparedIn(scope)?.pages.marks ?? []) {
    const node = content.pageById.get(id)
    if (!node) continue
    const href = node.file && addressOfPage(base, content, node)
    yield { title: node.title, href, mark }
  }
}

function* removedEntries({ scope, base }: SitePlace): Generator<ChangedEntry> {
  for (const { page } of comparedIn(scope)?.pages.removed ?? []) {
    const href = page.file && base + encodePath(page.path)
    yield { title: page.title, href, mark: 'removed' }
  }
}

function fileEntry(
  place: SitePlace,
  { path, mark, oid }: ReturnType<typeof filesIn>[number],
): ChangedEntry {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { title: path, href: oid && fileAddress(place, { oid, name }), mark }
}

import type { RevisionLink } from '../../content/links/list.ts'
import { pauses } from '../../lib/slices.ts'

type LinkFilters = {
  status?: RevisionLink['status'] | undefined
  brokenContext?: 'change-request' | 'space' | undefined
}

type LinkStats = { total: number; broken: { total: number; changeRequest?: number } }

type Selection = {
  isAsked: (link: RevisionLink) => boolean
  /**
   * The indexes of the links that the change request breaks; undefined without a change request.
   */
  broken: ReadonlySet<number> | undefined
  filters: LinkFilters
  signal: AbortSignal | undefined
}

/** Returns the links in scope that the filters select, and counts of all links in scope. */
export async function selectLinks(
  all: readonly RevisionLink[],
  { isAsked, broken, filters, signal }: Selection,
): Promise<{ wanted: RevisionLink[]; stats: LinkStats }> {
  const stats: LinkStats = { total: 0, broken: { total: 0, ...(broken && { changeRequest: 0 }) } }
  const wanted: RevisionLink[] = []
  const pause = pauses(signal)

  for (const [at, link] of all.entries()) {
    if (at % 4096 === 4095) await pause()
    if (!isAsked(link)) continue
    const isBroken = link.status === 'broken'
    const isNew = isBroken && broken?.has(at) === true
    stats.total++
    if (isBroken) stats.broken.total++
    if (isNew) stats.broken.changeRequest!++
    if (isSelected(filters, link.status, isBroken, isNew)) wanted.push(link)
  }

  return { wanted, stats }
}

function isSelected(
  { status, brokenContext }: LinkFilters,
  own: RevisionLink['status'],
  isBroken: boolean,
  isNew: boolean,
): boolean {
  if (status !== undefined && own !== status) return false
  if (!brokenContext) return true
  return isBroken && isNew === (brokenContext === 'change-request')
}

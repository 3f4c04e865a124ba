import { invalid } from '../../errors.ts'
import { listSiblings, type Sibling, setPosition } from '../../store/spaces/siblings.ts'
import type { Store } from '../../store/store.ts'

export type Pointer = { type: 'space'; space: string } | { type: 'collection'; collection: string }
/** The sibling before or after which an item is placed; the default is the last position. */
export type Position = { before?: Pointer | undefined; after?: Pointer | undefined }

type Item = Omit<Sibling, 'position'>

const same = (a: Item, b: Item): boolean => a.kind === b.kind && a.id === b.id

/**
 * Places a space or collection at a position in its collection, or at the top level of its
 * organization (parent null). Returns false if it is already there. Throws 'invalid' if the
 * position names an item that is not a sibling.
 */
export function placeAmongSiblings(
  store: Store,
  item: Item,
  { organizationId, parentId }: { organizationId: string; parentId: string | null },
  position: Position,
): boolean {
  const siblings = listSiblings(store, organizationId, parentId)
  const others = siblings.filter(sibling => !same(sibling, item))
  const index = indexOf(others, position)
  const own = siblings.find(sibling => same(sibling, item))
  if (own && siblings.indexOf(own) === index) return false

  let last = 0

  for (const entry of [...others.slice(0, index), item, ...others.slice(index)]) {
    // Positions only have to increase: items in the right order are not written again.
    const held = 'position' in entry ? (entry as Sibling).position : 0
    if (held > last) {
      last = held
      continue
    }
    last += 1
    setPosition(store, entry, last)
  }

  return true
}

/** Returns how many of the other siblings come before the item. */
function indexOf(others: readonly Sibling[], { before, after }: Position): number {
  const find = (pointer: Pointer): number => {
    const id = pointer.type === 'space' ? pointer.space : pointer.collection
    const index = others.findIndex(other => same(other, { kind: pointer.type, id }))
    if (index < 0) {
      throw invalid(
        `"position" in the body: the ${pointer.type} "${id.slice(0, 100)}" is not another item in the same collection.`,
      )
    }
    return index
  }
  const first = before && find(before)
  const behind = after && find(after) + 1
  if (first !== undefined && behind !== undefined && first !== behind) {
    throw invalid('"position" in the body: "before" and "after" must name two adjacent items.')
  }

  return first ?? behind ?? others.length
}

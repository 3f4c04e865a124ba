import { invalid } from '../../errors.ts'
import { listSiblings, type Sibling, setPosition } from '../../store/spaces/siblings.ts'
import type { Store } from '../../store/store.ts'

export type Pointer = { type: 'space'; space: string } | { type: 'collection'; collection: string }
/** Beside what something shall stand; the end when nothing is said. */
export type Position = { before?: Pointer | undefined; after?: Pointer | undefined }

type Item = Omit<Sibling, 'position'>

const same = (a: Item, b: Item): boolean => a.kind === b.kind && a.id === b.id

/**
 * Puts a space or collection at a position among what lies in a collection, or at the top of an organization (parent
 * null). False when it stands there already. Throws 'invalid' when the position names something that does not lie there.
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
    // Positions need only grow from one to the next: what stands right already is not written.
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

/** How many of the others come first. */
function indexOf(others: readonly Sibling[], { before, after }: Position): number {
  const find = (pointer: Pointer): number => {
    const id = pointer.type === 'space' ? pointer.space : pointer.collection
    const index = others.findIndex(other => same(other, { kind: pointer.type, id }))
    if (index < 0) {
      throw invalid(
        `"position" in the body: the ${pointer.type} "${id.slice(0, 100)}" is no other item of the same place.`,
      )
    }
    return index
  }
  const first = before && find(before)
  const behind = after && find(after) + 1
  if (first !== undefined && behind !== undefined && first !== behind) {
    throw invalid('"position" in the body: "before" and "after" name no two items that follow one another.')
  }
  return first ?? behind ?? others.length
}

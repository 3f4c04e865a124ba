import type { Steps } from '../../lib/slices.ts'
import type { PageElement, PageNode } from './nodes.ts'

/** The attributes of marks, which authors cannot set. */
const reserved = ['change', 'change-id', 'words']

/** Reports whether an element has an attribute of marks. */
export const isReserved = ({ attributes }: PageElement): boolean =>
  attributes.change !== undefined ||
  attributes['change-id'] !== undefined ||
  attributes.words !== undefined

function withoutReserved(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !reserved.includes(name)))
}

/** Returns a tree in which no element has the attributes of marks: the tree itself, if none has. */
export function* cleanTree(root: PageElement): Steps<PageElement> {
  const waiting = [root]
  for (let seen = 1, element = waiting.pop(); element; element = waiting.pop()) {
    if (isReserved(element)) return yield* rebuilt(root)
    for (const node of element.nodes) if (typeof node !== 'string') waiting.push(node)
    if (seen++ % 256 === 0) yield
  }
  return root
}

function* rebuilt(element: PageElement): Steps<PageElement> {
  let nodes: PageNode[] | undefined
  for (const [at, node] of element.nodes.entries()) {
    if (at % 256 === 255) yield
    if (typeof node === 'string') continue
    if (node.nodes.length === 0 && !isReserved(node)) continue
    const clean = yield* rebuilt(node)
    if (clean === node) continue
    nodes ??= [...element.nodes]
    nodes[at] = clean
  }

  if (!nodes && !isReserved(element)) return element

  return {
    ...element,
    attributes: withoutReserved(element.attributes),
    nodes: nodes ?? element.nodes,
  }
}

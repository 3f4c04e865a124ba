import { isMap, isNode, isScalar, isSeq, type Node } from 'yaml'

/**
 * What front matter tells search engines, as written: the page to list in place of this one, and
 * the same page in other variants or elsewhere.
 */
export type MetaLinks = { canonical?: string; alternates: string[] }

/** The most alternates that are read. */
const mostAlternates = 50

/** Reads the key `metaLinks`; undefined for what is no map. An empty entry is none. */
export function readMetaLinks(node: Node): MetaLinks | undefined {
  if (!isMap(node)) return undefined
  const canonical = linkIn(node.get('canonical', true))
  const list = node.get('alternates', true)
  const items = isSeq(list) ? list.items.slice(0, mostAlternates) : []
  return { ...(canonical && { canonical }), alternates: items.flatMap(item => linkIn(item) || []) }
}

const linkIn = (node: unknown): string | undefined =>
  isNode(node) && isScalar(node) && typeof node.value === 'string' ? node.value.trim() : undefined

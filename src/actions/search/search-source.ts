import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { sha256 } from '../../lib/digest.ts'
import type { ComputedContent } from '../specs/computed-pages.ts'

/** A revision as it is searched, including pages computed from OpenAPI specs. */
export type SearchSource = {
  view: RevisionView
  content: ContentTree
  /** The versions of the specs that computed pages were made from; '' without any. */
  stamp: string
  /**
   * Returns a key that changes with a page's text: its blob id, or a key of `stamp` for a computed
   * page; '' without text.
   */
  keyOf: (node: PageNode) => string
  /** Returns the text of a computed page; undefined for others. */
  computedText: (node: PageNode) => Promise<string> | undefined
  /** Returns whether what was read of it may be kept: false if content was erased since. */
  mayKeep: () => boolean
}

/**
 * Returns the searchable form of a revision and its computed pages. `mayKeep` is from `watchErasing` of the
 * store, called before they were read.
 */
export function searchSource(
  view: RevisionView,
  { content, stamp, textOf }: ComputedContent,
  mayKeep: () => boolean,
): SearchSource {
  const written = view.content.pageById
  const computedKey = `made ${sha256(stamp).slice(0, 20)}`
  return {
    view,
    content,
    stamp,
    keyOf: node => node.file?.oid ?? (written.has(node.id) ? '' : computedKey),
    computedText: node => (written.has(node.id) ? undefined : textOf(node)),
    mayKeep,
  }
}

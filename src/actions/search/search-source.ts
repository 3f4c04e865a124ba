import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { sha256 } from '../../lib/digest.ts'
import type { ComputedContent } from '../specs/computed-pages.ts'

/** A revision as it is searched: with the pages that were made of descriptions. */
export type SearchSource = {
  view: RevisionView
  content: ContentTree
  /** The versions of the descriptions that it is made of; '' for none. */
  stamp: string
  /** Tells the text of a page from other texts: its blob, or that it was made, and of what; '' when it has none. */
  keyOf: (node: PageNode) => string
  /** The text of a page that was made; undefined for others. */
  madeText: (node: PageNode) => Promise<string> | undefined
}

/** A revision with what it shows, as it is searched. */
export function searchSource(view: RevisionView, { content, stamp, textOf }: ComputedContent): SearchSource {
  const written = view.content.pageById
  const made = `made ${sha256(stamp).slice(0, 20)}`
  return {
    view,
    content,
    stamp,
    keyOf: node => node.file?.oid ?? (written.has(node.id) ? '' : made),
    madeText: node => (written.has(node.id) ? undefined : textOf(node)),
  }
}

import type { PageFacts } from '../page/facts.ts'
import type { SummaryEntry } from '../summary/parse.ts'

/** Where the entries of a computed page come from: the YAML of its fence as plain data. */
export type ComputedSource = {
  type: string
  props: Record<string, unknown>
  dependencies: Record<string, unknown>
  /** Documents: the id of the entry that they stand for. */
  seed?: string
}

/** One page of a revision's tree. */
export type PageNode = {
  id: string
  /** What the id hangs on; see `identity.ts`. */
  key: string
  type: 'document' | 'group' | 'link' | 'computed'
  /** The title to show: one leading emoji taken off. Never empty. */
  title: string
  emoji?: string
  icon?: string
  linkTitle?: string
  /** Unique among its siblings; '' for links and computed pages, which have no address. */
  slug: string
  /** Group slug, ancestors' slugs and its own, with slashes; '' for links and computed pages. */
  path: string
  /** The file of a document, when it is there. */
  file?: { path: string; oid: string }
  /** The path of a file that the table of contents names and that is not there. */
  missing?: string
  /** Links: the target as it is written. */
  target?: string
  /** Computed entries; documents that were made from something else than a file. */
  computed?: ComputedSource
  /** Documents with a file, and those that were made. */
  facts?: PageFacts
  /** Where it stands in the table of contents; not there in an inferred tree. */
  entry?: SummaryEntry
  /** The index of its group in the table of contents. */
  group: number
  /** The id of the page that it stands below; not there at the top. A node does not hold the one above: that may change. */
  parentId?: string
  pages: PageNode[]
}

type Pages = { pageById: ReadonlyMap<string, PageNode> }

/** The page of this tree that the page stands below; undefined at the top. */
export const parentOf = ({ pageById }: Pages, { parentId }: PageNode): PageNode | undefined =>
  parentId === undefined ? undefined : pageById.get(parentId)

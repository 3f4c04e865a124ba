import type { Oid } from '../../lib/oid.ts'
import { baseName, directoryOf, isFolderPage, withoutEnding } from '../files.ts'
import { isMdx } from '../markdown/containers.ts'
import type { PageFacts } from '../page/facts.ts'
import type { SummaryEntry } from '../summary/parse.ts'
import { slugOfFile } from '../text/slug.ts'

/**
 * The source of the pages that a computed entry stands for: the YAML of its fence as plain data.
 */
export type ComputedSource = {
  type: string
  props: Record<string, unknown>
  dependencies: Record<string, unknown>
  /** For generated documents: the id of the computed entry that they belong to. */
  seed?: string
}

/** One page of a revision's tree. */
export type PageNode = {
  id: string
  /** The key that the id is derived from; see `identity.ts`. */
  key: string
  type: 'document' | 'group' | 'link' | 'computed'
  /** The title to show, without its leading emoji. Never empty. */
  title: string
  emoji?: string
  icon?: string
  linkTitle?: string
  /** Unique among siblings; '' for links and computed entries, which have no address. */
  slug: string
  /** The slug that the page would have if no other page at its level wanted it. */
  wanted?: string
  /**
   * The slugs of the group, the ancestors and the page itself, joined with slashes; '' for links
   * and computed entries.
   */
  path: string
  /** Documents: the file, if it exists. */
  file?: { path: string; oid: Oid }
  /** The file was found as the page of its folder, and the slug is the name of the folder. */
  ofFolder?: true
  /** The address, or its last name, is what the front matter asks for. */
  isAsked?: true
  /** Documents: the path that the table of contents names, if no file exists there. */
  missing?: string
  /** Documents that are a folder without a page of its own: its path, with its slash. */
  folder?: string
  /** Links: the target as written. */
  target?: string
  /** Computed entries, and documents generated from something other than a file. */
  computed?: ComputedSource
  /** Documents with a file, and generated ones. */
  facts?: PageFacts
  /** The entry in the table of contents; absent in an inferred tree. */
  entry?: SummaryEntry
  /** The index of its group in the table of contents. */
  group: number
  /**
   * The id of the parent page; absent at the top level. An id and not a node, because nodes are
   * replaced by copies.
   */
  parentId?: string
  pages: PageNode[]
}

type Pages = { pageById: ReadonlyMap<string, PageNode> }

/** Returns the parent of a page in this tree; undefined at the top level. */
export const parentOf = ({ pageById }: Pages, { parentId }: PageNode): PageNode | undefined =>
  parentId === undefined ? undefined : pageById.get(parentId)

// One emoji at the start of a title: a flag, a keycap, or a pictograph with modifiers and joined
// pictographs. A pictograph that is text by default (© ™ ↔) counts only with the variation selector
// that turns it into a picture.
const leading =
  /^(?:\p{RI}\p{RI}|[0-9#*]\ufe0f?\u20e3|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u{1f000}-\u{1faff}])[\ufe0f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)*)\s*/u

/** Splits one leading emoji off a title. A title that consists of an emoji alone keeps it. */
export function splitEmoji(title: string): { title: string; emoji?: string } {
  const text = title.trim()
  const emoji = leading.exec(text)?.[0] ?? ''
  if (emoji === '' || emoji.length === text.length) return { title: text }
  return { title: text.slice(emoji.length), emoji: emoji.trimEnd() }
}

/** Returns a title as written in a file: preceded by its emoji, if it has one. */
export const joinEmoji = (title: string, emoji?: string): string =>
  emoji ? `${emoji} ${title}` : title

/** Returns the title that the heading of a file is; undefined without one. */
export const headingOf = (path: string, facts: PageFacts | undefined): string | undefined =>
  (facts?.h1 ?? (isMdx(path) ? facts?.mdxHeading : undefined))?.trim()

/**
 * Returns the title of a document as written: from the table of contents (`listed`), its front
 * matter, its heading, its name in an inferred list of pages (`label`), or else its file name.
 * `inside` is the path of the file relative to the root.
 */
export const titleOfDocument = (
  listed: string,
  inside: string,
  facts: PageFacts | undefined,
  label?: string,
): string =>
  listed.trim() ||
  facts?.frontMatter.title?.trim() ||
  headingOf(inside, facts) ||
  label ||
  titleOfFile(inside)

/** Returns the title of a document that is not listed with one, without regard to its heading. */
export const titleWithoutHeading = (
  inside: string,
  { h1: _, mdxHeading: _below, ...facts }: PageFacts,
): string => splitEmoji(titleOfDocument('', inside, facts)).title || 'Untitled'

/** The title that a file name stands for; for the page of a folder the name of the folder. */
const titleOfFile = (inside: string): string =>
  isFolderPage(inside)
    ? baseName(directoryOf(inside).slice(0, -1)) || withoutEnding(inside)
    : slugOfFile(inside)

/** Sets the fields of a document that come from its file; the title is set already. */
export function applyFacts(node: PageNode, facts: PageFacts): void {
  const { icon, emoji } = facts.frontMatter
  node.facts = facts
  if (icon) node.icon = icon
  if (!node.emoji && emoji) node.emoji = emoji
}

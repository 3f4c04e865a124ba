import type { PageFacts } from '../page/facts.ts'
import { slugOfFile } from '../text/slug.ts'
import type { PageNode } from './page-node.ts'

// One emoji at the start of a title: a flag, a keycap, or a pictograph with its modifiers and joined ones. A
// pictograph that is text by default (© ™ ↔) counts only with the variation selector that makes it a picture.
const leading =
  /^(?:\p{RI}\p{RI}|[0-9#*]\ufe0f?\u20e3|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u{1f000}-\u{1faff}])[\ufe0f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)*)\s*/u

/** A title without its one leading emoji, and that emoji. A title that is nothing else keeps it. */
export function splitEmoji(title: string): { title: string; emoji?: string } {
  const text = title.trim()
  const emoji = leading.exec(text)?.[0] ?? ''
  if (emoji === '' || emoji.length === text.length) return { title: text }
  return { title: text.slice(emoji.length), emoji: emoji.trimEnd() }
}

/** A title as it is written in the file: the emoji in front, when there is one. */
export const joinEmoji = (title: string, emoji?: string): string => (emoji ? `${emoji} ${title}` : title)

/** The title of a document as written: in the table of contents, its front matter, its heading, or else its file's name. */
export const titleOfDocument = (listed: string, inside: string, facts: PageFacts | undefined): string =>
  listed.trim() || facts?.frontMatter.title?.trim() || facts?.h1?.trim() || nameOf(inside)

/** What a file is called when nothing in it says so: its name, for a `README.md` that of its folder. */
const nameOf = (inside: string): string => (inside === 'README.md' ? 'README' : slugOfFile(inside))

/** Gives a document that has its title what else its file says of it. */
export function dress(node: PageNode, facts: PageFacts): void {
  const { icon, emoji } = facts.frontMatter
  node.facts = facts
  if (icon) node.icon = icon
  if (!node.emoji && emoji) node.emoji = emoji
}

import { type Inline, scanInline } from '../markdown/inline.ts'
import { formatTarget, plainText, unescapeText } from '../markdown/plain-text.ts'
import { nameOfTarget } from '../text/name-of-target.ts'

/**
 * A link that a page shows as the title of its target: titles are those of a revision and depend
 * on the reader, but the text of a page does not. `words` are shown where the target has no title.
 */
export type TitledLink = { target: string; words: string }

/** The character that stands for such a link in a text. */
export const placeOfTitle = '\ufffc'

/** The most links of a text that are shown as titles; further ones are their words. */
const mostLinks = 500

/** Longer targets and words are no paths and no names of files. */
const longest = 500

const places = /\ufffc|&#(?:0*65532|x0*fffc);/gi

/** Removes from a text what would be read as the place of a title. */
export const withoutPlaces = (text: string): string => text.replace(places, '')

/** Returns the Markdown of a link that is shown as the title of its target. */
export const mentionOf = (target: string): string => `[](${formatTarget(target)} "mention")`

/**
 * Returns Markdown with `placeOfTitle` in the place of each link that a page shows as the title of
 * its target, and adds the links to `links`: mentions, and those whose words are the name of the
 * file.
 */
export function markTitledLinks(markdown: string, links: TitledLink[]): string {
  if (!/\]\(|<a\s/i.test(markdown)) return markdown
  let marked = ''
  let at = 0
  const inlines = scanInline(markdown, 0, markdown.length).sort((a, b) => a.start - b.start)
  // The targets of cards are in a column that is not shown.
  const isCards = markdown.includes('data-card-target')

  for (const [index, inline] of inlines.entries()) {
    if (inline.start < at) continue
    const found =
      inline.kind === 'link'
        ? ofLink(markdown, inline)
        : inline.kind === 'html'
          ? ofElement(markdown, inline, inlines[index + 1])
          : undefined
    if (!found || links.length >= mostLinks) continue
    const isHidden = isCards && inline.kind === 'html'
    if (!isHidden) links.push(found.link)
    marked += `${markdown.slice(at, inline.start)}${isHidden ? '' : placeOfTitle}`
    at = found.end
  }

  return marked + markdown.slice(at)
}

type LinkHere = { link: TitledLink; end: number }

function ofLink(markdown: string, { target, text, linkTitle, end }: Inline): LinkHere | undefined {
  if (!target || target.end - target.start > longest || text.end - text.start > longest)
    return undefined
  const isMention = linkTitle && markdown.slice(linkTitle.start, linkTitle.end) === 'mention'
  const words = plainText(markdown, text.start, text.end)
  const link = { target: unescapeText(markdown.slice(target.start, target.end)), words }
  return isMention || isNamed(link) ? { link, end } : undefined
}

const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i

/** Reads an HTML link whose words are followed at once by its end tag. */
function ofElement(
  markdown: string,
  open: Inline,
  close: Inline | undefined,
): LinkHere | undefined {
  const tag = markdown.slice(open.start, open.end)
  if (!/^<a\s/i.test(tag) || close?.kind !== 'html' || close.start - open.end > longest)
    return undefined
  if (!/^<\/a\s*>$/i.test(markdown.slice(close.start, close.end))) return undefined
  const [, double, single] = href.exec(tag) ?? []
  const target = unescapeText(double ?? single ?? '')
  const isMention = /\sdata-mention\b|\stitle\s*=\s*["']mention["']/i.test(tag)
  const link = { target, words: plainText(markdown, open.end, close.start) }
  const isTitled = target !== '' && target.length <= longest && (isMention || isNamed(link))
  return isTitled ? { link, end: close.end } : undefined
}

/** Returns whether the words of a link to a page of the space are the name of its file. */
const isNamed = ({ target, words }: TitledLink): boolean =>
  !/^(?:[a-z][a-z0-9+.-]*:|\/\/)|#/i.test(target) && words !== '' && words === nameOfTarget(target)

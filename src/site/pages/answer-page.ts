import { shownText } from '../../actions/content/shown-text.ts'
import { pageText } from '../../actions/revisions/page-text.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { findPage } from '../place/find-page.ts'
import { documentOf } from '../place/order.ts'
import { addressOfPage } from '../place/page-address.ts'
import type { Place } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { type Made, madeHtml, madeText } from '../sending/made.ts'
import { renderPage } from '../views/render.tsx'
import { articleOf } from './article.ts'
import { frameOf } from './frame.ts'
import { nothingHere } from './nothing-here.ts'

/** An answer, or the address that the browser is sent to. */
export type Answered = Made | { redirect: string }

const markdownEnding = /\.(?:md|markdown)$/i

type Asked = {
  wantsMarkdown: boolean
  /** Whether the path of the request ends with a slash. */
  endsWithSlash: boolean
}

/** Answers with the page at the path of a place; with its Markdown if the path or the client asks for it. */
export async function answerPage(place: Place, { wantsMarkdown, endsWithSlash }: Asked): Promise<Answered> {
  const { open, base, path } = place
  const { content } = open.shown
  const isMarkdown = markdownEnding.test(path)
  const found = findPage(content, open.space.id, path)
  const node = found && documentOf(found)
  if (!node) return nothingHere(place)
  if (isMarkdown) return markdownOf(place, node)
  const address = addressOfPage(base, content, node)
  if (decodeURIComponent(address) !== base + path || address.endsWith('/') !== endsWithSlash)
    return { redirect: address }
  if (wantsMarkdown) return markdownOf(place, node)
  const settings = settingsOf(place)
  const frame = await frameOf(place, settings)
  const article = await articleOf(place, node, { settings, frame })
  return madeHtml(renderPage(frame, article), linksOf(article.head.markdown, place))
}

/** Returns the Markdown of a page as its reader is shown it. */
async function markdownOf(place: Place, node: PageNode): Promise<Made> {
  const { open, signal } = place
  const written = await (open.shown.textOf(node) ?? pageText(open.repo, node))
  const text = await shownText(open, node, { text: written, mode: 'reader', signal })
  return madeText(text, 'text/markdown')
}

const linksOf = (markdown: string | undefined, { base }: Place): Record<string, string> => ({
  Link: [
    ...(markdown === undefined ? [] : [`<${markdown}>; rel="alternate"; type="text/markdown"`]),
    `<${base}llms.txt>; rel="llms-txt"`,
  ].join(', '),
})

import { laterPage } from '../../actions/audience/compare.ts'
import { hasAllFormerPaths } from '../../actions/audience/find-former-page.ts'
import { findPage, findPageOrFormer } from '../../actions/audience/find-page.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { anchorOfRedirect } from '../../content/tree/find-page.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import { missing } from '../../errors.ts'
import { feedbackHeaders } from '../feedback/take-feedback.ts'
import { isFrameForAll } from '../place/for-all.ts'
import { documentOf } from '../place/order.ts'
import type { SitePlace } from '../place/place.ts'
import { isForAgents } from '../place/rights.ts'
import { comparedIn } from '../place/scope.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { copyParameter, type PageForm } from '../sending/accepts.ts'
import { madeHtml, madeText, type SiteResponse } from '../sending/made.ts'
import { markdownText } from '../text/markdown-text.ts'
import { renderPage } from '../views/render.tsx'
import { articleOf } from './article.ts'
import { frameOf } from './frame.ts'
import { nothingHere } from './nothing-here.ts'
import { type Redirect, redirectedBySite } from './redirected.ts'

/** An answer, or the address that the browser is sent to. */
export type Answered = SiteResponse | Redirect

const markdownEnding = /\.(?:mdx?|markdown)$/i

type PageRequest = {
  form: PageForm
  /** Whether the path of the request ends with a slash. */
  endsWithSlash: boolean
  /** The tag of the updates that are shown. */
  tag?: string | undefined
  /** Whether the reader has just answered whether the page helped. */
  isThanked?: boolean
}

/**
 * Answers with the page at the path of a place; with its Markdown if the path or the client asks
 * for it. A path without a page leads to where the redirects of the site send it. Throws 'missing'
 * for the Markdown of a site that excludes agents.
 */
export async function answerPage(place: SitePlace, asked: PageRequest): Promise<Answered> {
  const { form, endsWithSlash } = asked
  const { open, base, path } = place
  const { content } = open.shown
  const isMarkdown = markdownEnding.test(path)
  const found = await findPageOrFormer(open, path)
  const node = found && documentOf(found)
  if (!node) return missingPage(place, asked)
  if ((isMarkdown || form === 'markdown') && !isForAgents(place)) throw missing('page', path)
  if (isMarkdown) return markdownOf(place, node)

  const address = addressOfPage(base, content, node)
  if (decodeURIComponent(address) !== base + path || address.endsWith('/') !== endsWithSlash)
    return { redirect: address + asUrl(anchorOfRedirect(content, path, node)) }
  if (form === 'markdown') return markdownOf(place, node)

  return pageOf({ ...place, isCopy: form === 'copy' }, node, asked)
}

/** Returns an anchor, perhaps written with percent sequences, as part of a URL. */
const asUrl = (anchor: string): string =>
  anchor.toWellFormed().replace(/[^!-~]/gu, character => encodeURIComponent(character))

async function pageOf(place: SitePlace, node: PageNode, asked: PageRequest): Promise<SiteResponse> {
  const settings = settingsOf(place)
  const frame = await frameOf(place, settings, node)
  const article = await articleOf(place, node, { ...asked, settings, frame })
  const { changes, origins } = article
  const { banner } = frame
  const html = renderPage(banner ? { ...frame, banner: { ...banner, changes } } : frame, article)
  const headers = { ...linksOf(article.head.markdown, place), ...feedbackHeaders(place) }
  const made = madeHtml(html, headers)

  return {
    ...made,
    ...(place.isCopy && { type: `${made.type};${copyParameter}` }),
    origins,
    read: { kind: 'page_view', pageId: node.id },
    isForAll: article.isForAll && isFrameForAll(place),
    isUnsettled: article.isUnsettled,
  }
}

/**
 * Answers a path without a page: with the removed page of a comparison, where the redirects of the
 * site lead, or a page that helps.
 */
async function missingPage(place: SitePlace, asked: PageRequest): Promise<Answered> {
  const { scope, path, open } = place
  if (!scope) return (await redirectedBySite(place)) ?? absent(place)
  const compared = comparedIn(scope)
  const before = compared?.before.shown.content
  const found = before && findPage(before, open.space.id, path)
  const node = found && documentOf(found)
  if (!node || !compared) return nothingHere(place)

  const now = laterPage(place.open, node, compared)

  return now
    ? { redirect: addressOfPage(place.base, open.shown.content, now) }
    : pageOf(place, node, asked)
}

async function markdownOf(place: SitePlace, node: PageNode): Promise<SiteResponse> {
  const { text, isUnsettled } = await markdownText(place, node)
  return { ...madeText(text, 'text/markdown'), isUnsettled }
}

/**
 * Returns the page for a path that no page has had. It is unsettled until all paths that pages have
 * had are recorded.
 */
async function absent(place: SitePlace): Promise<SiteResponse> {
  const made = await nothingHere(place)
  return { ...made, isUnsettled: made.isUnsettled === true || !hasAllFormerPaths(place.open) }
}

/**
 * Returns the `Link` header with the texts for language models. Returns no header if the site
 * excludes agents.
 */
function linksOf(
  markdown: string | undefined,
  { resolved, scope }: SitePlace,
): Record<string, string> {
  if (markdown === undefined) return {}
  const links = [
    `<${markdown}>; rel="alternate"; type="text/markdown"`,
    ...(scope ? [] : [`<${resolved.basePath}llms.txt>; rel="llms-txt"`]),
  ]
  return { Link: links.join(', ') }
}

import { branchOf } from '../../content/tree/branch.ts'
import { addressOfPage, markdownAddress } from '../../content/tree/page-address.ts'
import { Fault } from '../../errors.ts'
import { canonicalBase, canonicalSiteBase } from '../place/canonical.ts'
import type { SitePlace } from '../place/place.ts'
import { isForAgents } from '../place/rights.ts'
import { type ListedPage, llmsText, sitemapMarkdown } from '../programs/llms.ts'
import { pagesSitemap, siteSitemap } from '../programs/sitemap.ts'
import { madeText, type SiteResponse } from '../sending/made.ts'
import { markdownText } from '../text/markdown-text.ts'
import { robotsOfSite } from './answer-robots.ts'
import { indexedPages } from './indexed-pages.ts'

/** The most pages in one part of `llms-full.txt`. */
const pagesOfPart = 100

const noContent = () => new Fault('not_found', 'No content found for this address.')

type Answer = (place: SitePlace, part: string | undefined) => SiteResponse | Promise<SiteResponse>

const answers: Readonly<Record<string, Answer>> = {
  'robots.txt': place =>
    robotsOfSite(place.resolved.site, { url: canonicalSiteBase(place), path: place.siteBase }),
  'sitemap.xml': sitemap,
  'sitemap-pages.xml': pagesMap,
  'sitemap.md': place =>
    madeText(sitemapMarkdown(place.open.space.title, listed(place)), 'text/markdown'),
  'llms.txt': place =>
    madeText(
      llmsText(place.open.space.title, listed(place), `${canonicalBase(place)}llms-full.txt`),
      'text/markdown',
    ),
  'llms-full.txt': fullText,
}

/** The texts for language models. */
const forAgents: ReadonlySet<string> = new Set(['sitemap.md', 'llms.txt', 'llms-full.txt'])

/**
 * Returns whether a path below a site space is that of a text for programs. A page at that path
 * comes first.
 */
export const isForPrograms = (path: string): boolean =>
  Object.hasOwn(answers, path.split('/', 1)[0] ?? '')

/**
 * Answers with a text for programs. Throws 'missing' if the visibility of the site or its settings
 * exclude the text.
 */
export async function answerPrograms(place: SitePlace): Promise<SiteResponse> {
  const [name = '', part, ...rest] = place.path.split('/')
  if (rest.length > 0 || (part !== undefined && name !== 'llms-full.txt')) throw noContent()
  if (forAgents.has(name) && !isForAgents(place)) throw noContent()
  return answers[name]!(place, part)
}

/** Returns the pages of a space that programs may list, in reading order. */
function listed(place: SitePlace): ListedPage[] {
  const { content } = place.open.shown
  const base = canonicalBase(place)
  return indexedPages(place).map(node => {
    const url = addressOfPage(base, content, node)
    const above = branchOf(content, node).filter(({ type }) => type === 'document')
    return {
      title: node.title,
      url,
      markdown: markdownAddress(url),
      description: node.facts?.frontMatter.description,
      depth: above.length - 1,
    }
  })
}

function sitemap(place: SitePlace): SiteResponse {
  if (place.resolved.site.visibility !== 'public') throw noContent()
  const base = canonicalSiteBase(place)
  return madeText(
    siteSitemap(place.view.siteSpaces.map(({ path }) => `${base}${path}sitemap-pages.xml`)),
    'application/xml',
  )
}

function pagesMap(place: SitePlace): SiteResponse {
  if (place.resolved.site.visibility !== 'public') throw noContent()
  return madeText(pagesSitemap(listed(place)), 'application/xml')
}

/** Returns the texts of up to 100 pages, with the address of the next part. */
async function fullText(place: SitePlace, part = '0'): Promise<SiteResponse> {
  const pages = indexedPages(place)
  const from = /^\d{1,6}$/.test(part) ? Number(part) * pagesOfPart : Number.POSITIVE_INFINITY
  if (from > 0 && from >= pages.length) throw noContent()

  const texts: string[] = []
  let isUnsettled = false

  for (const node of pages.slice(from, from + pagesOfPart)) {
    const page = await markdownText(place, node)
    texts.push(page.text)
    isUnsettled ||= page.isUnsettled
  }

  const next = from + pagesOfPart < pages.length
  const base = canonicalBase(place)
  if (next) texts.push(`[Next pages](${base}llms-full.txt/${from / pagesOfPart + 1})\n`)

  return { ...madeText(texts.join('\n\n---\n\n'), 'text/markdown'), isUnsettled }
}

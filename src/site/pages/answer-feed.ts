import { changesOfPages, type RevisionChanges } from '../../actions/audience/changes-of-pages.ts'
import { findPageOrFormer } from '../../actions/audience/find-page.ts'
import { pageLanguage } from '../../content/customization/language.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import { Fault } from '../../errors.ts'
import { fill, type SurfaceWords } from '../../ui/words/all.ts'
import { canonicalBase, canonicalSiteBase } from '../place/canonical.ts'
import { documentOf } from '../place/order.ts'
import type { SitePlace } from '../place/place.ts'
import { settingsOf, surfaceWords } from '../place/settings-of-place.ts'
import { type FeedItem, rssText } from '../programs/rss.ts'
import { madeText, type SiteResponse } from '../sending/made.ts'
import { indexedPages } from './indexed-pages.ts'
import { writeText } from './write-text.ts'

/** The name of a feed: below a site space, and below a page with updates. */
const feedName = 'rss.xml'

const mostItems = 30
/** The most updates of a page in its feed. */
const mostUpdates = 50
/** The most pages that an item names, and those in its title. */
const mostNamed = 50
const mostInTitle = 3

const type = 'application/rss+xml'

/** Returns the address of the feed of a page with updates. */
export const feedOfPage = (address: string): string =>
  address.endsWith('/') ? `${address}README/${feedName}` : `${address}/${feedName}`

/**
 * Answers with a feed: of what changed in a space, or of the updates of a page. Returns undefined
 * for other paths.
 */
export async function answerFeed(place: SitePlace): Promise<SiteResponse | undefined> {
  const { path, open } = place
  if (path === feedName) return feedOfSpace(place)
  if (!path.endsWith(`/${feedName}`)) return undefined
  const found = await findPageOrFormer(open, path.slice(0, -feedName.length - 1))
  const node = found && documentOf(found)
  return node && feedOfUpdates(place, node)
}

/**
 * Returns the latest revisions that changed pages which programs may list, with the pages that they
 * changed.
 */
async function feedOfSpace(place: SitePlace): Promise<SiteResponse> {
  const { open, resolved } = place
  const { space } = open
  const { changes, certain } = await changesOfPages(open, indexedPages(place), mostItems)
  const settings = settingsOf(place)
  const words = surfaceWords(settings, space.language)
  const base = canonicalBase(place)
  const site = settings.title ?? resolved.site.title
  const title = site === space.title ? site : `${site}: ${space.title}`
  const text = rssText({
    title,
    description: fill(words.feedOfSpace, { title: space.title }),
    link: base,
    self: base + feedName,
    language: pageLanguage(settings, space.language).lang,
    items: changes.map(change =>
      itemOf(change, { space, base, content: open.shown.content, words }),
    ),
  })

  return { ...madeText(text, type), isUnsettled: !certain }
}

type Naming = {
  space: SitePlace['open']['space']
  base: string
  content: SitePlace['open']['shown']['content']
  words: SurfaceWords
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)

/**
 * Returns a revision as an item. Its title names pages, not what the author wrote about the commit:
 * readers may not read the history of the space.
 */
function itemOf(
  { oid, at, pages }: RevisionChanges,
  { space, base, content, words }: Naming,
): FeedItem {
  const named = pages.slice(0, mostNamed).map(({ node, kind }) => {
    const href = escaped(addressOfPage(base, content, node))
    return `<li><a href="${href}">${escaped(node.title)}</a> (${escaped(words[kind])})</li>`
  })
  const [first, ...others] = pages
  const titles = pages.slice(0, mostInTitle).map(({ node }) => node.title)
  const more = pages.length > mostInTitle ? ` +${pages.length - mostInTitle}` : ''

  return {
    title: titles.join(', ') + more,
    link: first && others.length === 0 ? addressOfPage(base, content, first.node) : base,
    id: `stemma:${space.id}:${oid}`,
    date: new Date(at * 1000),
    categories: [],
    html: `<ul>${named.join('')}</ul>${pages.length > mostNamed ? `<p>+${pages.length - mostNamed}</p>` : ''}`,
  }
}

/** Returns the updates of a page. Throws 'missing' for a page without updates. */
async function feedOfUpdates(place: SitePlace, node: PageNode): Promise<SiteResponse> {
  const { open } = place
  const settings = settingsOf(place)
  const { lang } = pageLanguage(settings, open.space.language)
  const words = surfaceWords(settings, open.space.language)
  const { written, isUnsettled } = await writeText(place, node, { settings, words, lang })
  const { updates } = written
  if (updates.length === 0) throw new Fault('not_found', 'No content found for this address.')

  const link = addressOfPage(canonicalBase(place), open.shown.content, node)
  const items = updates
    .map(update => ({ ...update, at: new Date(update.date) }))
    .filter(({ at }) => !Number.isNaN(at.getTime()))
    .slice(0, mostUpdates)
    .map(({ id, at, tags, html }) => ({
      title: titleOf(html, at, lang),
      link: `${link}#${encodeURIComponent(id)}`,
      id: `stemma:${open.space.id}:${node.id}#${id}`,
      date: at,
      categories: tags,
      html: withWholeAddresses(place, html, link),
    }))
  const { description } = node.facts?.frontMatter ?? {}
  const feed = {
    title: node.title,
    description: description ?? node.title,
    link,
    self: feedOfPage(link),
    language: lang,
  }

  return { ...madeText(rssText({ ...feed, items }), type), isUnsettled }
}

/** Returns the first heading of an update as text; its date in words if it has none. */
function titleOf(html: string, date: Date, lang: string): string {
  const [, heading = ''] = /<h[2-6][^>]*>([\s\S]*?)<\/h[2-6]>/.exec(html) ?? []
  const text = heading
    .replace(/<a class="anchor"[\s\S]*?<\/a>/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: 'amp' | 'lt' | 'gt' | 'quot') => entities[name])
    .trim()
  return text || new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"' } as const

/**
 * Returns HTML with whole URLs in place of addresses of the site and anchors of the page. Smaller
 * versions of images are left out: their addresses are lists.
 */
function withWholeAddresses(place: SitePlace, html: string, page: string): string {
  const base = canonicalSiteBase(place)
  const single = html.replace(/<img\b[^>]*>/g, image =>
    image.replace(/ (?:srcset|sizes)="[^"]*"/g, ''),
  )
  return single.replace(
    / (href|src|poster)="([#/][^"]*)"/g,
    (whole, name: string, address: string) => {
      if (address.startsWith('#')) return ` ${name}="${escaped(page)}${address}"`
      return address.startsWith(place.siteBase)
        ? ` ${name}="${escaped(base)}${address.slice(place.siteBase.length)}"`
        : whole
    },
  )
}

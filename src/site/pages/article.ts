import { lastAuthorOf, lastChangeOf } from '../../actions/audience/page-dates.ts'
import type { Settings } from '../../content/customization/schema.ts'
import type { HtmlTagFilter, HtmlTargets } from '../../content/html/page-html.ts'
import { layoutOf } from '../../content/page/layout.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import { fill, type SurfaceWords } from '../../ui/words/all.ts'
import { dayIn } from '../../ui/words/dates.ts'
import { feedbackAddress } from '../feedback/take-feedback.ts'
import { emojiOf, iconsOf } from '../place/glyphs.ts'
import { documentOf, isListed, readingOrder } from '../place/order.ts'
import type { SitePlace } from '../place/place.ts'
import { mayTravel } from '../place/rights.ts'
import { comparedIn } from '../place/scope.ts'
import { placeComments, readComments } from '../travel/page-comments.ts'
import { historyAddress } from '../travel/toolbar.ts'
import type { ArticlePage, Frame } from '../views/model.ts'
import { feedOfPage } from './answer-feed.ts'
import { headOf } from './head.ts'
import { listingOf } from './listing.ts'
import { type Listing, navOf } from './nav.ts'
import { isOfDraft, pageActions } from './page-actions.ts'
import { type WrittenText, writeText } from './write-text.ts'

/**
 * A page with a text, the number of changes that the text marks, and the origins of the servers
 * that it may call.
 */
type Article = ArticlePage & { changes: number; origins: readonly string[] } & Pick<
    WrittenText,
    'isForAll' | 'isUnsettled'
  >

type Parts = { settings: Settings; frame: Frame; tag?: string | undefined; isThanked?: boolean }

/** Returns the page of a document as its reader is shown it. */
export async function articleOf(
  place: SitePlace,
  node: PageNode,
  { settings, frame, tag, isThanked = false }: Parts,
): Promise<Article> {
  const { open, base } = place
  const address = addressOfPage(base, open.shown.content, node)
  const { text, comments } = await textOf(place, node, { address, settings, frame, tag })
  const { written, targets, changes, former, origins, isForAll, isUnsettled } = text
  const front = node.facts?.frontMatter ?? {}
  const crumbs = crumbsOf(place, node)
  const layout = layoutOf(front)
  const feed = written.updates.length > 0 && !place.scope ? feedOfPage(address) : undefined
  const head = await headOf(place, node, {
    settings,
    written,
    crumbs,
    variants: frame.variants,
    feed: place.scope ? undefined : (feed ?? `${base}rss.xml`),
  })
  const listing = listingOf(place, settings)
  const formAt = isOfDraft(place, node) ? undefined : feedbackAddress(place)

  return {
    kind: 'article',
    head,
    ...{ id: node.id, title: node.title },
    emoji: emojiOf(node.emoji),
    icon: iconsOf(settings)(node.icon),
    description: front.description,
    former: former && {
      title: former.title,
      description: former.facts?.frontMatter.description ?? '',
    },
    isDraft: front.draft,
    moved: movedFrom(place, node, former, frame.words),
    cover: layout.cover ? coverOf(node, targets, layout.coverSize === 'hero') : undefined,
    html: written.html,
    comments,
    ...cardsBelow(place, listing, node, written.html),
    headings: written.headings,
    breadcrumbs: crumbs,
    nav: navOf(listing, node),
    ...(settings.pagination.enabled && layout.pagination && neighboursOf(place, node)),
    updated: await updatedOf(place, node, frame),
    actions: await pageActions(place, node, { settings, frame, head, feed }),
    feedback: formAt === undefined ? undefined : { action: formAt, isThanked },
    layout: { ...layout, wide: layout.width === 'wide' },
    calls: origins.length > 0,
    diagrams: written.diagrams.length > 0,
    changes,
    origins,
    isForAll,
    isUnsettled,
  }
}

/** Writes the text of a page at an address, and places the comments that its reader may read. */
async function textOf(
  place: SitePlace,
  node: PageNode,
  { address, settings, frame, tag }: Omit<Parts, 'isThanked'> & { address: string },
) {
  const { lang, words } = frame
  const read = await readComments(place, node)
  const text = await writeText(place, node, {
    settings,
    words,
    lang,
    // A comparison shows the updates of both versions, and the page of a copy is one file.
    tags: comparedIn(place.scope) || place.isCopy ? undefined : tagFilter(address, words, tag),
    calls: !place.isCopy,
    wanted: read?.nodes,
  })
  const { targets, written } = text
  const externalBlank = settings.externalLinks.target === 'blank'
  const options = { targets, externalBlank, file: node.file?.path }
  const { ends } = written
  const comments = read && (await placeComments(place, read, { ends, options, words, lang }))

  return { text, comments }
}

/** Returns links to the pages before and after a page in the reading order. */
function neighboursOf({ open, base }: SitePlace, node: PageNode) {
  const { content } = open.shown
  const order = readingOrder(content)
  const at = order.placeOf.get(node.id)
  const linkTo = (page: PageNode | undefined): FrameLink | undefined =>
    page && { title: page.linkTitle ?? page.title, href: addressOfPage(base, content, page) }

  return at === undefined
    ? {}
    : { previous: linkTo(order.pages[at - 1]), next: linkTo(order.pages[at + 1]) }
}

/**
 * Returns what a page says about its address in the version before; undefined if it had the same.
 */
function movedFrom(
  { scope, open }: SitePlace,
  node: PageNode,
  former: PageNode | undefined,
  words: SurfaceWords,
): string | undefined {
  const before = comparedIn(scope)?.before
  if (!former || !before || former === node) return undefined
  const [was, is] = [
    addressOfPage('/', before.shown.content, former),
    addressOfPage('/', open.shown.content, node),
  ]
  return was === is ? undefined : fill(words.movedFrom, { address: was })
}

/**
 * Returns cards for the pages below a page without text. Returns nothing if there are none, or if
 * the version lacks the page.
 */
function cardsBelow(
  { open: { shown } }: SitePlace,
  { content, base, hrefOf, iconOf }: Listing,
  node: PageNode,
  html: string,
): Pick<ArticlePage, 'below'> {
  const below =
    html.trim() === '' && shown.content.pageById.has(node.id) ? node.pages.filter(isListed) : []
  const cards = below.flatMap(each => {
    const href =
      each.type === 'link' ? hrefOf(each.target ?? '') : addressOfPage(base, content, each)
    const { title, emoji, icon, facts } = each
    const description = facts?.frontMatter.description
    return href === undefined
      ? []
      : [{ title, href, emoji: emojiOf(emoji), icon: iconOf(icon), description }]
  })

  return cards.length > 0 ? { below: cards } : {}
}

/**
 * Returns when a page last changed; undefined if that is not known. Readers who may read the
 * history also get its address and the name of the author.
 */
async function updatedOf(
  place: SitePlace,
  { id, file }: PageNode,
  { lang, words }: Frame,
): Promise<ArticlePage['updated']> {
  const iso = await lastChangeOf(place.open, file)
  if (iso === undefined) return undefined
  const date = dayIn(lang, new Date(iso))
  const author = file && mayTravel(place) ? lastAuthorOf(place.open, file) : undefined
  const text = author ? fill(words.updatedBy, { date, author }) : fill(words.updated, { date })
  return { iso, text, href: historyAddress(place, id) }
}

/** Returns the filter of the updates of a page at an address. */
const tagFilter = (
  address: string,
  words: Frame['words'],
  chosen: string | undefined,
): HtmlTagFilter => ({
  chosen,
  hrefOf: each =>
    each === undefined ? address : `${address}?${new URLSearchParams({ tag: each })}`,
  label: words.updateTags,
  all: words.updatesAll,
})

/** Returns the groups and pages above a page, from the top. */
function crumbsOf({ open, base }: SitePlace, node: PageNode): FrameLink[] {
  const { content } = open.shown
  const crumbs: FrameLink[] = []
  for (let above = parentOf(content, node); above; above = parentOf(content, above)) {
    const target = documentOf(above) ?? above
    crumbs.unshift({ title: above.title, href: addressOfPage(base, content, target) })
  }
  return crumbs
}

function coverOf(
  { file, facts }: PageNode,
  { image }: HtmlTargets,
  hero: boolean,
): ArticlePage['cover'] {
  const { cover, coverDark, coverY, coverHeight } = facts?.frontMatter ?? {}
  const light = cover === undefined ? undefined : image(file?.path, cover)?.src
  const dark = coverDark === undefined ? undefined : image(file?.path, coverDark)?.src
  const first = light ?? dark
  if (first === undefined) return undefined
  return { light: first, dark, y: coverY ?? 0, height: coverHeight, hero }
}

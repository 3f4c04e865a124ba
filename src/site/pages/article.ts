import { pageDates } from '../../actions/content/page-dates.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { writePage } from '../../content/html/write-page.ts'
import type { FrontMatter } from '../../content/markdown/front-matter.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import { inSlices } from '../../lib/slices.ts'
import { emojiOf, iconsOf } from '../place/glyphs.ts'
import { documentOf, readingOrder } from '../place/order.ts'
import { addressOfPage } from '../place/page-address.ts'
import type { Place } from '../place/place.ts'
import type { ArticlePage, Frame, FrameLink, PageAction } from '../views/model.ts'
import { headOf } from './head.ts'
import { listingOf } from './listing.ts'
import { navOf } from './nav.ts'
import { readText } from './read-text.ts'

/** Returns the page of a document as its reader is shown it. */
export async function articleOf(
  place: Place,
  node: PageNode,
  { settings, frame }: { settings: Settings; frame: Frame },
): Promise<ArticlePage> {
  const { open, base } = place
  const { content } = open.shown
  const { markdown, targets } = await readText(place, node)
  const written = await inSlices(
    writePage(markdown, {
      targets,
      words: frame.words,
      file: node.file?.path,
      externalBlank: settings.externalLinks.target === 'blank',
      marksBroken: false,
      icon: iconsOf(settings),
    }),
    place.signal,
  )
  const { dates } = await pageDates(open, node.file?.path)
  const front = node.facts?.frontMatter ?? {}
  const iconOf = iconsOf(settings)
  const layout = layoutOf(front)
  const order = readingOrder(content)
  const at = order.placeOf.get(node.id)
  const linkTo = (page: PageNode | undefined): FrameLink | undefined =>
    page && { title: page.linkTitle ?? page.title, href: addressOfPage(base, content, page) }
  return {
    kind: 'article',
    head: headOf(place, node, { settings, written, crumbs: crumbsOf(place, node) }),
    id: node.id,
    title: node.title,
    emoji: emojiOf(node.emoji),
    icon: iconOf(node.icon),
    description: front.description,
    cover: layout.cover ? coverOf(front, node, targets) : undefined,
    html: written.html,
    headings: written.headings,
    breadcrumbs: crumbsOf(place, node),
    nav: navOf(listingOf(place, settings), node),
    ...(settings.pagination.enabled &&
      layout.pagination &&
      at !== undefined && { previous: linkTo(order.pages[at - 1]), next: linkTo(order.pages[at + 1]) }),
    updated: dates.updatedAt === undefined ? undefined : updatedOf(dates.updatedAt, frame),
    actions: actionsOf(place, node, settings, frame),
    layout,
  }
}

/** Returns the groups and pages above a page, from the top. */
function crumbsOf({ open, base }: Place, node: PageNode): FrameLink[] {
  const { content } = open.shown
  const crumbs: FrameLink[] = []
  for (let above = parentOf(content, node); above; above = parentOf(content, above)) {
    const target = documentOf(above) ?? above
    crumbs.unshift({ title: above.title, href: addressOfPage(base, content, target) })
  }
  return crumbs
}

function layoutOf({ layout = {} }: FrontMatter): ArticlePage['layout'] & { cover: boolean } {
  const shows = (name: string): boolean => {
    const part = Object.hasOwn(layout, name) ? layout[name] : undefined
    return (
      (typeof part === 'object' && part !== null ? (part as { visible?: unknown }).visible : part) !== false
    )
  }
  return {
    wide: layout.width === 'wide',
    cover: shows('cover'),
    title: shows('title'),
    description: shows('description'),
    tableOfContents: shows('tableOfContents'),
    outline: shows('outline'),
    pagination: shows('pagination'),
    metadata: shows('metadata'),
  }
}

function coverOf(
  { cover, coverDark, coverY, coverHeight, layout = {} }: FrontMatter,
  { file }: PageNode,
  { image }: Awaited<ReturnType<typeof readText>>['targets'],
): ArticlePage['cover'] {
  const light = cover === undefined ? undefined : image(file?.path, cover)?.src
  const dark = coverDark === undefined ? undefined : image(file?.path, coverDark)?.src
  const first = light ?? dark
  if (first === undefined) return undefined
  const hero = (layout.cover as { size?: unknown } | undefined)?.size === 'hero'
  return { light: first, dark, y: coverY ?? 0, height: coverHeight, hero }
}

function updatedOf(iso: string, { lang }: Frame): ArticlePage['updated'] {
  const date = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso))
  return { iso, text: date }
}

/** Returns the actions in the menu of a page. */
function actionsOf(place: Place, node: PageNode, settings: Settings, { words }: Frame): PageAction[] {
  const { open, base } = place
  const address = addressOfPage(base, open.shown.content, node)
  const markdown = address.endsWith('/') ? `${address}README.md` : `${address}.md`
  return [
    ...(settings.pageActions.markdown
      ? [
          { kind: 'copy' as const, title: words.copyPage, href: markdown },
          { kind: 'markdown' as const, title: words.viewMarkdown, href: markdown },
        ]
      : []),
    { kind: 'link', title: words.copyLink, href: address },
  ]
}

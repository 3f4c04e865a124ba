import type { HtmlTargets } from '../../content/html/page-html.ts'
import { writeTree } from '../../content/html/write-page.ts'
import { plainText } from '../../content/markdown/plain-text.ts'
import { pageTree } from '../../content/markup/parse.ts'
import { imageDimensions } from '../../content/media.ts'
import { callKey } from '../../content/openapi/call.ts'
import { layoutOf } from '../../content/page/layout.ts'
import { decode } from '../../content/text/bytes.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import { encodePath, markdownAddress } from '../../content/tree/page-address.ts'
import type { Context } from '../../context.ts'
import { mustGet } from '../../lib/must-get.ts'
import { inSlices } from '../../lib/slices.ts'
import { htmlTargets } from '../../page-text/targets.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import { serverPath } from '../../ui/serving/server-path.ts'
import { documentOf, isListed, readingOrder } from '../place/order.ts'
import { diagramAddress } from '../sending/send-asset.ts'
import type { ArticlePage, Frame, PageCard } from '../views/model.ts'
import { bookPath, pagePath } from './addresses.ts'
import type { Book } from './book.ts'
import { navOfBook } from './frame.ts'

/** Returns a page of a book. */
export async function articleIn(
  ctx: Context,
  book: Book,
  node: PageNode,
  frame: Frame,
): Promise<ArticlePage> {
  const address = pagePath(ctx, book, node)
  const front = node.facts?.frontMatter ?? {}
  const { written, hasCall } = await writeText(ctx, book, node, frame)
  const crumbs = crumbsOf(ctx, book, node)
  const own = new URL(ctx.publicUrl()).origin
  const markdown = markdownAddress(address)
  const { words } = frame

  return {
    kind: 'article',
    id: node.id,
    title: node.title,
    description: front.description,
    html: written.html,
    headings: written.headings,
    ...cardsOf(ctx, book, node),
    calls: hasCall,
    diagrams: written.diagrams.length > 0,
    breadcrumbs: crumbs,
    nav: navOfBook(ctx, book, node),
    ...neighboursOf(ctx, book, node),
    head: {
      title: node.title,
      description: front.description ?? written.summary,
      canonical: own + address,
      markdown,
      alternates: [],
      crumbs: [...crumbs, { title: node.title, href: address }].map(({ title, href }) => ({
        title,
        href: own + href,
      })),
    },
    actions: [
      { kind: 'copy', title: words.copyPage, href: markdown },
      { kind: 'markdown', title: words.viewMarkdown, href: markdown },
      { kind: 'link', title: words.copyLink, href: address },
    ],
    layout: { ...layoutOf(front), wide: false },
  }
}

async function writeText(ctx: Context, book: Book, node: PageNode, { words, lang }: Frame) {
  const { text, call } = book.textOf(node)
  const { root, notes } = await inSlices(pageTree(text, node.file?.path))
  const operation = book.operationOf(node)
  const written = await inSlices(
    writeTree(root, notes, {
      targets: targetsIn(ctx, book),
      words,
      lang,
      file: node.file?.path,
      externalBlank: false,
      marksBroken: false,
      diagramFrame: await diagramAddress(serverPath(ctx)),
      callOf: sample =>
        call && operation && callKey(sample) === call.key
          ? { data: call.json, title: `${operation.method.toUpperCase()} ${operation.path}` }
          : undefined,
    }),
  )
  return { written, hasCall: call !== undefined }
}

/** Returns where the targets in the texts of a book lead. */
function targetsIn(ctx: Context, book: Book): HtmlTargets {
  const fileAddress = ({ path }: { path: string }) => bookPath(ctx, book) + encodePath(path)
  return htmlTargets({
    content: book.content,
    hrefOf: page => pagePath(ctx, book, page),
    origins: [new URL(ctx.publicUrl()).origin],
    fileAddress,
    imageOf: file => ({
      src: fileAddress(file),
      ...imageDimensions(mustGet(book.files, file.path)),
    }),
    media: new Map(),
    includes: new Map(
      book.content.includes.map(({ path }) => [path, decode(mustGet(book.files, path)).text]),
    ),
  })
}

/** Returns cards for the pages below a page of the reference, and for its parts on the first page. */
function cardsOf(ctx: Context, book: Book, node: PageNode): Pick<ArticlePage, 'below'> {
  if (book.name !== 'reference') return {}
  const isFirst = book.content.pageByPath.get('')?.id === node.id
  const below = isFirst ? book.content.pages.filter(({ id }) => id !== node.id) : node.pages
  const cards = below.filter(isListed).map((each): PageCard => {
    const operation = book.operationOf(each)
    const description = operation
      ? `${operation.method.toUpperCase()} ${operation.path}`
      : each.facts?.frontMatter.description || leadOf(book, each)
    return { title: each.title, href: pagePath(ctx, book, each), description }
  })

  return cards.length > 0 ? { below: cards } : {}
}

/** The most characters of a page that a card shows. */
const longestLead = 160

/** Returns the beginning of the text of a page below its title; undefined for none. */
function leadOf(book: Book, node: PageNode): string | undefined {
  const [, first = ''] = book.textOf(node).text.split('\n\n', 2)
  const lead = plainText(first).trim()
  return lead === '' || lead.length > longestLead ? undefined : lead
}

/** Returns the pages above a page, from the top. */
function crumbsOf(ctx: Context, book: Book, node: PageNode): FrameLink[] {
  const crumbs: FrameLink[] = []
  for (let above = parentOf(book.content, node); above; above = parentOf(book.content, above))
    crumbs.unshift({
      title: above.title,
      href: pagePath(ctx, book, documentOf(above) ?? above),
    })
  return crumbs
}

/** Returns links to the pages before and after a page in the reading order. */
function neighboursOf(ctx: Context, book: Book, node: PageNode) {
  const order = readingOrder(book.content)
  const at = order.placeOf.get(node.id)
  const linkTo = (page: PageNode | undefined): FrameLink | undefined =>
    page && { title: page.linkTitle ?? page.title, href: pagePath(ctx, book, page) }
  return at === undefined
    ? {}
    : { previous: linkTo(order.pages[at - 1]), next: linkTo(order.pages[at + 1]) }
}

import type { PageNode } from '../../content/tree/build.ts'
import { encodePath } from '../../content/tree/page-address.ts'
import type { Context } from '../../context.ts'
import { signInOf } from '../../ui/serving/sign-in.ts'
import { type Listing, navBelow, navOf } from '../pages/nav.ts'
import { serverFrame } from '../pages/server-frame.ts'
import type { Frame, NavEntry } from '../views/model.ts'
import { bookPath, docsPath } from './addresses.ts'
import type { Book } from './book.ts'
import type { Books } from './open-books.ts'

/** Returns what the pages of the books have in common; `shown` is the book that is open. */
export async function bookFrame(
  ctx: Context,
  { reference, manual }: Books,
  shown: Book | undefined,
): Promise<Frame> {
  const frame = await serverFrame(ctx)
  const docs = docsPath(ctx)
  const signIn = signInOf(new URL(ctx.publicUrl()), docs)

  return {
    ...frame,
    search: { action: `${docs}~search` },
    session: `${docs}~session`,
    header: [{ title: frame.words.signIn, href: signIn, style: 'link', links: [] }],
    tabs: [reference, ...(manual ? [manual] : [])].map(book => ({
      title: book.title,
      href: bookPath(ctx, book),
      current: book === shown,
      children: [],
    })),
  }
}

/** Returns the list of pages of a book with the branch of a page open. */
export const navOfBook = (ctx: Context, book: Book, node: PageNode | undefined): NavEntry[] =>
  navOf(listingOf(ctx, book), node)

/** Returns the list of the pages below one. */
export const navBelowIn = (ctx: Context, book: Book, node: PageNode): NavEntry[] =>
  navBelow(listingOf(ctx, book), node)

function listingOf(ctx: Context, book: Book): Listing {
  const base = bookPath(ctx, book)
  return {
    content: book.content,
    base,
    iconOf: () => undefined,
    marked: undefined,
    fragmentOf: ({ path }) => `${docsPath(ctx)}~nav/${book.name}/${encodePath(path)}`,
    hrefOf: target => (/^https?:\/\//.test(target) ? target : undefined),
  }
}

import { pageScope } from '../../content/evaluate/evaluator.ts'
import { evaluateSteps } from '../../content/evaluate/page.ts'
import type { PrintPage } from '../../content/print/book-types.ts'
import { decode } from '../../content/text/bytes.ts'
import { foldSlug } from '../../content/text/slug.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { streamBlobs } from '../../git/objects/objects.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import { evaluatePage } from '../evaluating/evaluate-page.ts'
import { resolveBlocks } from '../specs/resolve-blocks.ts'
import type { PrintSubject } from './print-book.ts'

/**
 * The most megabytes of text in one book. The compiler takes up to 22 seconds for a megabyte of
 * small cells and lists, 5 for one of prose, and three minutes are the limit: what cannot be done
 * in time is refused at once.
 */
const mostMegabytes = 6

/** The same in bytes, and in characters of evaluated text. */
export const mostText = mostMegabytes * 1024 * 1024

/**
 * Returns the pages of a book with their texts as readers see them: expressions evaluated, OpenAPI
 * blocks expanded. Throws 'too_large' when there is more text than a book may have.
 */
export async function readPages(
  ctx: Context,
  subject: PrintSubject,
  signal: AbortSignal,
): Promise<PrintPage[]> {
  const { view, shown, space, audience } = subject
  const organizationId = space.organization_id
  const texts = await readBlobTexts(
    subject,
    subject.pages.flatMap(({ node }) => node.file?.oid ?? []),
  )
  const others = otherPathsIn(shown.content)
  const pages: PrintPage[] = []
  let length = 0

  for (const { node, depth, group } of subject.pages) {
    const text = await (shown.textOf(node) ?? texts.get(node.file?.oid ?? '') ?? '')
    const markdown = await evaluatePage(ctx, {
      organizationId,
      spaceId: space.id,
      view,
      node,
      markdown: text,
      mode: audience ? 'reader' : 'all',
      claims: audience?.claims,
      signal,
    })

    length += markdown.length
    if (length > mostText) throw tooLong()

    const { id, title, emoji, facts, file } = node
    const description = facts?.frontMatter.description
    const otherPaths = others.get(id)

    pages.push({
      id,
      title,
      ...(emoji !== undefined && { emoji }),
      ...(description !== undefined && { description }),
      depth,
      filePath: file?.path,
      ...(otherPaths && { otherPaths }),
      markdown,
      ...(group !== undefined && { group }),
    })
  }

  return pages
}

/** Returns the paths that lead to pages beside those of their files, by the id of the page. */
function otherPathsIn({ pageById, otherPaths }: ContentTree): Map<string, string[]> {
  const paths = new Map<string, string[]>()
  const add = ({ id }: PageNode, path: string) => paths.set(id, [...(paths.get(id) ?? []), path])
  for (const node of pageById.values()) if (node.isAsked) add(node, foldSlug(node.path))
  for (const [path, node] of otherPaths) add(node, path)
  return paths
}

/** Returns the reusable content by path, as readers see it, up to the text limit of a book. */
export async function readIncludes(
  ctx: Context,
  subject: PrintSubject,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const { audience, view, shown } = subject
  const { content } = shown
  const { id, organization_id } = subject.space
  const found = new Map<string, string>()
  const texts = await readBlobTexts(
    subject,
    content.includes.map(({ oid }) => oid),
  )
  const scope = pageScope(content.variables, undefined, audience?.claims)
  let length = 0

  for (const { path, oid } of content.includes) {
    const written = texts.get(oid) ?? ''
    const evaluated = await inSlices(
      evaluateSteps(written, scope, audience ? 'reader' : 'all'),
      signal,
    )
    const source = { organizationId: organization_id, spaceId: id, content: view.content, path }
    const markdown = await resolveBlocks(ctx, source, evaluated, { written, signal })

    length += markdown.length
    if (length <= mostText) found.set(path, markdown)
  }

  return found
}

async function readBlobTexts(
  { repo }: PrintSubject,
  oids: readonly Oid[],
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  let bytes = 0
  for await (const [oid, content] of streamBlobs(repo, oids, mostText)) {
    bytes += content.length
    if (bytes > mostText) throw tooLong()
    texts.set(oid, decode(content).text)
  }
  return texts
}

const tooLong = () =>
  new Fault(
    'result_too_large',
    `These pages have more than ${mostMegabytes} MB of text. Set "page" to the id of a page to print fewer pages.`,
  )

import { evaluatePage, isPageShown } from '../../actions/print/evaluate-page.ts'
import { readerText } from '../../actions/reading/reader-texts.ts'
import { pageText } from '../../actions/revisions/page-text.ts'
import { shownStamp } from '../../actions/specs/read-spec.ts'
import { slugsOnPage } from '../../actions/specs/resolve-blocks.ts'
import type { Mode } from '../../content/evaluate/evaluator.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { findPageByPath, findRedirectedPage } from '../../content/tree/find-page.ts'
import { Fault, missing } from '../../errors.ts'
import type { Bytes } from '../../http/endpoint.ts'
import { answer, once, whileRows } from './answer.ts'
import type { OpenContent } from './open-content.ts'
import { pageDates } from './page-dates.ts'
import { presentPages } from './present-page.ts'
import { RevisionPage } from './schema.ts'

export type PageAsked = {
  metadata?: boolean | undefined
  evaluated?: 'true' | 'false' | 'deterministic-only' | undefined
}

/**
 * Answers with one page, its text as in Git or evaluated, and its subpages. Throws 'missing' for an evaluated page
 * whose condition is false.
 */
export async function answerPage(
  open: OpenContent,
  node: PageNode,
  { metadata, evaluated }: PageAsked,
): Promise<Bytes> {
  const { view } = open
  const withGit = metadata !== false
  const mode = open.audience ? 'reader' : modes[evaluated ?? 'false']
  if (mode && mode !== 'reader' && !isPageShown({ view, node, mode })) throw notShown(node)
  const question = {
    key: `page ${node.id} ${withGit} ${mode ?? ''}`,
    schema: RevisionPage,
    holds: whileRows(mode ? await specsOnPage(open, node) : ''),
    ownTag: true,
  }
  return answer(open, question, async signal => {
    const { dates, certain } = await pageDates(open, node.file?.path)
    const { content, textOf } = open.shown
    const [shown] = presentPages([node], {
      content,
      location: open.location,
      metadata: withGit,
      variables: mode !== 'reader',
    })
    const page = { ...shown, ...dates }
    const final = certain ? (value: unknown) => value : once
    if (node.type !== 'document') return final(page)
    const text = await (textOf(node) ?? pageText(open.repo, node))
    return final({ ...page, markdown: await shownText(open, node, { text, mode, signal }) })
  })
}

type Written = { text: string; mode: Mode | undefined; signal: AbortSignal }

/** Returns the text of a page in the mode of the answer. */
async function shownText(
  { ctx, space, view, audience }: OpenContent,
  node: PageNode,
  { text, mode, signal }: Written,
): Promise<string> {
  const organizationId = space.organization_id
  if (audience) return readerText(ctx, { organizationId, view, audience, signal }, node, text)
  return mode ? evaluatePage(ctx, { organizationId, view, node, markdown: text, mode, signal }) : text
}

/** Returns the versions of the readable specs that the page's blocks show; '' without such blocks. */
const specsOnPage = async ({ ctx, space, repo }: OpenContent, node: PageNode): Promise<string> =>
  shownStamp(ctx, space.organization_id, await slugsOnPage(ctx, repo, node))

const modes = { true: 'all', false: undefined, 'deterministic-only': 'deterministic-only' } as const

const notShown = (node: PageNode): Fault =>
  new Fault(
    'missing',
    `The condition of the page "${node.id}" is not met: \`${node.facts?.frontMatter.condition?.slice(0, 200)}\`. Leave \`evaluated\` out to read the page as written.`,
  )

/** Returns the page with an id. Throws 'missing'. */
export function pageById(content: ContentTree, id: string): PageNode {
  const page = content.pageById.get(id)
  if (!page) throw missing('page', id)
  return page
}

/**
 * Returns the document or group at a path of the tree. Ignores surrounding slashes, a trailing `.md` and a trailing
 * `README`, and follows the redirects of `.gitbook.yaml` from a path without a page. Throws 'missing'.
 */
export function pageByPath(content: ContentTree, path: string): PageNode {
  const page = findPageByPath(content, path) ?? findRedirectedPage(content, path)
  if (!page) throw missing('page at the path', path)
  return page
}

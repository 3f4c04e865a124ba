import type { OpenContent } from '../../actions/audience/open-content.ts'
import { pageDates, stampOfDates } from '../../actions/audience/page-dates.ts'
import { shownText, specsOnPage } from '../../actions/audience/shown-text.ts'
import { isPageShown } from '../../actions/evaluating/evaluate-page.ts'
import { pageText } from '../../actions/revisions/page-text.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { Fault } from '../../errors.ts'
import type { Bytes } from '../../http/endpoint.ts'
import { answer, once, whileRows } from './answer.ts'
import { presentPages } from './present-page.ts'
import { RevisionPage } from './schema.ts'

export type PageAsked = {
  metadata?: boolean | undefined
  evaluated?: 'true' | 'false' | 'deterministic-only' | undefined
}

/**
 * Answers with one page, its text as in Git or evaluated, and its subpages. Throws 'missing' for an
 * evaluated page whose condition is false.
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

  const specs = mode ? await specsOnPage(open, node) : ''
  const rows = [specs, stampOfDates(open, node.file)].filter(Boolean).join(' ')
  const question = {
    key: `page ${node.id} ${withGit} ${mode ?? ''}`,
    schema: RevisionPage,
    holds: whileRows(rows),
    ownTag: true,
  }

  const wants = (name: string) => open.fields?.has(name) ?? true
  const wantsDates = wants('createdAt') || wants('updatedAt')

  return answer(open, question, async signal => {
    const { dates, certain } = await pageDates(open, wantsDates ? node.file : undefined)
    const { content, textOf } = open.shown
    const [shown] = presentPages([node], {
      content,
      app: open.app,
      home: open.home,
      metadata: withGit,
      variables: mode !== 'reader',
    })
    const page = { ...shown, ...dates }
    const final = certain ? (value: unknown) => value : once
    if (node.type !== 'document' || !wants('markdown')) return final(page)

    const text = await (textOf(node) ?? pageText(open.repo, node))

    return final({ ...page, markdown: await shownText(open, node, { text, mode, signal }) })
  })
}

const modes = { true: 'all', false: undefined, 'deterministic-only': 'deterministic-only' } as const

const notShown = (node: PageNode): Fault =>
  new Fault(
    'condition_unmet',
    `The condition of the page "${node.id}" is not met: \`${node.facts?.frontMatter.condition?.slice(0, 200)}\`. Leave \`evaluated\` out to read the page as written.`,
  )

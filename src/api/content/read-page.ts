import type { OpenContent } from '../../actions/audience/open-content.ts'
import { pageDates, stampOfDates } from '../../actions/audience/page-dates.ts'
import { shownText, specsOnPage } from '../../actions/audience/shown-text.ts'
import { type References, withReferences } from '../../actions/audience/written-references.ts'
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
  dereferenced?: 'true' | 'false' | 'reusable-contents' | undefined
  'format.markdown.refs'?: 'relative' | 'stable' | undefined
}

/**
 * Answers with one page, its text as in Git or evaluated, and its subpages. Throws 'missing' for an
 * evaluated page whose condition is false.
 */
export async function answerPage(
  open: OpenContent,
  node: PageNode,
  asked: PageAsked,
): Promise<Bytes> {
  const { metadata, evaluated } = asked
  const { view } = open
  const references = referencesOf(asked)
  const withGit = metadata !== false
  const mode = open.audience ? 'reader' : modes[evaluated ?? 'false']
  if (mode && mode !== 'reader' && !isPageShown({ view, node, mode })) throw notShown(node)

  const specs = mode ? await specsOnPage(open, node) : ''
  const rows = [specs, stampOfDates(open, node.file)].filter(Boolean).join(' ')
  const question = {
    key: `page ${node.id} ${withGit} ${mode ?? ''} ${JSON.stringify(references ?? '')}`,
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
    // What reusable content shows of specs changes without the page.
    const isFixed = certain && !(mode && references?.dereferenced)
    const final = isFixed ? (value: unknown) => value : once
    if (node.type !== 'document' || !wants('markdown')) return final(page)

    const text = await (textOf(node) ?? pageText(open.repo, node))
    const shownIn = await shownText(open, node, { text, mode, signal })
    const markdown = references
      ? await withReferences(open, node, { text: shownIn, mode, signal }, references)
      : shownIn

    return final({ ...page, markdown })
  })
}

/** Returns the form of references that is asked for; undefined: as written. */
function referencesOf({
  dereferenced = 'false',
  'format.markdown.refs': refs,
}: PageAsked): References | undefined {
  const asked = { dereferenced: dereferenced !== 'false', stable: refs === 'stable' }
  return asked.dereferenced || asked.stable ? asked : undefined
}

const modes = { true: 'all', false: undefined, 'deterministic-only': 'deterministic-only' } as const

const notShown = (node: PageNode): Fault =>
  new Fault(
    'condition_unmet',
    `The condition of the page "${node.id}" is not met: \`${node.facts?.frontMatter.condition?.slice(0, 200)}\`. Leave \`evaluated\` out to read the page as written.`,
  )

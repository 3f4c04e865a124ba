import { type Mode, type PageScope, pageScope } from '../../content/evaluate/evaluator.ts'
import { evaluateSteps, isConditionMet } from '../../content/evaluate/page.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { inSlices } from '../../lib/slices.ts'
import { resolveBlocks } from '../specs/resolve-blocks.ts'

/** What expressions read as `visitor.claims`; undefined for an unknown visitor. */
export type Claims = PageScope['visitor']['claims'] | undefined

/** A page whose expressions are evaluated, with its revision. */
type Evaluated = {
  organizationId: string
  spaceId: string
  view: RevisionView
  node: PageNode
  mode: Mode
  claims?: Claims
  /** Aborted when the result is no longer needed. */
  signal?: AbortSignal | undefined
}

/**
 * Returns the Markdown of a page as readers see it: evaluates its expressions, then expands its
 * OpenAPI blocks. Text from specs is never evaluated, neither in blocks nor in computed pages,
 * which have no file.
 */
export async function evaluatePage(
  ctx: Context,
  {
    organizationId,
    spaceId,
    view,
    node,
    markdown,
    mode,
    claims,
    signal,
  }: Evaluated & { markdown: string },
): Promise<string> {
  if (!node.file) return markdown
  const evaluated = await inSlices(
    evaluateSteps(markdown, scopeOf(view, node, claims), mode),
    signal,
  )
  const source = { organizationId, spaceId, content: view.content, path: node.file.path }
  return resolveBlocks(ctx, source, evaluated, { written: markdown, signal })
}

/** Returns whether a page is shown: its condition is true or cannot be decided, or it has none. */
export function isPageShown({
  view,
  node,
  mode,
}: Pick<Evaluated, 'view' | 'node' | 'mode'>): boolean {
  const condition = node.facts?.frontMatter.condition
  return (
    condition === undefined ||
    isConditionMet(condition, scopeOf(view, node, undefined), mode) !== false
  )
}

const scopeOf = ({ content }: RevisionView, { facts }: PageNode, claims: Claims) =>
  pageScope(content.variables, facts?.frontMatter.vars, claims)

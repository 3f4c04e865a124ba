import type { Mode } from '../../content/evaluate/judge.ts'
import { evaluateSteps, isConditionMet } from '../../content/evaluate/page.ts'
import { pageScope } from '../../content/evaluate/scope.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { inSlices } from '../../lib/slices.ts'
import { resolveBlocks } from '../specs/resolve-blocks.ts'

/** A page of a revision, in whose name expressions are evaluated. */
export type Evaluated = {
  organizationId: string
  view: RevisionView
  node: PageNode
  mode: Mode
  /** Aborted when nobody waits for it any more. */
  signal?: AbortSignal | undefined
}

/**
 * The Markdown of a page as it is to be seen: its expressions evaluated, then its OpenAPI blocks written out; what these
 * say is no expression, and neither is what a page without a file is made from.
 */
export async function evaluatePage(
  ctx: Context,
  { organizationId, view, node, markdown, mode, signal }: Evaluated & { markdown: string },
): Promise<string> {
  if (!node.file) return markdown
  const evaluated = await inSlices(evaluateSteps(markdown, scopeOf(view, node), mode), signal)
  return resolveBlocks(ctx, organizationId, evaluated, { written: markdown, signal })
}

/** Whether a page is to be seen: its condition is met, or there is none, or it is left to who reads. */
export const isPageShown = ({ view, node, mode }: Omit<Evaluated, 'organizationId'>): boolean => {
  const condition = node.facts?.frontMatter.condition
  return condition === undefined || isConditionMet(condition, scopeOf(view, node), mode) !== false
}

const scopeOf = ({ content }: RevisionView, { facts }: PageNode) =>
  pageScope(content.variables, facts?.frontMatter.vars)

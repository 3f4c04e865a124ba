import type { Mode, PageScope } from '../../src/content/evaluate/evaluator.ts'
import { evaluateSteps } from '../../src/content/evaluate/page.ts'
import { atOnce } from '../../src/lib/slices.ts'

/** Evaluates the expressions of a page at once. */
export const evaluateMarkdown = (markdown: string, scope: PageScope, mode: Mode): string =>
  atOnce(evaluateSteps(markdown, scope, mode))

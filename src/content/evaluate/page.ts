import type { Steps } from '../../lib/slices.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { mayVary } from '../page/varies.ts'
import { type Mode, type PageEvaluator, type PageScope, pageEvaluator } from './evaluator.ts'
import { findMarks, type Mark } from './find.ts'
import { charBefore, cut, drop, finish, type Output, openOutput, replace } from './output.ts'
import { asHtml, asMarkdown } from './text.ts'

/** The number of expression steps and shown characters after which the work yields. */
const mostAtOnce = 5_000

/**
 * Evaluates the expressions of a page: `<code class="expression">` is replaced by its value, as
 * text and not as markup (`{{…}}` if it fails), and `{% if %}` … `{% endif %}` is resolved. Tags
 * without a match, front matter and everything else are preserved byte for byte; for a reader,
 * comments are removed. Never throws; linear in the size of the page.
 */
export function* evaluateSteps(
  markdown: string,
  scope: PageScope,
  mode: Mode,
  evaluator: PageEvaluator = pageEvaluator(scope, mode),
): Steps<string> {
  if (!mayVary(markdown)) return markdown
  const { body } = splitFrontMatter(markdown)
  const marks = yield* findMarks(markdown, body, mode === 'reader')
  const ends = endsOf(marks)
  const kept = new Set<number>()
  const output = openOutput(markdown, body)
  let done = 0
  let paused = 0

  for (let index = 0; index < marks.length; index++) {
    const mark = marks[index]!
    if (mark.kind === 'value') {
      const text = evaluator.valueOf(mark.source)
      const next = marks[index + 1]?.start === mark.end ? '' : (markdown[mark.end] ?? '')
      if (text !== undefined) showValue(output, mark, text, next)
      done += text?.length ?? 0
    } else if (mark.kind === 'comment') {
      drop(output, mark.start, mark.end)
    } else if (mark.kind === 'endif') {
      if (kept.has(index)) cut(output, mark.start, mark.end)
    } else {
      const end = ends[index]!
      const holds = end === 0 ? undefined : evaluator.conditionHolds(mark.source)
      if (holds === true) {
        cut(output, mark.start, mark.end)
        kept.add(end)
      } else if (holds === false) {
        drop(output, mark.start, marks[end]!.end)
        index = end
      }
    }

    done += 50

    if (done + evaluator.taken() - paused > mostAtOnce) {
      paused = done + evaluator.taken()
      yield
    }
  }

  return finish(output)
}

/** Replaces an expression by the text of its value; `after` is the character that follows it. */
function showValue(
  output: Output,
  mark: Mark & { kind: 'value' },
  text: string,
  after: string,
): void {
  const around = { before: charBefore(output, mark.start), after, first: mark.first }
  replace(output, mark.start, mark.end, mark.raw ? asHtml(text, around) : asMarkdown(text, around))
}

/**
 * Returns whether a condition holds: an empty one does, a failing one does not. Undefined if it
 * depends on the visitor.
 */
export const isConditionMet = (
  condition: string,
  scope: PageScope,
  mode: Mode,
): boolean | undefined => pageEvaluator(scope, mode).conditionHolds(condition)

/** Returns the index of the `{% endif %}` of each `{% if %}` among the marks; 0 if it has none. */
function endsOf(marks: readonly Mark[]): Uint32Array {
  const ends = new Uint32Array(marks.length)
  const open: number[] = []
  for (const [index, { kind }] of marks.entries()) {
    if (kind === 'if') open.push(index)
    else if (kind === 'endif' && open.length > 0) ends[open.pop()!] = index
  }
  return ends
}

import type { Steps } from '../../lib/slices.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { mayVary } from '../page/varies.ts'
import { lineStart } from '../text/lines.ts'
import { type Mode, type PageEvaluator, type PageScope, pageEvaluator } from './evaluator.ts'
import { findMarks, type Mark } from './find.ts'
import {
  charBefore,
  cut,
  drop,
  finish,
  isAlone,
  type Output,
  openOutput,
  replace,
} from './output.ts'
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
  const hidesComments = mode === 'reader' || mode === 'preview'
  const marks = yield* findMarks(markdown, body, hidesComments)
  const output = openOutput(markdown, body)
  const page: Page = { output, marks, ends: endsOf(marks), evaluator, mode, endings: new Map() }
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
      endCondition(page, mark, index)
    } else {
      index = beginCondition(page, mark, index)
    }

    done += 50

    if (done + evaluator.taken() - paused > mostAtOnce) {
      paused = done + evaluator.taken()
      yield
    }
  }

  return finish(output)
}

/** A page that is evaluated. `endings` says what becomes of an `{% endif %}`, by its index. */
type Page = {
  output: Output
  marks: readonly Mark[]
  ends: Uint32Array
  evaluator: PageEvaluator
  mode: Mode
  endings: Map<number, 'cut' | 'told'>
}

/** Resolves an `{% if %}`. Returns the index of the last mark that is done with it. */
function beginCondition(page: Page, mark: Mark & { kind: 'if' }, index: number): number {
  const { output, marks, ends, evaluator, mode, endings } = page
  const end = ends[index]!
  const holds = end === 0 ? undefined : evaluator.conditionHolds(mark.source)
  if (holds === undefined) return index

  if (holds) {
    cut(output, mark.start, mark.end)
    endings.set(end, 'cut')
    return index
  }

  if (mode === 'preview') {
    replace(output, mark.start, mark.end, conditionStart(output, mark))
    endings.set(end, 'told')
    return index
  }

  drop(output, mark.start, marks[end]!.end)
  return end
}

function endCondition(
  { output, endings }: Page,
  mark: Mark & { kind: 'endif' },
  index: number,
): void {
  const { start, end } = mark
  const ending = endings.get(index)
  if (ending === 'cut') cut(output, start, end)
  if (ending === 'told') replace(output, start, end, conditionEnd(output, mark))
}

/** Returns the sentence in front of a text whose condition does not hold, with the condition. */
function conditionStart(output: Output, mark: Mark & { kind: 'if' }): string {
  const around = { before: '', after: '', first: false }
  if (mark.raw) return asHtml(`[Shown only if ${mark.source}: `, around)
  const condition = codeOf(mark.source)
  return isAlone(output, mark.start, mark.end)
    ? paragraph(output, mark, `*Shown only if* ${condition}*:*`)
    : `\\[*shown only if* ${condition}*:* `
}

/** Returns the sentence behind a text whose condition does not hold. */
function conditionEnd(output: Output, mark: Mark & { kind: 'endif' }): string {
  if (mark.raw) return ']'
  return isAlone(output, mark.start, mark.end)
    ? paragraph(output, mark, '*End of what is shown only under this condition.*')
    : '\\]'
}

/** Returns a text as a paragraph of its own in place of a tag, indented as the tag is. */
function paragraph(output: Output, { start }: Mark, text: string): string {
  const indent = output.source.slice(lineStart(output.source, start), start)
  return `\n${indent}${text}\n`
}

/** Returns a text as inline code. */
function codeOf(text: string): string {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  const words = text.replace(/\s+/g, ' ').trim()
  return longest > 0 ? `${fence} ${words} ${fence}` : fence + words + fence
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

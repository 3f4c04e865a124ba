import { atOnce, type Steps } from '../../lib/slices.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { findMarks, type Mark } from './find.ts'
import { type Judge, type Mode, openJudge } from './judge.ts'
import { charBefore, cut, drop, finish, openOutput, replace } from './output.ts'
import type { PageScope } from './scope.ts'
import { asHtml, asMarkdown } from './text.ts'

/** Others may be let in after as many steps of expressions, or characters that they show. */
const mostAtOnce = 5_000

/**
 * A page with its expressions evaluated: `<code class="expression">` becomes what it is worth, as text and no markup
 * (`{{…}}` when it fails), and `{% if %}` … `{% endif %}` goes, with what is in it or without. Tags without their match
 * stay as they are written, as do front matter and everything else, byte for byte. Never throws; linear in the page.
 */
export const evaluateMarkdown = (markdown: string, scope: PageScope, mode: Mode): string =>
  atOnce(evaluateSteps(markdown, scope, mode))

/** The same, in steps. */
export function* evaluateSteps(
  markdown: string,
  scope: PageScope,
  mode: Mode,
  judge: Judge = openJudge(scope, mode),
): Steps<string> {
  if (!/\{%[ \t]*if|<code\s/.test(markdown)) return markdown
  const { body } = splitFrontMatter(markdown)
  const marks = yield* findMarks(markdown, body)
  const ends = endsOf(marks)
  const kept = new Set<number>()
  const output = openOutput(markdown, body)
  let done = 0
  let paused = 0
  for (let index = 0; index < marks.length; index++) {
    const mark = marks[index]!
    if (mark.kind === 'value') {
      const text = judge.shown(mark.source)
      const next = marks[index + 1]?.start === mark.end ? '' : (markdown[mark.end] ?? '')
      const around = { before: charBefore(output, mark.start), after: next, first: mark.first }
      const write = mark.raw ? asHtml : asMarkdown
      if (text !== undefined) replace(output, mark.start, mark.end, write(text, around))
      done += text?.length ?? 0
    } else if (mark.kind === 'endif') {
      if (kept.has(index)) cut(output, mark.start, mark.end)
    } else {
      const end = ends[index]!
      const met = end === 0 ? undefined : judge.isMet(mark.source)
      if (met === true) {
        cut(output, mark.start, mark.end)
        kept.add(end)
      } else if (met === false) {
        drop(output, mark.start, marks[end]!.end)
        index = end
      }
    }
    done += 50
    if (done + judge.taken() - paused > mostAtOnce) {
      paused = done + judge.taken()
      yield
    }
  }
  return finish(output)
}

/** Whether a condition, such as a page's, is met: an empty one is, one that fails is not. Undefined when it is left to who reads. */
export const isConditionMet = (condition: string, scope: PageScope, mode: Mode): boolean | undefined =>
  openJudge(scope, mode).isMet(condition)

/** Where the `{% endif %}` of each `{% if %}` is among the marks; 0 where there is none. */
function endsOf(marks: readonly Mark[]): Uint32Array {
  const ends = new Uint32Array(marks.length)
  const open: number[] = []
  for (const [index, { kind }] of marks.entries()) {
    if (kind === 'if') open.push(index)
    else if (kind === 'endif' && open.length > 0) ends[open.pop()!] = index
  }
  return ends
}

import type { Env, Token } from 'markdown-it'
import type { Steps } from '../../lib/slices.ts'
import { leaveContent, type Stepping } from './containers.ts'
import { notesOf, pageGrammar } from './grammar.ts'

/**
 * Lists and quotes are cut after `longestList` lines, at an item within the first `farthestItem`
 * lines.
 */
const longestList = 400
const farthestItem = 2000

/**
 * Returns the line before which a long list or quote is cut in two, so that parsing does not block
 * the event loop.
 */
function cutOf(state: Stepping, line: number): number {
  const marker = /(?:[*+-]|\d{1,9}[.)])[ \t\n]|>/y
  const begins = (at: number) => {
    marker.lastIndex = state.bMarks[at]! + state.tShift[at]!
    return state.sCount[at] === state.blkIndent && marker.test(state.src)
  }
  const last = Math.min(state.lineMax, line + farthestItem)
  if (line + longestList < last && begins(line))
    for (let at = line + longestList; at < last; at++) if (begins(at)) return at

  return state.lineMax
}

/**
 * Parses blocks in steps, and hands over the tokens of each until `read` returns false. Those of a
 * whole page would take more memory than its tree.
 */
export function* parseBlocks(
  source: string,
  env: Env,
  read?: (tokens: readonly Token[]) => Steps<boolean>,
): Steps<void> {
  const tokens: Token[] = []
  const state: Stepping = new pageGrammar.block.State(source, pageGrammar, env, tokens)
  const rules = pageGrammar.block.ruler.getRules('')
  let blanks = false

  state.entered = []

  // The loop of markdown-it, with a yield after every block.
  for (let line = 0; ; line = state.line) {
    state.line = line = state.skipEmptyLines(line)

    if (line < state.lineMax) {
      const cut = cutOf(state, line)
      const whole = state.lineMax
      state.lineMax = cut
      if (!rules.some(rule => rule(state, line, cut, false))) state.line = line + 1
      if (state.lineMax === cut && cut < whole) state.lineMax = whole
      state.tight = !blanks
      if (state.isEmpty(state.line - 1)) blanks = true
    } else if (!leaveContent(state)) return

    if (read && !(yield* read(tokens))) return
    tokens.length = 0
    yield
  }
}

/** Returns the environment of a page: links and footnotes may be defined after their use. */
export function* definitionsOf(source: string, mdx: boolean): Steps<Env> {
  const env: Env = { mdx }
  if (!source.includes(']:')) return env
  yield* parseBlocks(source, env)
  // What else the parser remembers belongs to its place in the page.
  return { mdx, references: env.references, notes: notesOf(env) } as Env
}

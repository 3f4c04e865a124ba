import type { BlockState, newGrammar } from '../markdown/grammar.ts'

/** The most terms of one list: those after them are in another one. */
const mostTerms = 200
/** The most definitions of one term: those after them are paragraphs. */
const mostDefinitions = 200

/** Lines of a block: from the first one up to the one behind the last. */
type Lines = { from: number; end: number }

/** Returns the offset of the words behind the colon of a definition; undefined for other lines. */
function definitionAt(state: BlockState, line: number): number | undefined {
  const start = state.bMarks[line]! + state.tShift[line]!
  if (state.src[start] !== ':') return undefined
  const words = state.skipSpaces(start + 1)
  return words === start + 1 || words >= state.eMarks[line]! ? undefined : words
}

/** Reports whether a line is neither blank, nor code, nor behind the end of what is around it. */
const isHere = (state: BlockState, line: number): boolean =>
  !state.isEmpty(line) &&
  state.sCount[line]! >= state.blkIndent &&
  state.sCount[line]! - state.blkIndent < 4

/** Reports whether another block than a paragraph begins at a line, in a block of a type. */
function isOther(state: BlockState, line: number, to: number, within: string): boolean {
  const { parentType } = state
  state.parentType = within
  const rules = state.md.block.ruler.getRules('paragraph')
  const found = rules.some(rule => rule(state, line, to, true))
  state.parentType = parentType
  return found
}

const textOf = (state: BlockState, line: number): string =>
  state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]).trim()

/** Returns the line of the definition at a line or below a blank one. */
function nextDefinition(state: BlockState, line: number, to: number): number | undefined {
  const next = line < to && state.isEmpty(line) ? line + 1 : line
  if (next >= to || !isHere(state, next)) return undefined
  return definitionAt(state, next) === undefined ? undefined : next
}

/**
 * Returns the line behind the paragraph that a definition is; undefined for one that an underline
 * makes a heading.
 */
function endOfDefinition(state: BlockState, from: number, to: number): number | undefined {
  let end = from + 1
  for (; end < to && !state.isEmpty(end); end++) {
    if (state.sCount[end]! < 0 || state.sCount[end]! - state.blkIndent > 3) continue
    if (/^(?:=+|-+)$/.test(textOf(state, end))) return undefined
    if (definitionAt(state, end) !== undefined || isOther(state, end, to, 'paragraph')) break
  }

  return end
}

/** Returns the definitions of the term at a line; none if it is no term. */
function definitionsOfTerm(state: BlockState, term: number, to: number): Lines[] {
  if (term >= to || !isHere(state, term) || definitionAt(state, term) !== undefined) return []
  const found: Lines[] = []
  let from = nextDefinition(state, term + 1, to)

  while (from !== undefined && found.length < mostDefinitions) {
    const end = endOfDefinition(state, from, to)
    // The underline makes all lines above it a heading, up to an empty one.
    if (end === undefined) return from === found.at(-1)?.end ? [] : found
    found.push({ from, end })
    from = nextDefinition(state, end, to)
  }

  return found
}

function pushWords(state: BlockState, name: 'dt' | 'dd', words: string, lines: Lines): void {
  const map: [number, number] = [lines.from, lines.end]
  state.push(`${name}_open`, name, 1).map = map
  const inline = state.push('inline', '', 0)
  inline.content = words
  inline.map = map
  inline.children = []
  state.push(`${name}_close`, name, -1)
}

function pushDefinition(state: BlockState, lines: Lines): void {
  const words = [state.src.slice(definitionAt(state, lines.from), state.eMarks[lines.from]).trim()]
  for (let line = lines.from + 1; line < lines.end; line++) words.push(textOf(state, line))
  pushWords(state, 'dd', words.join('\n'), lines)
}

/**
 * Reads terms with the definitions below them. A definition is one paragraph, so that the blocks of
 * a page are the same for links, search and the page.
 */
function readTerms(state: BlockState, from: number, to: number, silent: boolean): boolean {
  let definitions = silent ? [] : definitionsOfTerm(state, from, to)
  if (definitions.length === 0) return false

  let term = from
  state.push('dl_open', 'dl', 1).map = [from, to]

  for (let terms = 0; definitions.length > 0 && terms < mostTerms; terms++) {
    pushWords(state, 'dt', textOf(state, term), { from: term, end: term + 1 })
    for (const lines of definitions) pushDefinition(state, lines)
    state.line = definitions.at(-1)?.end ?? term + 1

    // A further term is a paragraph of its own.
    term = state.skipEmptyLines(state.line)
    const isApart = term > state.line && term < to
    const isTerm = isApart && !isOther(state, term, to, state.parentType)
    definitions = isTerm ? definitionsOfTerm(state, term, to) : []
  }

  state.push('dl_close', 'dl', -1)

  return true
}

/** Adds definition lists of Markdown Extra to a grammar: a term, `: definition` below it. */
export function useDefinitions({ block: { ruler } }: ReturnType<typeof newGrammar>): void {
  ruler.before('lheading', 'definitions', readTerms)
}

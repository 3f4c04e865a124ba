import { type BlockState, type newGrammar, pushParagraph } from '../markdown/grammar.ts'
import type { PageTag } from './tags.ts'

/** The styles of hints by the names that other tools give them. */
const styles: ReadonlyMap<string, string> = new Map(
  Object.entries({
    info: 'note info todo important seealso abstract summary tldr example quote cite question help faq',
    success: 'tip hint success check done',
    warning: 'warning caution attention',
    danger: 'danger error failure fail missing bug',
  }).flatMap(([style, names]) => names.split(' ').map(name => [name, style] as const)),
)

/** Names whose style does not say what they are: without a title, the name is the title. */
const telling = /^(?:todo|abstract|summary|tldr|example|quote|question|help|faq|bug)$/

/** Deeper blocks with an indented content are read as source. */
const deepest = 12

/** What the parser remembers of the blocks that are open at a line. */
type Remembered = { containers?: string[]; indented?: number }

const capital = (name: string): string => name.replace(/^./, first => first.toUpperCase())

const escaped = (text: string): string => text.replace(/[&<>]/g, sign => `&#${sign.charCodeAt(0)};`)

function pushTag(state: BlockState, line: number, tag: Partial<PageTag> & { name: string }): void {
  const token = state.push('tag', '', 0)
  token.map = [line, line + 1]
  token.meta = { closes: false, start: 0, end: 0, attributes: {}, raw: '', ...tag }
}

function pushHtml(state: BlockState, line: number, html: string): void {
  const token = state.push('html_block', '', 0)
  token.map = [line, line + 1]
  token.content = html
}

type Opening = { name: string; title: string; raw: string; isOpen?: boolean }

/** Opens a hint, the tabs of a group of code, or details. Returns the name of what has to be closed. */
function open(state: BlockState, line: number, { name, title, raw, isOpen }: Opening): string {
  if (name === 'details') {
    const summary = escaped(title || 'Details')
    pushHtml(state, line, `<details${isOpen ? ' open' : ''}>\n<summary>${summary}</summary>\n`)
    return name
  }

  if (name === 'code-group') {
    pushTag(state, line, { name: 'tabs', attributes: { codes: 'true' }, raw })
    return 'tabs'
  }

  pushTag(state, line, { name: 'hint', attributes: { style: styles.get(name) ?? 'info' }, raw })
  const shown = title || (telling.test(name) ? capital(name) : '')
  if (shown !== '') pushParagraph(state, `**${shown}**`, line, line + 1)

  return 'hint'
}

function close(state: BlockState, line: number, name: string, raw = ''): void {
  if (name === 'details') pushHtml(state, line, '</details>\n')
  else pushTag(state, line, { name, closes: true, raw })
}

const lineOf = (state: BlockState, line: number): string =>
  state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line])

const isCode = (state: BlockState, line: number): boolean =>
  state.sCount[line]! - state.blkIndent >= 4

const fenced = /^:{3,}[ \t]*\{?([A-Za-z][\w-]*)\}?[ \t]*(?:\[([^\]]*)\])?(.*)$/s
const fenceEnd = /^:{3,}[ \t]*$/

/**
 * Reads a line such as `:::note[Title]`, `::: tip Title` or `::: details Title`, or the `:::` that
 * closes it. Lines with names that are not known are text.
 */
function readFenced(state: BlockState, from: number, _to: number, silent: boolean): boolean {
  if (!state.src.startsWith(':::', state.bMarks[from]! + state.tShift[from]!)) return false
  if (isCode(state, from)) return false
  const env = state.env as Remembered
  const raw = lineOf(state, from)
  const [, name = '', bracketed, rest = ''] = fenced.exec(raw) ?? []
  const kind = name.toLowerCase()
  const opens = styles.has(kind) || kind === 'details' || kind === 'code-group'
  const ends = fenceEnd.test(raw) ? env.containers?.at(-1) : undefined
  if (!opens && ends === undefined) return false
  if (silent) return true

  if (ends !== undefined) {
    env.containers?.pop()
    close(state, from, ends, raw)
  } else {
    const title = (bracketed ?? withoutOptions(rest)).trim()
    const isOpen = /\{open\}/.test(rest)
    env.containers ??= []
    env.containers.push(open(state, from, { name: kind, title, raw, isOpen }))
  }

  state.line = from + 1

  return true
}

/** Returns a title without the options in braces at its end. */
function withoutOptions(title: string): string {
  const text = title.trimEnd()
  const at = text.endsWith('}') ? text.indexOf('{') : -1
  return at === -1 ? text : text.slice(0, at)
}

/** Returns the line after the lines that are indented below a line. */
function endOfIndented(state: BlockState, from: number, to: number): number {
  const indent = state.blkIndent + 4
  let end = from + 1
  for (let line = from + 1; line < to; line++) {
    if (state.isEmpty(line)) continue
    if (state.sCount[line]! < indent) break
    end = line + 1
  }
  return end
}

/** Reads the indented lines below a line as blocks. */
function readIndented(state: BlockState, from: number, end: number): void {
  const { blkIndent, lineMax } = state
  const env = state.env as Remembered
  env.indented = (env.indented ?? 0) + 1
  state.blkIndent += 4
  state.lineMax = end
  state.md.block.tokenize(state, from + 1, end)
  env.indented--
  state.blkIndent = blkIndent
  state.lineMax = lineMax
}

const indented = /^(!!!|\?\?\?\+?)[ \t]+(?![ \t])([^"]*)(?:"(.*)")?$/s
/** Words of a hint: the kind, and how it looks. */
const hintWords = /^[\w-]+(?:[ \t]+[\w-]+)*$/

/** Reads `!!! note "Title"` and `??? note "Title"`, with the indented lines below it. */
function readIndentedHint(state: BlockState, from: number, to: number, silent: boolean): boolean {
  if (isCode(state, from) || ((state.env as Remembered).indented ?? 0) >= deepest) return false
  const text = lineOf(state, from).trimEnd()
  const [raw, sign = '', given = '', title = ''] = indented.exec(text) ?? []
  const names = given.trim()
  if (raw === undefined || !(hintWords.test(names) || (names === '' && title !== ''))) return false

  const name = names.split(/[ \t]/)[0]!.toLowerCase()
  const end = endOfIndented(state, from, to)
  // A sentence may begin with "!!!".
  if (end === from + 1 && !styles.has(name)) return false
  if (silent) return true

  const opening =
    sign === '!!!'
      ? { name: name === 'details' ? 'note' : name, title, raw }
      : { name: 'details', title: title || capital(name), raw, isOpen: sign.endsWith('+') }
  const closes = open(state, from, opening)

  readIndented(state, from, end)
  close(state, end - 1, closes)
  state.line = end

  return true
}

const tabLine = /^===[!+]?[ \t]+"(.*)"[ \t]*$/

/** Reads a line such as `=== "Title"` with the indented lines below it as a tab, with those after it. */
function readTabs(state: BlockState, from: number, to: number, silent: boolean): boolean {
  if (isCode(state, from) || ((state.env as Remembered).indented ?? 0) >= deepest) return false
  let found = tabLine.exec(lineOf(state, from))
  if (!found) return false
  if (silent) return true

  pushTag(state, from, { name: 'tabs' })
  let line = from

  while (found) {
    const end = endOfIndented(state, line, to)
    pushTag(state, line, { name: 'tab', attributes: { title: found[1]! } })
    readIndented(state, line, end)
    close(state, end - 1, 'tab')
    line = end
    const next = state.skipEmptyLines(end)
    found = next < to && !isCode(state, next) ? tabLine.exec(lineOf(state, next)) : null
    if (found) line = next
  }

  close(state, line - 1, 'tabs')
  state.line = line

  return true
}

/** Leaves out a line that stands for a list of the headings, which every page has beside it. */
function skipContents(state: BlockState, from: number, _to: number, silent: boolean): boolean {
  if (silent || !/^\[(?:\[toc\]|TOC)\][ \t]*$/i.test(lineOf(state, from))) return false
  if (isCode(state, from)) return false
  state.line = from + 1
  return true
}

const importing =
  /^import[ \t]+(?![ \t])[\w$*{},\s]{1,500}[ \t]from[ \t]+["'][@./][^"']{1,300}["'];?[ \t]*$/
const jsxComment = /^\{\/\*.*\*\/\}[ \t]*$/

/** Leaves out the lines of MDX that import components, and its comments. */
function skipModule(state: BlockState, from: number, _to: number, silent: boolean): boolean {
  const line = lineOf(state, from)
  if (silent || isCode(state, from) || !(importing.test(line) || jsxComment.test(line)))
    return false
  state.line = from + 1
  return true
}

/**
 * Adds the blocks of Docusaurus, VitePress, Starlight and Material for MkDocs to a grammar: hints,
 * details, tabs and groups of code.
 */
export function useContainers({ block: { ruler } }: ReturnType<typeof newGrammar>): void {
  const interrupting = { alt: ['paragraph', 'reference', 'blockquote', 'list'] }
  ruler.before('code', 'fenced-container', readFenced, interrupting)
  ruler.before('code', 'indented-hint', readIndentedHint, interrupting)
  ruler.before('code', 'tabs', readTabs, interrupting)
  ruler.before('code', 'contents', skipContents)
  ruler.before('code', 'module', skipModule)
}

import type { Steps } from '../../lib/slices.ts'
import { type Block, blockSteps } from '../markdown/blocks.ts'
import { decodeEntities } from '../markdown/entities.ts'
import { htmlTagAt } from '../markdown/html.ts'
import { codeSpans } from '../markdown/inline.ts'
import { tagReader } from '../markdown/tags.ts'

/**
 * A part of a page to evaluate: `source` is the expression, `start` and `end` delimit the whole
 * markup.
 */
export type Mark = { start: number; end: number } & (
  | {
      kind: 'value'
      source: string
      /** It is in raw HTML, where Markdown does not apply. */
      raw: boolean
      /** It is first on its line, list and quote markers aside. */
      first: boolean
    }
  | { kind: 'if'; source: string; raw: boolean }
  | { kind: 'endif'; raw: boolean }
  | { kind: 'comment' }
)

const opening = /<code\s+class\s*=\s*(?:"expression"|'expression'|expression)\s*>/y
const closing = '</code>'
const hidden = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
] as const

/** Longer than any expression, however it is escaped; longer markup is left as written. */
const mostRaw = 10_240

/**
 * Finds the parts of a page to evaluate, in order, from the offset `body`: `<code
 * class="expression">` in text, HTML and `<pre>`, `{% if %}` and `{% endif %}` in text and HTML,
 * and with `comments` comments, which are not searched. Skips fences, indented code, inline code,
 * scripts and attributes. Linear in the size of the source.
 */
export function* findMarks(source: string, body: number, comments = false): Steps<Mark[]> {
  const marks: Mark[] = []
  let until = 0
  for (const block of yield* blockSteps(source, body)) {
    const { kind, text } = block
    if (kind !== 'paragraph' && kind !== 'heading' && kind !== 'html') continue
    until += text.end - text.start
    const inside = source.slice(text.start, text.end)
    if (/\{%|<\/code>|<!--/.test(inside)) yield* scan(inside, block, { marks, comments })

    if (until > 65_536) {
      until = 0
      yield
    }
  }

  return marks
}

/**
 * Returns a search for the next occurrence; offsets must not decrease, so that each part is
 * searched once per text.
 */
function finder(text: string): (what: string, from: number) => number {
  const known = new Map<string, number>()
  return (what, from) => {
    let at = known.get(what)
    if (at === undefined || at < from) {
      at = text.indexOf(what, from)
      if (at < 0) at = Number.POSITIVE_INFINITY
      known.set(what, at)
    }
    return at
  }
}

type Scan = {
  text: string
  find: (what: string, from: number) => number
  offset: number
  raw: boolean
  quoted: boolean
  /** The end of code opened by an HTML tag, in which block tags are text. */
  codeUntil: number
  tagAt: ReturnType<typeof tagReader>
} & Into

/** The marks found so far, and whether comments are among them. */
type Into = { marks: Mark[]; comments: boolean }

function* scan(text: string, { kind, text: { start }, quoted }: Block, into: Into): Steps<void> {
  const raw = kind === 'html'
  const here: Scan = {
    text,
    find: finder(text),
    offset: start,
    raw,
    quoted,
    codeUntil: 0,
    tagAt: tagReader(text),
    ...into,
  }
  const special = raw ? /[<{]/g : /[\\`<{]/g
  const codeAt = codeSpans(text, 0, text.length)

  for (let count = 1; ; count++) {
    const found = special.exec(text)
    if (!found) return
    const at = found.index

    if (found[0] === '\\') special.lastIndex = at + 2
    else if (found[0] === '`') {
      const { size, close } = codeAt(at)
      special.lastIndex = (close ?? at) + size
    } else special.lastIndex = found[0] === '<' ? readMarkup(here, at) : readTag(here, at)

    if (count % 1024 === 0) yield
  }
}

/** Reads markup that begins with `<`. Returns the offset to continue at. */
function readMarkup(here: Scan, at: number): number {
  const { text, find, raw } = here
  const behind = behindHidden(here, at)
  if (behind !== undefined) return behind
  opening.lastIndex = at
  const expression = opening.exec(text)
  if (expression) return readValue(here, at, at + expression[0].length)

  const whole = htmlTagAt(text, at)
  if (whole === undefined) return at + 1

  const after = at + whole.length
  const name = /^<([a-z]+)/i.exec(whole)?.[1]?.toLowerCase() ?? ''

  if (/^(?:script|style|textarea)$/.test(name)) {
    const end = find(`</${name}`, after)
    return end < text.length ? end : raw ? text.length : after
  }

  if (name === 'pre' || name === 'code') {
    const end = find(`</${name}>`, after)
    if (end < text.length) here.codeUntil = Math.max(here.codeUntil, end)
  }

  return after
}

/** Returns the offset to continue at behind a comment or the like; undefined for other markup. */
function behindHidden(
  { text, find, raw, offset, marks, comments }: Scan,
  at: number,
): number | undefined {
  const [open, close] = hidden.find(([opens]) => text.startsWith(opens, at)) ?? []
  if (open === undefined || close === undefined) return undefined
  const closed = find(close, at + 2)
  const end = closed < text.length ? closed + close.length : raw ? text.length : undefined

  // Unclosed, it hides the rest of an HTML block, but is plain text in a paragraph.
  if (end === undefined) return at + 1
  if (comments && open === '<!--')
    marks.push({ start: offset + at, end: offset + end, kind: 'comment' })

  return end
}

function readValue(
  { text, find, offset, raw, quoted, marks }: Scan,
  at: number,
  from: number,
): number {
  const close = find(closing, from)
  if (close >= text.length) return from
  const end = close + closing.length
  const inside = text.slice(from, close)

  // Quote markers would become part of the expression.
  if (inside.length > mostRaw || (quoted && /[\r\n]/.test(inside))) return end

  // Backslashes belong to JavaScript, not to Markdown.
  const source = decodeEntities(inside)
  const first = /(?:^|[\r\n])[ \t>]*$/.test(text.slice(Math.max(0, at - 200), at))

  marks.push({ kind: 'value', start: offset + at, end: offset + end, source, raw, first })

  return end
}

/** Reads `{% if … %}` or `{% endif %}`. Returns the offset to continue at. */
function readTag({ text, offset, raw, quoted, codeUntil, tagAt, marks }: Scan, at: number): number {
  const tag = at < codeUntil ? undefined : tagAt(at)
  if (!tag) return at + 1
  const inside = text.slice(tag.inside.start, tag.inside.end)
  const place = { start: offset + tag.start, end: offset + tag.end }

  // In a quote, the marks of a second line would become part of the expression.
  if (tag.name !== 'if' || (quoted && /[\r\n]/.test(inside))) return tag.end
  if (!tag.closes) marks.push({ ...place, kind: 'if', source: inside.trim(), raw })
  else if (inside.trim() === '') marks.push({ ...place, kind: 'endif', raw })

  return tag.end
}

import type { Steps } from '../../lib/slices.ts'
import { type Block, blockSteps } from '../markdown/blocks.ts'
import { htmlTag } from '../markdown/html.ts'
import { unescapeText } from '../markdown/plain-text.ts'

/** What a page asks to be evaluated: `source` is the expression, `start` and `end` are all that stands for it. */
export type Mark = { start: number; end: number } & (
  | {
      kind: 'value'
      source: string
      /** It stands in raw HTML, where Markdown means nothing. */
      raw: boolean
      /** Nothing but marks of lists and quotes stands before it on its line. */
      first: boolean
    }
  | { kind: 'if'; source: string }
  | { kind: 'endif' }
)

const opening = /<code\s+class\s*=\s*(?:"expression"|'expression'|expression)\s*>/y
const closing = '</code>'
const hidden = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
] as const

/** No expression is that long, however it is escaped; what is longer stays as it is. */
const mostRaw = 10_240

/**
 * What is to be evaluated in a page from the offset `body` on, in order: `<code class="expression">` in text, in HTML and
 * in code lines (`<pre>`), `{% if %}` and `{% endif %}` in text and in HTML. What stands in fences, indented code, inline
 * code, comments, scripts and attributes is none. Linear in the source.
 */
export function* findMarks(source: string, body: number): Steps<Mark[]> {
  const marks: Mark[] = []
  let until = 0
  for (const block of yield* blockSteps(source, body)) {
    const { kind, text } = block
    if (kind !== 'paragraph' && kind !== 'heading' && kind !== 'html') continue
    until += text.end - text.start
    const inside = source.slice(text.start, text.end)
    if (inside.includes('{%') || inside.includes(closing)) yield* scan(inside, block, marks)
    if (until > 65_536) {
      until = 0
      yield
    }
  }
  return marks
}

/** Where something comes next, from places that only go forward: each stretch is looked through once. */
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
  /** Where code begun by a tag ends, in which tags of blocks are text. */
  codeUntil: number
  marks: Mark[]
}

function* scan(text: string, { kind, text: { start }, quoted }: Block, marks: Mark[]): Steps<void> {
  const raw = kind === 'html'
  const here: Scan = { text, find: finder(text), offset: start, raw, quoted, codeUntil: 0, marks }
  const special = raw ? /[<{]/g : /[\\`<{]/g
  const runs = raw ? undefined : spansOf(text)
  for (let count = 1; ; count++) {
    const found = special.exec(text)
    if (!found) return
    const at = found.index
    if (found[0] === '\\') special.lastIndex = at + 2
    else if (found[0] === '`') special.lastIndex = runs!(at)
    else special.lastIndex = found[0] === '<' ? readMarkup(here, at) : readTag(here, at)
    if (count % 1024 === 0) yield
  }
}

/** Says where the inline code ends that begins at a backtick; where it is none, behind the backticks. */
function spansOf(text: string): (at: number) => number {
  let ends: Map<number, number[]> | undefined
  return at => {
    ends ??= runsOf(text)
    let size = 1
    while (text[at + size] === '`') size++
    const same = ends.get(size) ?? []
    while (same.length > 0 && same.at(-1)! <= at) same.pop()
    return (same.at(-1) ?? at) + size
  }
}

/** Where backticks stand, by how many there are in a row; the first is last. */
function runsOf(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>()
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const same = runs.get(run.length)
    if (same) same.push(index)
    else runs.set(run.length, [index])
  }
  for (const same of runs.values()) same.reverse()
  return runs
}

/** Reads what begins with `<`; gives where to go on. */
function readMarkup(here: Scan, at: number): number {
  const { text, find, raw } = here
  for (const [open, close] of hidden) {
    if (!text.startsWith(open, at)) continue
    const end = find(close, at + open.length)
    if (end < text.length) return end + close.length
    // In HTML it hides all that follows; in text it is none.
    return raw ? text.length : at + 1
  }
  opening.lastIndex = at
  const expression = opening.exec(text)
  if (expression) return readValue(here, at, at + expression[0].length)
  const tag = htmlTag()
  tag.lastIndex = at
  const whole = tag.exec(text)?.[0]
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

function readValue({ text, find, offset, raw, quoted, marks }: Scan, at: number, from: number): number {
  const close = find(closing, from)
  if (close >= text.length) return from
  const end = close + closing.length
  const inside = text.slice(from, close)
  // The marks of a quote would become part of the expression.
  if (inside.length > mostRaw || (quoted && /[\r\n]/.test(inside))) return end
  // Its backslashes are JavaScript's, not Markdown's.
  const source = unescapeText(inside.replaceAll('\\', '\\\\'))
  const first = /(?:^|[\r\n])[ \t>]*$/.test(text.slice(Math.max(0, at - 200), at))
  marks.push({ kind: 'value', start: offset + at, end: offset + end, source, raw, first })
  return end
}

/** Reads `{% if … %}` or `{% endif %}`; gives where to go on. */
function readTag({ text, find, offset, codeUntil, marks }: Scan, at: number): number {
  if (text[at + 1] !== '%' || at < codeUntil) return at + 1
  const close = find('%}', at + 2)
  if (close >= text.length || find('\n', at) < close || find('\r', at) < close) return at + 2
  const end = close + 2
  const inside = text.slice(at + 2, close)
  const found = /^[ \t]*(?:(endif)|if(?:[ \t](.*))?)[ \t]*$/.exec(inside)
  // What is no tag of ours is left as a whole, unless another one begins in it.
  if (!found) return inside.includes('{%') ? at + 2 : end
  const place = { start: offset + at, end: offset + end }
  marks.push(found[1] ? { ...place, kind: 'endif' } : { ...place, kind: 'if', source: found[2] ?? '' })
  return end
}

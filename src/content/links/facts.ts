import type { Steps } from '../../lib/slices.ts'
import { withinLimits } from '../markdown/limits.ts'
import { plainText } from '../markdown/plain-text.ts'
import { decode } from '../text/bytes.ts'
import { lineCounter } from '../text/issues.ts'
import { linkSteps, noFindings } from './find.ts'

/** A place of a file that names something. `at` is an offset into the text, `line` counts from 1. */
export type LinkFact = {
  at: number
  line: number
  /** What it names, unescaped; of `spec` the slug of a description in the registry. */
  target: string
  /** Absent: it leads away. Else the page is made of what it names. */
  how?: 'include' | 'openapi' | 'spec'
}

/** What a file names, and what in it can be named: JSON-serialisable, so it can be kept per blob. */
export type LinkFacts = {
  links: LinkFact[]
  /** The ids that the page gives itself. */
  ids: string[]
  /** The words that give what they head an anchor: of headings, details and tabs. */
  titles: string[]
}

/** Changes whenever the same bytes would give other facts. */
export const linkFactsVersion = 1

/** Longer files are not looked into. */
export const linkedFileLimit = 1024 * 1024

/** More links of one file are not kept, nor more anchors. */
const mostLinks = 5_000
const mostAnchors = 2_000
const longestTitle = 300

const ids = /\s(?:id|name)=(?:"([^"]*)"|'([^']*)')/g
const summaries = /<summary>([^<]*)<\/summary>/gi
const tabs = /\{%\s*tab\s[^%{\n]*?\btitle="([^"\n]*)"/g

/** Reads what a Markdown file names, in steps. Never throws; of a file over `linkedFileLimit`, or too large to be parsed, it gives nothing. */
export function* linkFactSteps(bytes: Uint8Array): Steps<LinkFacts> {
  const facts: LinkFacts = { links: [], ids: [], titles: [] }
  if (bytes.length > linkedFileLimit) return facts
  const { text } = decode(bytes)
  const { links, specs, blocks } = yield* withinLimits(linkSteps(text), noFindings)
  const lineAt = lineCounter(text)
  const found = links.map(({ raw, target, tag }): Omit<LinkFact, 'line'> => {
    const how = tag === 'include' ? 'include' : /^(?:openapi|swagger)/.test(tag ?? '') ? 'openapi' : undefined
    return { at: raw.start, target, ...(how && { how }) }
  })
  for (const { at, slug } of specs) found.push({ at, target: slug, how: 'spec' })
  if (specs.length > 0) found.sort((a, b) => a.at - b.at)
  facts.links = found.slice(0, mostLinks).map(({ at, ...rest }) => ({ at, line: lineAt(at), ...rest }))
  let read = 0
  for (const { kind, text: range } of blocks) {
    if (kind !== 'heading' && kind !== 'paragraph' && kind !== 'html') continue
    readAnchors(facts, kind, text, range)
    read += range.end - range.start
    if (read < 65_536) continue
    read = 0
    yield
  }
  return facts
}

function readAnchors(
  facts: LinkFacts,
  kind: 'heading' | 'paragraph' | 'html',
  text: string,
  { start, end }: { start: number; end: number },
): void {
  const part = text.slice(start, end)
  const add = (list: string[], value: string | undefined) => {
    // A copy: a piece of the text would keep the whole of it in memory.
    if (value && list.length < mostAnchors) list.push(Buffer.from(value.slice(0, longestTitle)).toString())
  }
  if (kind === 'heading') add(facts.titles, plainText(text, start, Math.min(end, start + 4 * longestTitle)))
  if (part.includes('<summary>')) for (const found of part.matchAll(summaries)) add(facts.titles, found[1])
  if (part.includes('{%')) for (const found of part.matchAll(tabs)) add(facts.titles, found[1])
  if (/\s(?:id|name)=/.test(part))
    for (const found of part.matchAll(ids)) add(facts.ids, found[1] ?? found[2])
}

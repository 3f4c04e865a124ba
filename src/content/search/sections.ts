import type { Steps } from '../../lib/slices.ts'
import { type Block, blockSteps } from '../markdown/blocks.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { plainText } from '../markdown/plain-text.ts'
import { foldSlug, slugOfTitle, uniqueSlug } from '../text/slug.ts'

/** What stands under one heading of a page, as plain text; '' for heading and anchor: before the first. */
export type Section = { heading: string; anchor: string; body: string }

/** A page in sections; `h1` is its own heading, which is none of them. */
export type Sections = { h1: string; sections: Section[] }

/** What stands under further headings belongs to the last of them. */
const mostSections = 2_000

const anchored = /<a\s[^<>]*\bid="([^"<>]{1,200})"[^<>]*>\s*<\/a>\s*$/

/** Reads a page as sections of plain text, in steps and in time linear in its length. Never throws. */
export function* sectionSteps(source: string): Steps<Sections> {
  const { body } = splitFrontMatter(source)
  const blocks = yield* blockSteps(source, body)
  const sections: Section[] = []
  const taken = new Set<string>()
  const next = new Map<string, number>()
  let h1 = ''
  let parts: string[] = []
  let open: Section = { heading: '', anchor: '', body: '' }
  const close = () => {
    open.body = parts.join('\n')
    if (open.heading !== '' || open.body !== '') sections.push(open)
    parts = []
  }
  for (const [at, block] of blocks.entries()) {
    if (at % 64 === 63) yield
    if (block.kind !== 'heading') {
      const text = textOf(source, block)
      if (text !== '') parts.push(text)
      continue
    }
    const heading = plainText(source, block.text.start, block.text.end)
    const isOwn = at === 0 && block.level === 1 && !block.quoted
    if (isOwn) h1 = heading
    else if (heading === '' || sections.length >= mostSections) parts.push(heading)
    else {
      close()
      open = { heading, anchor: anchorOf(source, block, heading, taken, next), body: '' }
    }
  }
  close()
  return { h1, sections }
}

function anchorOf(
  source: string,
  { text: { start, end } }: Block,
  heading: string,
  taken: Set<string>,
  next: Map<string, number>,
): string {
  const raw = source.slice(Math.max(start, end - 600), end)
  const own = raw.includes('<a') ? anchored.exec(raw)?.[1] : undefined
  const anchor = uniqueSlug(own ?? slugOfTitle(heading), taken, next)
  taken.add(foldSlug(anchor))
  return anchor
}

function textOf(source: string, { kind, text: { start, end } }: Block): string {
  if (kind === 'fence' || kind === 'code') return source.slice(start, end).trim()
  if (kind !== 'paragraph' && kind !== 'html') return ''
  const raw = source.slice(start, end)
  const written = raw.includes('{%') ? withoutTags(raw) : raw
  const text = plainText(written)
  return (text.includes('|') ? withoutBars(text) : text).trim()
}

/** Without `{% tags %}`; what they show as a title stays. */
const withoutTags = (text: string): string =>
  text.replace(/\{%([^%\n]*)%\}/g, (_, inside: string) => {
    const title = /\b(?:title|caption)="([^"]*)"/.exec(inside)
    return title ? ` ${title[1]} ` : ' '
  })

/** A table's cells without the bars between them and the line below its head. */
const withoutBars = (text: string): string =>
  text
    .replace(/ ?\| ?/g, ' ')
    .replace(/(?:^| ):?-+:?(?= |$)/g, ' ')
    .replace(/ {2,}/g, ' ')

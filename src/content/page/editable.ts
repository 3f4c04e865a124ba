import { splitFrontMatter } from '../markdown/front-matter.ts'
import { blanksAfter, eolOf } from '../text/lines.ts'
import { findHeading } from './edit.ts'

/**
 * Returns the offset at which the part of a page begins that a person writes below its title: after
 * front matter, and after a heading that is one of these titles.
 */
export function bodyStart(text: string, titles: readonly string[], path?: string): number {
  const heading = findHeading(text, path)
  const isTitle = heading !== null && titles.includes(heading.text)
  return blanksAfter(text, isTitle ? heading.end : splitFrontMatter(text).body)
}

/** Returns a page with another text from an offset that `bodyStart` returned. */
export function withBody(text: string, start: number, body: string): string {
  const head = text.slice(0, start)
  // A page of a heading alone may end without a line ending, and has no blank line below it.
  const isAlone = start === text.length && head.trim() !== '' && body !== ''
  if (!isAlone || /(?:\r\n|[\r\n])[ \t]*(?:\r\n|[\r\n])$/.test(head)) return head + body
  const eol = eolOf(text)
  return head + (/[\r\n]$/.test(head) ? eol : eol + eol) + body
}

import type { Block } from '../markdown/blocks.ts'
import { scanInline } from '../markdown/inline.ts'
import type { Range } from '../text/range.ts'

/** Returns a part of a page with blanks in place of code, except for its first backtick. */
function withoutCode(text: string, { start, end }: Range): string {
  let shown = ''
  let at = start
  for (const { kind, start: from, end: to } of scanInline(text, start, end)) {
    if (kind !== 'code' || from < at) continue
    shown += `${text.slice(at, from)}\`${' '.repeat(to - from - 1)}`
    at = to
  }
  return shown + text.slice(at, end)
}

/**
 * Returns the text of a paragraph or a block of HTML, in which code is blank; undefined for other
 * blocks, and for HTML that is a comment or code. Offsets are those of the text.
 */
export function shownText(text: string, block: Block): string | undefined {
  const { kind, text: range } = block
  if (kind === 'paragraph') return withoutCode(text, range)
  if (kind !== 'html') return undefined
  const part = text.slice(range.start, range.end)
  return /^<(?:!--|pre\b|script\b|style\b|textarea\b)/i.test(part) ? undefined : part
}

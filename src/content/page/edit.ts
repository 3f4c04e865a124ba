import { Fault } from '../../errors.ts'
import { headingEnd } from '../markdown/anchor.ts'
import { type Block, firstShown } from '../markdown/blocks.ts'
import { isMdx } from '../markdown/containers.ts'
import { type FrontMatter, readFrontMatter, splitFrontMatter } from '../markdown/front-matter.ts'
import { escapeText, plainText } from '../markdown/plain-text.ts'
import { blanksAfter, eolOf, linesOf } from '../text/lines.ts'
import type { Range } from '../text/range.ts'
import { editFrontMatter } from './front-matter-edit.ts'

/** Returns the heading that begins a page, after blocks that show nothing; null without one. */
function headingBlock(text: string, path?: string): Block | null {
  const { body } = splitFrontMatter(text)
  const block = firstShown(text, body, isMdx(path))
  return block?.kind === 'heading' && block.level === 1 && block.item === -1 && !block.quoted
    ? block
    : null
}

/**
 * Finds the page's own heading: a first-level heading that is the first block of the body, apart
 * from comments, scripts and styles. `range` is its words in the source, without the anchor or the
 * list of attributes behind them; `text` is their plain text; `end` is the end of the block. `path`
 * is that of the file.
 */
export function findHeading(
  text: string,
  path?: string,
): { range: Range; text: string; end: number } | null {
  const block = headingBlock(text, path)
  if (!block) return null
  const range = {
    start: block.text.start,
    end: headingEnd(text, block.text)?.start ?? block.text.end,
  }
  return { range, text: plainText(text, range.start, range.end), end: block.end }
}

/**
 * Replaces the words of the page's own heading and nothing else. A page without one stays
 * unchanged.
 */
export function setHeading(text: string, title: string, path?: string): string {
  const heading = findHeading(text, path)
  if (!heading || heading.text === title) return text
  const bare = /#[ \t]*$/.test(
    text.slice(Math.max(0, heading.range.start - 2), heading.range.start),
  )
  const pad = bare && !/[ \t]/.test(text[heading.range.start - 1] ?? '') ? ' ' : ''
  const words = escapeText(title).replace(/#(?=#*$)/g, '\\#')
  return text.slice(0, heading.range.start) + pad + words + text.slice(heading.range.end)
}

function withEol(markdown: string, old: string): string {
  const lines = linesOf(old).filter(line => line.next > line.end)
  const uniform = lines.length > 0 && lines.every(line => line.next - line.end === 2)
  return uniform ? markdown.replace(/\r\n?|\n/g, '\r\n') : markdown
}

/**
 * Returns a page with a new body. Front matter in the Markdown replaces the old block, which
 * otherwise stays byte for byte. The old heading stays unless the Markdown begins with a
 * first-level heading.
 */
export function replaceBody(oldText: string, markdown: string): string {
  if (markdown === oldText) return oldText
  const mark = oldText.charCodeAt(0) === 0xfeff ? '\ufeff' : ''
  const old = splitFrontMatter(oldText)
  const fresh = withEol(markdown.replace(/^\ufeff/, ''), oldText)
  const given = splitFrontMatter(fresh)
  const block = given.block ?? null
  const head = block ? mark + fresh.slice(0, block.end) : oldText.slice(0, old.body)
  const body = fresh.slice(given.body)

  if (headingBlock(body)) {
    const gap =
      block || /^[\r\n]/.test(body) ? '' : oldText.slice(old.body, blanksAfter(oldText, old.body))
    return head + gap + body
  }

  const heading = headingBlock(oldText)
  if (!heading) return head + body

  const before = oldText.slice(old.body, heading.start)
  const line = oldText.slice(heading.start, heading.end)
  const between = oldText.slice(heading.end, blanksAfter(oldText, heading.end))
  const rest = body.slice(blanksAfter(body, 0))
  const eol = eolOf(oldText)
  if (rest === '') return head + before + line

  const ended = line.endsWith('\n') || line.endsWith('\r') ? line : line + eol

  return head + before + ended + (between === '' ? eol : between) + rest
}

/**
 * Returns the text of a new page. The title becomes its heading if the Markdown has none.
 * `frontMatter` is added to the front matter, where keys of the Markdown take precedence. Throws
 * `invalid` for broken front matter.
 */
export function newPage(page: {
  title: string
  markdown: string
  frontMatter?: FrontMatter
}): string {
  const { keys, issues } = readFrontMatter(page.markdown)
  const broken = issues.find(issue => /YAML/.test(issue.message))
  if (broken && page.frontMatter && Object.keys(page.frontMatter).length > 0) {
    throw new Fault(
      'content_not_editable',
      `The front matter of the document is broken. ${broken.message}`,
      {
        line: broken.line,
      },
    )
  }

  let text = page.markdown

  if (!findHeading(text)) {
    const { body } = splitFrontMatter(text)
    const eol = eolOf(text)
    const rest = text.slice(blanksAfter(text, body))
    const heading = `# ${escapeText(page.title).replace(/#(?=#*$)/g, '\\#')}${eol}`
    const between = body > 1 ? eol : ''
    text = text.slice(0, body) + between + heading + (rest === '' ? '' : eol + rest)
  }

  const wanted = Object.entries(page.frontMatter ?? {}).filter(
    ([key]) => !keys.includes(key === 'condition' ? 'if' : key),
  )

  return wanted.length === 0 ? text : editFrontMatter(text, Object.fromEntries(wanted))
}

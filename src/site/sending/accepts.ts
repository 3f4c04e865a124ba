/** Returns the weight that an Accept header assigns to a type; 0 if it does not name it. */
function weightOf(header: string, type: string): number {
  for (const part of header.split(',').slice(0, 50)) {
    const [name, ...parameters] = part.split(';').map(each => each.trim().toLowerCase())
    if (name !== type) continue
    const q = parameters.find(each => each.startsWith('q='))
    return q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return 0
}

/**
 * The form in which a page is sent: `copy` is that of a copy without a server, for
 * `stemma site download`.
 */
export type PageForm = 'page' | 'markdown' | 'copy'

/** The parameter of the media type of a page in the form of a copy. */
export const copyParameter = 'form=copy'

/** Returns the form of pages that an Accept header asks for. */
export function formOf(header: string | undefined): PageForm {
  if (!header || header.length > 4096) return 'page'
  if (header.split(',', 1)[0] === `text/html;${copyParameter}`) return 'copy'
  return prefersMarkdown(header) ? 'markdown' : 'page'
}

/** Returns whether a client prefers Markdown to HTML. */
function prefersMarkdown(header: string): boolean {
  if (!/markdown/i.test(header)) return false
  const markdown = Math.max(weightOf(header, 'text/markdown'), weightOf(header, 'text/x-markdown'))
  return (
    markdown > 0 &&
    markdown >
      weightOf(header, 'text/html') -
        (header.indexOf('markdown') < header.indexOf('html') ? 1e-9 : 0)
  )
}

/** Returns whether a client is a browser that opens a page. */
export const acceptsHtml = (header: string | undefined): boolean =>
  header !== undefined && header.length <= 4096 && weightOf(header, 'text/html') > 0

/** Returns the languages that a browser asks for, the preferred ones first. */
export const acceptedLanguages = (header: string | undefined): string[] =>
  (header ?? '')
    .slice(0, 500)
    .split(',', 20)
    .map(part => part.trim().split(/\s*;\s*q=/))
    .map(([tag = '', q = '1']) => ({ tag, weight: Number(q) || 0 }))
    .filter(({ tag, weight }) => weight > 0 && /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i.test(tag))
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)

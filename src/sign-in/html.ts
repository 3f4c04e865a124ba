/** HTML, as opposed to text that has to be escaped. */
export class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

type Part = string | number | Html | undefined | readonly Html[]

/**
 * Returns HTML with its parts in place. Texts are escaped, also within quoted attributes; undefined
 * is empty.
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.map((text, i) => text + sourceOf(parts[i])).join(''))

function sourceOf(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.source
  if (typeof part === 'object') return part.map(each => each.source).join('')
  return String(part).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

const blockNames =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|' +
  'link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|' +
  'th|thead|title|tr|track|ul'

const attribute = '\\s+[A-Za-z_:][\\w:.-]*(?:\\s*=\\s*(?:[^\\s"\'=<>`]+|\'[^\']*\'|"[^"]*"))?'
const openTag = `<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*\\s*/?>`
const closeTag = '</[A-Za-z][A-Za-z0-9-]*\\s*>'

const tag = new RegExp(`${openTag}|${closeTag}`, 'y')

/** Returns the HTML tag at an offset, by CommonMark's rules; undefined where there is none. */
export function htmlTagAt(source: string, at: number): string | undefined {
  tag.lastIndex = at
  return tag.exec(source)?.[0]
}

const starts: { start: RegExp; end: RegExp | null }[] = [
  {
    start: /^<(?:script|pre|textarea|style)(?:\s|>|$)/i,
    end: /<\/(?:script|pre|textarea|style)>/i,
  },
  { start: /^<!--/, end: /-->/ },
  { start: /^<\?/, end: /\?>/ },
  { start: /^<!\[CDATA\[/, end: /\]\]>/ },
  { start: /^<![A-Za-z]/, end: />/ },
  { start: new RegExp(`^</?(?:${blockNames})(?:\\s|/?>|$)`, 'i'), end: null },
]
const alone = new RegExp(`^(?:${openTag}|${closeTag})\\s*$`)

/**
 * Returns what ends the HTML block that a line starts: a pattern that its last line matches, or
 * null for a blank line. A tag of any other name starts a block only if it is alone on its line and
 * no paragraph is open. Returns null for other lines.
 */
export function htmlBlockStart(text: string, inParagraph: boolean): { end: RegExp | null } | null {
  if (text[0] !== '<') return null
  const found = starts.find(kind => kind.start.test(text))
  if (found) return { end: found.end }
  return !inParagraph && alone.test(text) ? { end: null } : null
}

const blockNames =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|' +
  'link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|' +
  'th|thead|title|tr|track|ul'

const attribute = '\\s+[A-Za-z_:][\\w:.-]*(?:\\s*=\\s*(?:[^\\s"\'=<>`]+|\'[^\']*\'|"[^"]*"))?'
const openTag = `<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*\\s*/?>`
const closeTag = '</[A-Za-z][A-Za-z0-9-]*\\s*>'

/** Matches an HTML tag at `lastIndex`, as CommonMark has it. */
export const htmlTag = (): RegExp => new RegExp(`${openTag}|${closeTag}`, 'y')

const starts: { start: RegExp; end: RegExp | null }[] = [
  { start: /^<(?:script|pre|textarea|style)(?:\s|>|$)/i, end: /<\/(?:script|pre|textarea|style)>/i },
  { start: /^<!--/, end: /-->/ },
  { start: /^<\?/, end: /\?>/ },
  { start: /^<!\[CDATA\[/, end: /\]\]>/ },
  { start: /^<![A-Za-z]/, end: />/ },
  { start: new RegExp(`^</?(?:${blockNames})(?:\\s|/?>|$)`, 'i'), end: null },
]
const alone = new RegExp(`^(?:${openTag}|${closeTag})\\s*$`)

/**
 * Says whether a line's text begins an HTML block, and what ends it: a match in a line, or (null) a blank line.
 * A tag of any other name begins one only when it is alone on its line and no paragraph is open.
 */
export const htmlBlockStart = (text: string, inParagraph: boolean): { end: RegExp | null } | null => {
  if (text[0] !== '<') return null
  const found = starts.find(kind => kind.start.test(text))
  if (found) return { end: found.end }
  return !inParagraph && alone.test(text) ? { end: null } : null
}

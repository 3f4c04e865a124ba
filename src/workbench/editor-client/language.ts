import { defineLanguageFacet, Language, languageDataProp } from '@codemirror/language'
import { styleTags, tags } from '@lezer/highlight'
import { GFM, type MarkdownConfig, parser } from '@lezer/markdown'

/** The end of a tag `{% … %}` that begins at an offset of a text; -1 if it does not end there. */
const tagPattern = /^\{%\s*[@\w-]+(?:[^%\n]|%(?!\}))*%\}/

/** The tags of the content format: their names, and their attributes with values. */
const formatTags: MarkdownConfig = {
  defineNodes: [
    { name: 'FormatTag' },
    { name: 'FormatTagMark', style: tags.processingInstruction },
    { name: 'FormatTagName', style: tags.tagName },
    { name: 'FormatTagAttribute', style: tags.attributeName },
    { name: 'FormatTagValue', style: tags.attributeValue },
  ],
  parseInline: [
    {
      name: 'FormatTag',
      before: 'Escape',
      parse(inline, next, pos) {
        if (next !== 123 || inline.char(pos + 1) !== 37) return -1
        const found = tagPattern.exec(inline.slice(pos, Math.min(inline.end, pos + 4_000)))
        if (!found) return -1
        const [tag] = found
        const end = pos + tag.length
        const part = (name: string, from: number, to: number) =>
          inline.elt(name, pos + from, pos + to)
        return inline.addElement(inline.elt('FormatTag', pos, end, partsOf(tag, part)))
      },
    },
  ],
  props: [
    styleTags({
      'HTMLTag HTMLBlock': tags.angleBracket,
      'FencedCode/CodeText InlineCode': tags.monospace,
      'CodeInfo LinkTitle': tags.labelName,
      TaskMarker: tags.atom,
    }),
  ],
}

function partsOf<Part>(tag: string, part: (name: string, from: number, to: number) => Part) {
  const parts = [part('FormatTagMark', 0, 2)]
  const name = /[@\w-]+(?:\/[\w-]+)?/.exec(tag)
  if (name) parts.push(part('FormatTagName', name.index, name.index + name[0].length))
  for (const found of tag.matchAll(/([\w-]+)(=)("[^"]*"|'[^']*'|[^\s%]+)/g)) {
    const [, key = '', equals = '', value = ''] = found
    const at = found.index
    const valueAt = at + key.length + equals.length
    parts.push(part('FormatTagAttribute', at, at + key.length))
    parts.push(part('FormatTagValue', valueAt, valueAt + value.length))
  }
  parts.push(part('FormatTagMark', tag.length - 2, tag.length))

  return parts
}

const data = defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } })

const configured = parser.configure([
  GFM,
  formatTags,
  { props: [languageDataProp.add({ Document: data })] },
])

/** Markdown with the tags of the content format. */
export const contentLanguage = new Language(data, configured, [], 'content')

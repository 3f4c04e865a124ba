// What the styles of Word are in HTML. The names are those of English; Word writes them in each
// language. The first that fits counts: a heading may be numbered, and a paragraph of a list may have
// the style of other paragraphs.

const headings = Array.from(
  { length: 9 },
  (_, at) => `p[style-name='heading ${at + 1}'] => h${Math.min(at + 1, 6)}:fresh`,
)

const lists = [1, 2, 3, 4, 5].flatMap(depth =>
  (['unordered', 'ordered'] as const).map(
    kind =>
      `p:${kind}-list(${depth}) => ${'ul|ol > li > '.repeat(depth - 1)}${kind === 'ordered' ? 'ol' : 'ul'} > li:fresh`,
  ),
)

const named = (kind: 'p' | 'r', to: string, ...names: string[]) =>
  names.map(name => `${kind}[style-name='${name}'] => ${to}`.trim())

export const wordStyles: string[] = [
  ...headings,
  ...named('p', 'h1:fresh', 'Title', 'Heading'),
  ...lists,
  ...named('p', 'blockquote > p:fresh', 'Quote', 'Intense Quote', 'Quotations'),
  ...named('p', "pre:separator('\\n')", 'HTML Preformatted', 'Preformatted Text', 'macro'),
  ...named('p', 'p:fresh', 'Normal', 'Normal (Web)', 'No Spacing', 'List Paragraph', 'Body'),
  ...named('p', 'p:fresh', 'Body Text', 'Text Body', 'Table Contents', 'Default', 'Standard'),
  ...named('p', 'p:fresh', 'footnote text', 'endnote text', 'annotation text'),
  ...named('p', 'p:fresh', 'Footnote', 'Endnote'),
  ...named('r', 'strong', 'Strong'),
  ...named('r', 'em', 'Emphasis', 'Subtle Emphasis', 'Intense Emphasis'),
  ...named('r', 'code', 'HTML Code', 'Source Text', 'Verbatim Char'),
  ...named('r', '', 'Hyperlink', 'FollowedHyperlink', 'Internet Link', 'Default Paragraph Font'),
  ...named('r', '', 'footnote reference', 'endnote reference', 'annotation reference'),
  ...named('r', '', 'Footnote anchor', 'Endnote anchor'),
]

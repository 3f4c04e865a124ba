/**
 * Files of a space, of about `bytes` bytes; `salt` makes them differ from earlier files of the same
 * kind.
 */
export type Kind = {
  name: string
  files: (bytes: number, salt: string) => Record<string, string>
  bytes?: number
}

const times = (part: string, bytes: number): string =>
  part.repeat(Math.max(1, Math.floor(bytes / part.length)))

/** Repeats a part, replacing `#` by a new number each time. */
const numbered = (part: string, bytes: number): string =>
  Array.from({ length: Math.max(1, Math.floor(bytes / (part.length + 4))) }, (_, at) =>
    part.replaceAll('#', String(at)),
  ).join('')

const contents = '# Table of contents\n\n* [Start](README.md)\n* [Page](page.md)\n'

/** A page of one repeated part. */
const page = (name: string, part: string, bytes?: number): Kind => ({
  name,
  files: (size, salt) => ({
    'README.md': '# Start\n',
    'SUMMARY.md': contents,
    'page.md': `# Page ${salt}\n\n${part.includes('#') ? numbered(part, size) : times(part, size)}\n`,
  }),
  ...(bytes && { bytes }),
})

/** A repeated opening part, followed by as many closing parts. */
const nested = (name: string, open: string, close: string): Kind => ({
  name,
  files: (size, salt) => ({
    'README.md': '# Start\n',
    'SUMMARY.md': contents,
    'page.md': `# Page ${salt}\n\n${times(open, size / 2)}x${times(close, size / 2)}\n`,
  }),
})

/**
 * Pages that once took, or might take, more than their share of work. Each consists of one
 * construct.
 */
export const kinds: readonly Kind[] = [
  page('expressions on one line', '<code class="expression">a</code> '),
  page('different expressions on one line', '<code class="expression"># + 1</code> '),
  page('conditions on one line', '{% if a %}x{% endif %} '),
  page('conditions on lines of their own', '{% if true %}\n'),
  page('blocks that are dropped', '{% if false %}\nx\n{% endif %}\n\n'),
  page('list items', '* a b c d\n'),
  page('empty list items', '*\n', 20_000),
  nested('nested list items', '* ', '\n'),
  page('nested quotes', `${'> '.repeat(200)}a\n`),
  nested('one deep quote', '> ', '\n>'),
  page('rows of a table', '| a | b | c |\n'),
  {
    name: 'a table',
    files: (size, salt) => ({
      'README.md': '# Start\n',
      'SUMMARY.md': contents,
      'page.md': `# Page ${salt}\n\n| a | b |\n| - | - |\n${times('| a [x](y.md) | b |\n', size)}`,
    }),
  },
  nested('cells of one row', '|a', '|-'),
  page('links', '[a](README.md) '),
  page('links to anchors', '[a#](page.md#part-#) '),
  page('links that lead nowhere', '[a#](none/#.md) '),
  page('links that do not end', '[x]('),
  page('definitions', '[a#]: README.md\n\n'),
  page('footnotes', 'a[^#]\n\n[^#]: b\n\n'),
  page('tags', '{% hint style="info" %}\na\n{% endhint %}\n\n'),
  page('tags that do not end', '{% a '),
  page('blocks of descriptions', '{% openapi-operation spec="x" path="/a" method="get" %}\n'),
  nested('brackets', '[', ']'),
  page('opening brackets', '['),
  page('emphasis', '*a **b _c '),
  nested('emphasis around', '*', '_'),
  page('inline code', '`a` ``b '),
  page('HTML', '<a href="x" id="y#">b</a> '),
  page('HTML that does not end', '<a href="'),
  page('comments that do not end', '<!-- '),
  page('headings', '## Part #\n\n'),
  page('the same heading', '## Part\n\n'),
  page('anchors', '## A <a href="#a#" id="a#"></a>\n\n'),
  page('escapes', '\\* &amp; '),
  page('blank lines', '\n'),
  page('blanks', ' '),
  page('one word', 'a'),
  page('words', 'word# '),
  page('fences', '```\na\n```\n'),
  page('Chinese', '文件'),
  page('marks that combine', '\u0301\u0323'),
  {
    name: 'a long table of contents',
    files: (size, salt) => ({
      'README.md': `# Start ${salt}\n`,
      'SUMMARY.md': `${contents}${numbered('* [Page #](p#.md)\n', size)}`,
      'page.md': '# Page\n',
    }),
  },
  {
    name: 'a table of contents on one line',
    files: (size, salt) => ({
      'README.md': `# Start ${salt}\n`,
      'SUMMARY.md': `${contents}* ${times('[a](b.md) ', size)}\n`,
      'page.md': '# Page\n',
    }),
  },
  {
    name: 'groups of a table of contents',
    files: (size, salt) => ({
      'README.md': `# Start ${salt}\n`,
      'SUMMARY.md': `${contents}\n${numbered('## Part #\n\n* [A](a#.md)\n\n', size)}`,
      'page.md': '# Page\n',
    }),
  },
]

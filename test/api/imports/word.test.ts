import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mostXml } from '../../../src/content/importing/read-word.ts'
import { convert, onlyPageOf } from './convert.ts'
import { documentPart, docxOf, paragraph, picture, run, table, text } from './docx.ts'
import { zipOf } from './zip.ts'

const pageOf = (bytes: Uint8Array) => onlyPageOf({ 'My guide.docx': bytes })

const bullet = (words: string, depth: number) => paragraph(run(words), { list: ['bullets', depth] })
const numbered = (words: string, depth: number) =>
  paragraph(run(words), { list: ['numbers', depth] })
const link = (attributes: string, words: string) =>
  `<w:hyperlink ${attributes}>${run(words)}</w:hyperlink>`
const bookmark = (name: string) => `<w:bookmarkStart w:id="0" w:name="${name}"/>`
const note = (id: number) => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`

const cases: [what: string, body: string, markdown: string][] = [
  [
    'headings, in any language of Word',
    text('Guide', 'Titel') + text('One', 'berschrift1') + text('Two', 'berschrift2') + text('x'),
    '# Guide\n\n# One\n\n## Two\n\nx\n',
  ],
  [
    'marks and styles of text',
    paragraph(
      [
        run('b', '<w:b/>'),
        run(' '),
        run('i', '<w:i/>'),
        run(' '),
        run('s', '<w:strike/>'),
        run(' '),
        run('f', '<w:rStyle w:val="Fett"/>'),
        run(' '),
        run('c', '<w:rStyle w:val="HTMLCode"/>'),
        run(' x'),
        run('2', '<w:vertAlign w:val="superscript"/>'),
      ].join(''),
    ),
    '**b** _i_ ~~s~~ **f** `c` x<sup>2</sup>\n',
  ],
  [
    'lists in lists',
    [bullet('a', 0), bullet('b', 1), numbered('c', 1), bullet('d', 0), numbered('e', 0)].join(''),
    '* a\n\n  * b\n\n  1. c\n* d\n\n1. e\n',
  ],
  ['quotations', text('x', 'Zitat'), '> x\n'],
  [
    'preformatted text',
    text('a &lt; b', 'HTMLVorformatiert') + text('  c', 'HTMLVorformatiert'),
    '```\na < b\n  c\n```\n',
  ],
  [
    'tables',
    table([
      ['A', 'B|C'],
      ['1', ''],
    ]),
    '| A | B\\|C |\n| --- | --- |\n| 1 |  |\n',
  ],
  [
    'text that Markdown has a meaning for',
    text('&lt;b&gt; {% if %} a_b *c* # d'),
    '\\<b> {\\% if %} a\\_b \\*c\\* # d\n',
  ],
  ['line breaks', paragraph(`${run('a')}<w:r><w:br/></w:r>${run('b')}`), 'a\\\nb\n'],
  [
    'what was inserted, without what was deleted',
    paragraph(
      `<w:ins>${run('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>${run(' x')}`,
    ),
    'new x\n',
  ],
  [
    'checkboxes',
    paragraph(
      `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('☒')}</w:sdtContent></w:sdt>${run(' done')}`,
    ),
    '☑ done\n',
  ],
  [
    'links to headings and other places, and only the bookmarks that these need',
    [
      paragraph(link('w:anchor="_Toc1"', 'Two') + run(' ') + link('w:anchor="place"', 'there')),
      paragraph(bookmark('_Toc1') + bookmark('_Toc2') + run('Part two'), {
        styleId: 'berschrift2',
      }),
      paragraph(bookmark('place') + bookmark('other') + run('x')),
    ].join(''),
    '[Two](#part-two) [there](#place)\n\n## Part two\n\n<a href="#place" id="place"></a>x\n',
  ],
]

for (const [what, body, markdown] of cases)
  test(`a Word document keeps ${what}`, async () => {
    const { text: page, findings } = await pageOf(docxOf(body))
    assert.is(page, markdown)
    assert.equal(findings, [])
  })

test('footnotes are those of the page', async () => {
  const { text: page, findings } = await pageOf(
    docxOf(paragraph(run('One') + note(7) + run(' two') + note(3)) + numbered('last', 0), {
      footnotes: {
        3: text('Of two.'),
        7: text('Of *one*.') + text('More.'),
      },
    }),
  )
  assert.is(page, 'One[^1] two[^2]\n\n1. last\n\n[^1]: Of \\*one\\*.<br>More.\n[^2]: Of two.\n')
  assert.equal(findings, [])
})

test('pictures become files, each once', async () => {
  const {
    text: page,
    findings,
    files,
  } = await pageOf(
    docxOf(paragraph(picture('p1', 'a map') + picture('p2', '') + picture('p1', 'again')), {
      targets: { p1: 'media/image1.png', p2: '/word/media/image2.svg' },
      parts: [
        { path: 'word/media/image1.png', bytes: 'png' },
        { path: 'word/media/image2.svg', bytes: '<svg/>' },
      ],
    }),
  )
  assert.equal(findings, [])
  assert.equal(
    files.map(({ name, kept }) => [name, kept.size]),
    [
      ['My guide-1.png', 3],
      ['My guide-2.svg', 6],
    ],
  )
  assert.is(page, '![a map](./import-file-1)![](./import-file-2)![again](./import-file-1)\n')
})

test('what is not understood is named, once', async () => {
  const { text: page, findings } = await pageOf(
    docxOf(
      [
        text('a', 'Warnung') + text('b', 'Warnung'),
        paragraph(run('c', '<w:rStyle w:val="Menue"/>')),
        text('d', 'Nowhere'),
        paragraph('<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>'),
        paragraph('<w:ruby/>'),
        paragraph(picture('emf', 'e')),
        paragraph(picture('gone', 'g')),
        paragraph(picture('web', 'w', 'link')),
      ].join(''),
      {
        targets: { emf: 'media/a.emf', gone: 'media/b.png', web: 'file:///etc/passwd' },
        parts: [
          { path: 'word/media/a.emf', bytes: 'emf' },
          { path: 'word/comments.xml', bytes: documentPart('') },
          { path: 'word/header1.xml', bytes: documentPart('') },
          { path: 'word/charts/chart1.xml', bytes: documentPart('') },
          { path: 'mammoth/style-map', bytes: 'p => script' },
        ],
      },
    ),
  )
  assert.is(page, 'a\n\nb\n\nc\n\nd\n')
  assert.equal(findings, [
    'The document does not define its style "Nowhere".',
    'Equations are not taken over. They were left out.',
    'The element <w:ruby> of Word is not known. It was left out.',
    'The style "Warning" of paragraphs means nothing here. Its text was taken over without it.',
    'The style "Menu" of characters means nothing here. Its text was taken over without it.',
    'The style "Nowhere" of paragraphs means nothing here. Its text was taken over without it.',
    'A picture is of the type image/emf, which pages do not show. It was left out.',
    'A picture is not in the document ("word/media/b.png"). It was left out.',
    'A picture is not in the document, but at "file:///etc/passwd". It was left out.',
    'The document has comments, headers and footers, and charts, which imports do not take over.',
  ])
})

test('a zip of Word documents keeps the links between them, and leaves out what Word leaves behind', async () => {
  const converted = await convert({
    'docs.zip': zipOf([
      {
        path: 'docs/a b.docx',
        bytes: docxOf(paragraph(link('r:id="l"', 'to c')), { targets: { l: 'deep/c.docx#part' } }),
      },
      { path: 'docs/deep/c.docx', bytes: docxOf(text('c', 'berschrift1')) },
      { path: 'docs/a b.md', bytes: '[c](deep/c.docx)' },
      { path: 'docs/~$a b.docx', bytes: 'lock' },
      { path: 'docs/old.doc', bytes: 'old' },
    ]),
  })
  assert.ok('pages' in converted)
  assert.equal(converted.pages.map(({ path }) => path).sort(), [
    'a b-2.md',
    'a b.md',
    'deep/',
    'deep/c.md',
  ])
  const written = JSON.stringify(converted.changes)
  assert.match(written, /\[to c\]\(\.\/import-\d\.md#part\)/)
  assert.match(written, /\[c\]\(\.\/import-\d\.md\)/)
  assert.equal(converted.findings, [
    {
      path: 'docs/~$a b.docx',
      message: 'The file is the lock of a document that was open. It was left out.',
    },
  ])
})

const bad: [what: string, bytes: Uint8Array, why: RegExp][] = [
  ['no zip', Buffer.from('hello'), /is not a zip file.* password/],
  ['no document', zipOf([{ path: 'a.md', bytes: 'x' }]), /damaged, or it is not one of Word/],
  [
    'broken XML',
    docxOf('', { parts: [{ path: 'word/document.xml', bytes: '<w:document' }] }),
    /damaged, or it is not one of Word/,
  ],
  [
    'no text in UTF-8',
    docxOf('', { parts: [{ path: 'word/document.xml', bytes: Buffer.from([0xff]) }] }),
    /not in UTF-8/,
  ],
  [
    'entities that grow',
    docxOf('', {
      parts: [
        {
          path: 'word/document.xml',
          bytes: `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>${documentPart(text('&b;'))}`,
        },
      ],
    }),
    /declares types or entities/,
  ],
  ['an entity that is not declared', docxOf(text('&b;')), /damaged, or it is not one of Word/],
  [
    'elements that are nested too deep',
    docxOf('<w:ins>'.repeat(20_000) + '</w:ins>'.repeat(20_000)),
    /nested too deep/,
  ],
  [
    'other bytes than it says',
    docxOf('', { parts: [{ path: 'word/document.xml', bytes: documentPart(''), checksum: 1 }] }),
    /damaged: "word\/document\.xml" has other bytes/,
  ],
  [
    'more bytes than it says',
    docxOf('', { parts: [{ path: 'word/document.xml', bytes: documentPart('x'), size: 20 }] }),
    /damaged: too many bytes/,
  ],
]

for (const [what, bytes, why] of bad)
  test(`a Word document is left out, and named: ${what}`, async () => {
    const converted = await convert({ 'a.docx': bytes, 'b.md': 'x' })
    assert.ok('pages' in converted)
    assert.equal(
      converted.pages.map(({ path }) => path),
      ['b.md'],
    )
    assert.is(converted.findings.length, 1)
    assert.is(converted.findings[0]!.path, 'a.docx')
    assert.match(converted.findings[0]!.message, why)
    const alone = await convert({ 'a.docx': bytes })
    assert.ok('refused' in alone)
    assert.match(alone.refused, /There is no page in these files/)
    assert.equal(alone.findings, converted.findings)
  })

test('a Word document of too much text is left out, and named', async () => {
  const size = mostXml + 1
  const long = docxOf('', { parts: [{ path: 'word/document.xml', bytes: 'x', size }] })
  const limits = { entries: 100, bytes: 2 * size, fileBytes: 2 * size }
  const converted = await convert({ 'a.docx': long, 'b.md': 'x' }, limits)
  assert.equal(converted.findings, [
    { path: 'a.docx', message: 'The document is too large. It was left out.' },
  ])
})

test('a Word document whose parts say that they are too large is refused before they are unpacked', async () => {
  const sized = (size: number, count: number) =>
    docxOf('', {
      parts: Array.from({ length: count }, (_, at) => ({
        path: `word/document${at || ''}.xml`,
        bytes: 'x',
        size,
      })),
    })
  for (const files of [
    { 'a.docx': sized(6_000_000, 1) },
    { 'a.docx': sized(4_000_000, 3) },
    {
      'a.zip': zipOf([
        { path: 'b.md', bytes: 'x' },
        { path: 'a.docx', bytes: sized(4_000_000, 3) },
      ]),
    },
  ]) {
    const converted = await convert(files)
    assert.ok('refused' in converted)
    assert.match(converted.refused, /larger than \d MB/)
  }
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mostHtml } from '../../../src/content/importing/from-html.ts'
import { convert, onlyPageOf } from './convert.ts'

/** Returns the text of the only page, and the findings. */
const pageOf = (html: string | Uint8Array) => onlyPageOf({ 'a.html': html })

const cases: [what: string, html: string, markdown: string][] = [
  ['the title, without a heading', '<title>My  guide</title><p>x', '# My guide\n\nx\n'],
  ['its heading instead', '<title>T</title><h1>H</h1>', '# H\n'],
  ['its main part', '<nav>n</nav><main><p>x</main><footer>f</footer>', 'x\n'],
  ['its only article', '<header>h</header><article><p>x</article>', 'x\n'],
  ['marks', '<p><b>b</b> <i>i</i> <del>d</del> <code>c</code>', '**b** _i_ ~~d~~ `c`\n'],
  [
    'text that Markdown has a meaning for',
    '<p>&lt;b&gt; {% if %} &amp;lt; a_b',
    '\\<b> {\\% if %} \\&lt; a\\_b\n',
  ],
  ['lists', '<ul><li>x<ol start=3><li>y<li>z</ol></ul>', '* x\n  3. y\n  4. z\n'],
  [
    'tasks',
    '<ul><li><input type=checkbox checked>x<li><input type=checkbox>y</ul>',
    '* [x] x\n* [ ] y\n',
  ],
  [
    'raised and lowered text',
    '<p>x<sup>2</sup> H<sub>2</sub>O<sub></sub>',
    'x<sup>2</sup> H<sub>2</sub>O\n',
  ],
  ['a checkbox that is no task', '<p><input type=checkbox checked> x', '☑ x\n'],
  [
    'a place that a link leads to',
    '<p><a id=x></a>x <a name=y></a>y <a href="#x">to x</a>',
    '<a href="#x" id="x"></a>x y [to x](#x)\n',
  ],
  ['code', '<pre><code class="language-js">&lt;a&gt;\n</code></pre>', '```js\n<a>\n```\n'],
  ['code with fences', '<pre>a\n```\nb</pre>', '````\na\n```\nb\n````\n'],
  ['a heading with an id', '<h2 id=x>Head</h2>', '## Head <a href="#x" id="x"></a>\n'],
  ['a heading whose id is its slug', '<h2 id=head>Head</h2>', '## Head\n'],
  [
    'tables',
    '<table><tr><th>A|B<th align=right>C<tr><td>1<br>2<td><p>x<p>y<tr><td colspan=2>w</table>',
    '| A\\|B | C |\n| --- | --: |\n| 1<br>2 | x<br>y |\n| w |  |\n',
  ],
  ['a table without cells', '<table></table><p>x', 'x\n'],
]

for (const [what, html, markdown] of cases)
  test(`a page in HTML keeps ${what}`, async () => {
    assert.is((await pageOf(html)).text, markdown)
  })

test('what runs or is fetched is left out, and named if it shows something', async () => {
  const { text, findings } = await pageOf(
    '<p onclick="x()">x<script>a()</script><style>b{}</style><a href=" JavaScript:a()">j</a><iframe src=//x></iframe><svg onload=a()></svg><video src=x>',
  )
  assert.is(text, 'xj\n')
  assert.equal(findings, [
    'Markdown has nothing for <iframe>. It was left out.',
    'Markdown has nothing for <svg>. It was left out.',
    'Markdown has nothing for <video>. It was left out.',
  ])
})

test('links between pages in HTML and to headings follow', async () => {
  const converted = await convert({
    'a.html':
      '<p><a href="b.html#part">b</a> <a href="B.md">other</a> <a href="https://x.example/b.html">web</a>',
    'b.html': '<h2 id=part>B</h2>',
    'B.md': '[a](a.html)',
  })
  assert.ok('changes' in converted)
  const texts = converted.changes.map(
    change => (change as { document: { markdown: string } }).document.markdown,
  )
  assert.equal(converted.findings, [])
  assert.match(
    texts[0]!,
    /\[b\]\(\.\/(import-\d)\.md#part\) \[other\]\(\.\/(import-\d)\.md\) \[web\]\(https/,
  )
  assert.equal(converted.pages.map(({ path }) => path).sort(), ['B.md', 'a.md', 'b-2.md'])
})

test('a picture in the page becomes a file, unless it is of no known kind', async () => {
  const png = Buffer.from('png').toString('base64')
  const { text, findings, files } = await pageOf(
    `<p><img src="data:image/png;base64,${png}" alt="one"><img src="data:image/svg+xml,%3Csvg/%3E" alt="two"><img src="data:text/html,x">`,
  )
  assert.equal(
    files.map(({ name, kept }) => [name, kept.size]),
    [
      ['a-1.png', 3],
      ['a-2.svg', 6],
    ],
  )
  assert.match(text, /^!\[one\]\(\.\/import-file-1\)!\[two\]\(\.\/import-file-2\)\n$/)
  assert.equal(findings, ['A picture in the page is of no known kind. It was left out.'])
})

test('a page may name its encoding', async () => {
  const page = (label: string) =>
    Buffer.concat([Buffer.from(`<meta charset=${label}><p>`), Buffer.from([0xe9])])
  assert.is((await pageOf(page('iso-8859-1'))).text, 'é\n')
  const converted = await convert({ 'a.html': page('none'), 'b.md': 'x' })
  assert.ok('findings' in converted)
  assert.match(converted.findings[0]!.message, /encoding that it does not name/)
})

test('a page that is too large or nested too deep is left out, and named', async () => {
  for (const [html, why] of [
    ['x'.repeat(mostHtml + 1), /too large/],
    ['<div>'.repeat(5_000), /nested too deep/],
  ] as const) {
    const converted = await convert({ 'a.html': html, 'b.md': 'x' })
    assert.ok('pages' in converted)
    assert.match(converted.findings[0]!.message, why)
    assert.equal(
      converted.pages.map(({ path }) => path),
      ['b.md'],
    )
  }
})

test.run()

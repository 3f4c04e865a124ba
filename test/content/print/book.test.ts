import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { printSteps } from '../../../src/content/print/book.ts'
import type { PrintBook, PrintPage } from '../../../src/content/print/book-types.ts'
import { loadCompiler } from '../../../src/content/print/packages.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { cpuTime, leastCpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'
import { png } from '../../support/media/png.ts'
import { skip } from '../../support/skip.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-print-'))
const compiler = loadCompiler().create({ workspace: folder })
const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined

test.after(() => rmSync(folder, { recursive: true, force: true }))

type Changes = Partial<PrintBook>

const bookOf = (pages: PrintPage[], changes: Changes = {}): PrintBook => ({
  title: 'A book',
  revision: 'a7a42eb',
  date: '2026-11-21',
  pages,
  include: () => undefined,
  link: (_from, target) => {
    if (/^[a-z]+:/.test(target)) return { url: target }
    const [file, anchor] = target.split('#')
    const page = pages.find(({ filePath }) => filePath === file)
    return page && { page: page.id, ...(anchor && { anchor }) }
  },
  image: () => undefined,
  fonts: { body: ['Libertinus Serif'], mono: ['DejaVu Sans Mono'] },
  ...changes,
})

const page = (markdown: string, name = 'a', more: Partial<PrintPage> = {}): PrintPage => ({
  id: name,
  title: `Page ${name}`,
  depth: 0,
  filePath: `${name}.md`,
  markdown,
  ...more,
})

/** Returns the Typst source of pages without the style. */
const written = (markdown: string, changes: Changes = {}, ...others: PrintPage[]): string => {
  const { source } = atOnce(printSteps(bookOf([page(markdown), ...others], changes)))
  return source.slice(source.indexOf('running.update('))
}

const compiled = (source: string) => {
  const result = compiler.compile({ mainFileContent: source })
  if (result.result) return result.result
  const error = result.takeError() ?? result.takeDiagnostics()
  throw new Error(JSON.stringify(error && compiler.fetchDiagnostics(error)).slice(0, 600))
}

const textOf = (book: PrintBook): string => {
  const { source } = atOnce(printSteps(book))
  const file = join(folder, 'book.pdf')
  writeFileSync(file, compiler.pdf(compiled(source)))
  return spawnSync('pdftotext', ['-raw', file, '-'], { encoding: 'utf8' }).stdout
}

const everything = `---
description: d
---
# Dropped

**bold** _it_ ~~st~~ \`c"ode\` <kbd>K</kbd> H<sub>2</sub>O <mark style="color:orange;">m</mark> <i class="fa-x">:x:</i>
:wave: &copy; [ext](https://x.org/a"b) [bad](javascript:alert(1)) [page](b.md) [b.md](b.md) [x](b.md "mention") n[^1]\\
hard

## Two <a href="#own" id="own"></a>

* one
  1. deep
- [x] done

> quote

{% code title="t.ts" lineNumbers="true" %}
\`\`\`ts
const a = "{% hint %}"
\`\`\`
{% endcode %}

{% hint style="danger" %} one line {% endhint %}

{% tabs %}
{% tab title="Linux" %}
* in a tab
{% endtab %}
{% endtabs %}

{% stepper %}
{% step %}
### Step
{% endstep %}
{% endstepper %}

{% columns %}
{% column width="30%" %}
left
{% endcolumn %}
{% column %}
right
{% endcolumn %}
{% endcolumns %}

<details>

<summary>Sum *raw*</summary>

inside *md*

</details>

{% content-ref url="b.md" %}
[b.md](b.md)
{% endcontent-ref %}

{% embed url="https://v.org/1" %}

{% file src="../a%20b.pdf" caption="cap" %}

| L | R |
| :- | -: |
| *1* | 2 |

<table><thead><tr><th>T</th><th data-hidden>H</th></tr></thead><tbody><tr><td>a &#x3C;b</td><td>hidden</td></tr></tbody></table>

<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>Card</td><td><a href="b.md">b.md</a></td></tr></tbody></table>

<figure><img src="p.png" alt="alt" width="300"><figcaption><p>Cap</p></figcaption></figure>

$$
x^2
$$

{% updates format="full" %}
{% update date="2026-02-01" tags="api,beta" %}
news
{% endupdate %}
{% endupdates %}

{% unknown a="b" %}

[^1]: A *note*.
`

test('every kind of block and inline element is written', () => {
  const image = () => ({ name: '/p.png', width: 600 })
  const out = written(everything, { image }, page('# B\n\n## Part', 'b', { title: 'The B' }))
  for (const part of [
    'strong({[];"bold";})',
    'emph({[];"it";})',
    'strike({[];"st";})',
    'mono({[];"c\\"ode";})',
    'key({[];"K";})',
    'sub({[];"2";})',
    'tinted("orange", none, {[];"m";})',
    'link("https://x.org/a\\"b", {[];"ext";})',
    '"bad";',
    'go("p-b", {[];"page";})',
    'go("p-b", {[];"The B";})',
    'footnote({[];"A ";emph({[];"note";});".";})',
    'linebreak();"hard";',
    '[#section(2, "h2", {[];"Two ";})#label("p-a#own")]',
    'list(tight: true, ',
    'enum(start: 1, tight: true, ',
    'tasks((true, {[];par({[];"done";});',
    'quoted({[];par({[];"quote";});',
    'listing("const a = \\"{% hint %}\\"", "ts", "t.ts", 1, none, (true, true))',
    'hint("danger", {[];par({[];"one line";});',
    'tab("Linux", {[];parbreak();list(',
    'step(1, {[];[#section(3, "h3", {[];"Step";})#label("p-a#step")]',
    'beside((30fr, 50fr,), ',
    'details({[];"Sum *raw*";}, {[];par({[];"inside ";emph({[];"md";});});',
    'reference({[];go("p-b", {[];"The B";});',
    'reference({[];link("https://v.org/1", {[];"https://v.org/1";});',
    'sheet-table((auto, auto,), (left, right,), table.header(repeat: true, head(colspan: 1, {[];"L";})',
    '"a <b";',
    'cards(1, card(none, {[];par({[];"Card";});beneath({[];go("p-b", {[];"The B";});});})',
    'picture("/p.png", 300, "alt", {[];"Cap";});',
    'listing("x^2", none, none, none, none, (true, true))',
    'update("2026-02-01", ("api", "beta",), {[];par({[];"news";});',
    '"{% unknown a=\\"b\\" %}";',
    '"👋 ";"©"',
  ])
    assert.ok(out.includes(part), `${part}\n${out}`)

  for (const part of ['Dropped', 'javascript', ':x:', '"hidden"', 'fa-x'])
    assert.not.ok(out.includes(part), part)
})

test('links lead to headings in any spelling of the anchor, otherwise to the page', () => {
  const target = page('## 3. Fees\n\n## Same\n\n## Same\n\n## TLS/SSL keys\n\n## 快速开始', 'b')
  const label = (anchor: string) =>
    /go\("([^"]*)"/.exec(written(`[x](b.md#${anchor})`, {}, target))![1]
  for (const [anchor, found] of [
    ['id-3.-fees', 'p-b#id-3.-fees'],
    ['3-fees', 'p-b#id-3.-fees'],
    ['same', 'p-b#same'],
    ['same-1', 'p-b#same-1'],
    ['TLSSSL-keys', 'p-b#tls-ssl-keys'],
    ['kuai-su-kai-shi', 'p-b#kuai-su-kai-shi'],
    ['%E5%BF%AB%E9%80%9F%E5%BC%80%E5%A7%8B', 'p-b#kuai-su-kai-shi'],
    ['gone', 'p-b'],
  ])
    assert.is(label(anchor!), found)

  assert.ok(written('## Here\n\n[x](#here)').includes('go("p-a#here"'))
})

test('included content has its own links and footnotes, and never includes itself', () => {
  const asked: (string | undefined)[] = []
  const out = written('before\n\n{% include "i.md" %}\n\nafter[^1]\n\n[^1]: of the page', {
    include: (_from, target) => ({
      path: target,
      markdown:
        '---\ntitle: t\n---\ninner[^1] [l](x.md)\n\n{% include "i.md" %}\n\n[^1]: of the include',
    }),
    link: (from, target) => {
      asked.push(`${from} ${target}`)
      return undefined
    },
  })

  assert.equal(asked, ['i.md x.md'])
  const order = ['"before"', '"inner"', 'of the include', '"after"', 'of the page'].map(text =>
    out.indexOf(text),
  )

  assert.equal(
    order,
    [...order].sort((a, b) => a - b),
  )
  assert.is(out.split('"inner"').length, 2)
})

test('nested includes are bounded', () => {
  const include = (_from: string | undefined, target: string) => ({
    path: `${target}${Math.random()}`,
    markdown: '{% include "x" %}\n'.repeat(50),
  })
  const before = cpuTime()
  written('{% include "x" %}', { include })
  assert.ok(cpuTime() - before < 20_000)
})

test('groups, depths and languages', () => {
  const pages = [
    page('', 'a'),
    page('', 'b', { group: 'G' }),
    page('', 'c', { depth: 1 }),
    page('', 'd', { group: '' }),
  ]
  const { source } = atOnce(printSteps(bookOf(pages, { language: 'zh-Hant', notes: ['A note.'] })))
  assert.equal(
    [...source.matchAll(/\[#page-title\((\d+), "(\w+)"/g)].map(found => `${found[1]}${found[2]}`),
    ['1p0', '2p0', '3p1', '1p0'],
  )
  assert.ok(source.includes('page-title(1, "g", "G")'))
  assert.ok(source.includes('lang: "zh", region: "TW"'))
  assert.ok(source.includes('"A note."'))
  assert.ok(atOnce(printSteps(bookOf([], { language: '"); evil' }))).source.includes('lang: "en"'))
})

test('unmatched tags are kept as text', () => {
  const out = written(
    '{% hint style="info" %}\nwords\n\n{% endtab %}\n\nUse `{% hint %}` and {% hint %} in words.',
  )
  assert.ok(out.includes('"{% hint style=\\"info\\" %}"'))
  assert.ok(out.includes('"{% endtab %}"'))
  assert.ok(out.includes(' and {% hint %} in words.'))
  assert.not.ok(out.includes('hint("'))
  assert.ok(written('end\\').includes('{[];"end";}'))
})

test('no words are lost in tags and tables with unexpected content', () => {
  const words = 'word '.repeat(80)
  const out = written(`# A

{% content-ref url="gone.md" %}

## Heading

| first | second |
| - | - |

${words}LAST

{% endcontent-ref %}

{% swagger method="get" path="/pets" baseUrl="https://api" summary="Pets" %}
{% swagger-parameter in="query" name="limit" type="string" required="true" %}
How many
{% endswagger-parameter %}
{% swagger-response status="200: OK" description="Fine" %}
{% endswagger-response %}
{% endswagger %}

<table><tbody>stray<tr>loose<td>celled</td></tr></tbody></table>
`)

  const said = [
    'Heading',
    'second',
    'LAST',
    'Pets',
    'GET https://api/pets',
    'limit',
    'query, string, required',
  ]

  for (const each of [...said, 'How many', '200: OK', 'Fine', 'stray', 'loose', 'celled'])
    assert.is(out.split(each).length - 1, 1, `${each}: ${out}`)
  compiled(
    atOnce(printSteps(bookOf([page('{% content-ref url="b.md" %}\n<table>x<td>y</td></table>')])))
      .source,
  )
})

test('a tag directly after HTML ends the HTML', () => {
  const out = written('{% hint %}\n<table><tr><td>cell</td></tr></table>\n{% endhint %}\n**after**')
  assert.match(out, /hint\("info", [\s\S]*"cell"[\s\S]*\n\}\);\npar\(\{\[\];strong\(\{\[\];"after"/)
  assert.not.ok(out.includes('{%'))
  assert.ok(written('<pre>\n{% endhint %}\n</pre>').includes('listing("{% endhint %}"'))
})

test('a page over a megabyte is left out with a notice', () => {
  const out = written('word '.repeat(220_000))
  assert.ok(out.includes('longer than a megabyte'))
  assert.ok(out.length < 2000)
})

test('hostile pages are written in linear time, and deep nesting compiles', () => {
  const both = (open: string, close: string) => `${open.repeat(2500)}deep${close.repeat(2500)}`
  const texts = [
    ...[
      '>',
      '- ',
      '> - ',
      '1. ',
      '[',
      '![',
      '*a **b_ ',
      '<b>',
      '<!--',
      '<a b',
      '$$',
      '[^',
      '{%',
      '{% hint %}',
      '|',
    ].map(piece => `${piece.repeat(8000 / piece.length)}deep`),
    both('<div>', '</div>'),
    both('<b>', '</b>'),
    both('<ul><li>', '</li></ul>'),
    both('<table><tr><td>', '</td></tr></table>'),
    both('{% hint %}\n', '\n{% endhint %}'),
    both('<details>\n\n', '\n\n</details>'),
    both('<sub>', '</sub>'),
    `|${'a|'.repeat(900)}\n|${'-|'.repeat(900)}\n|deep|`,
    `<table>${'<tr><td colspan="99">x</td><td rowspan="9">deep</td></tr>'.repeat(50)}</table>`,
  ]

  for (const text of texts) {
    let source = ''
    const took = leastCpuTime(() => {
      source = atOnce(printSteps(bookOf([page(text)]))).source
    }, 2000)
    assert.ok(took < 2000, `${text.slice(0, 20)} took ${took} ms`)
    assert.ok(source.includes('deep') || text.startsWith('<!--'), text.slice(0, 20))
    assert.ok(compiled(source).numOfPages > 0, text.slice(0, 20))
  }
})

const word = fc.stringMatching(/^[a-z]{3,7}$/)
const marks = [
  '*',
  '_',
  '`',
  '"',
  '\\',
  '#',
  '$',
  '@',
  '<',
  '>',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  '{%',
  '%}',
  '|',
  '~',
]
const noise = fc.array(
  fc.oneof(
    fc.constantFrom(...marks),
    fc.constantFrom(
      '#import "x"',
      '#read("/etc/passwd")',
      ')',
      '\n',
      '\n\n',
      '- ',
      '<b>',
      '</b>',
      '<td>',
      '```',
      '$$',
      '\u0000',
      '\ud800',
      '{% hint %}',
      '{% endhint %}',
      '{% tabs %}',
    ),
  ),
  { maxLength: 8 },
)
const hostile = fc.array(
  fc.tuple(noise, word).map(([signs, text]) => `${signs.join('')} ${text} `),
  { maxLength: 12 },
)

test('any page compiles, and its text is never code', () => {
  fc.assert(
    fc.property(hostile, word, (pieces, title) => {
      const { source } = atOnce(
        printSteps(bookOf([page(pieces.join(''), 'a', { title: `#"${title}\\` })])),
      )
      assert.ok(compiled(source).numOfPages > 1)
      const start = source.indexOf('running.update(')
      const code = source.slice(start).replace(/"(?:[^"\\]|\\.)*"/gs, '')

      assert.match(code, /^[\w\s()[\]{};:,.#–·-]*$/)
      assert.not.match(
        code,
        /#(?!section|page-title|label|footnote|metadata|\{)|\b(?:import|read|eval|include|plugin)\b/,
      )
    }),
    { numRuns: runs(60) },
  )
})

test('the words of a page can be extracted from its PDF', () => {
  if (!hasPoppler) return skip('poppler-utils is not installed')
  fc.assert(
    fc.property(
      fc.array(fc.array(word, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 6 }),
      blocks => {
        const forms = [
          (text: string) => text,
          (text: string) => `> ${text}`,
          (text: string) => `* ${text}`,
          (text: string) => `{% hint %}\n**${text}**\n{% endhint %}`,
          (text: string) => `| ${text} |\n| - |\n| ${text} |`,
          (text: string) => `\`\`\`\n${text}\n\`\`\``,
        ]
        const markdown = blocks.map((words, at) => forms[at]!(words.join(' '))).join('\n\n')
        const text = textOf(bookOf([page(markdown)])).replace(/\s+/g, ' ')
        for (const words of blocks)
          for (const each of words) assert.ok(text.includes(each), `${each} in ${text}`)
      },
    ),
    { numRuns: 8 },
  )
})

test('a page with every element compiles, with outline and anchors', () => {
  const { source } = atOnce(printSteps(bookOf([page(everything), page('## Part', 'b')])))
  const file = join(folder, 'all.pdf')
  writeFileSync(file, compiler.pdf(compiled(source)))
  if (!hasPoppler) return skip('poppler-utils is not installed: the anchors are not checked')
  const places = spawnSync('pdfinfo', ['-dests', file], { encoding: 'utf8' }).stdout
  for (const name of ['p-a', 'p-b']) assert.ok(places.includes(`"${name}"`), places)
})

test('a tall image is scaled down, not cut off', () => {
  writeFileSync(join(folder, 'tall.png'), png(400, 1600))
  const markdown = [
    '![alone](t)',
    'in ![a line](t) of words',
    '<table data-view="cards"><tr><th><th data-card-cover><tr><td>A<td><a href="t">t</a></table>',
    '* in a list\n\n  ![item](t)',
    '<img src="t" width="90%">',
  ].join('\n\n')
  const book = bookOf([page(markdown)], { image: () => ({ name: 'tall.png', width: 400 }) })
  const pdf = join(folder, 'tall.pdf')

  writeFileSync(pdf, compiler.pdf({ mainFileContent: atOnce(printSteps(book)).source }))
  if (!hasPoppler) return skip('poppler-utils is not installed: the images are not checked')

  const rows = spawnSync('pdfimages', ['-list', pdf], { encoding: 'utf8' })
    .stdout.split('\n')
    .slice(2, -1)

  assert.is(rows.length, 5)

  for (const row of rows) {
    const [across = 0, down = 0] = row.trim().split(/\s+/).slice(-4, -2).map(Number)
    assert.ok(Math.abs(across - down) <= 1, row)
    // In inches: the text area is 9.7 high.
    assert.ok(1600 / down < 7.2, row)
  }
})

test('long code is typeset in linear time, with all lines and line numbers', () => {
  const before = cpuTime()
  const lines = Array.from({ length: 16_000 }, (_, i) => `line ${i + 1}.`).join('\n')
  const numbered = Array.from({ length: 700 }, (_, i) => `part ${i + 1}.`).join('\n')
  const code = `{% code lineNumbers="true" %}\n\`\`\`\n${numbered}\n\`\`\`\n{% endcode %}`
  const text = textOf(bookOf([page(`\`\`\`\n${lines}\n\`\`\`\n\n${code}\n`)]))

  assert.ok(cpuTime() - before < 5_000, `${cpuTime() - before} ms`)
  if (!hasPoppler) return skip('poppler-utils is not installed: the text is not checked')
  for (const said of ['line 500.', 'line 501.', 'line 16000.', 'part 700.'])
    assert.ok(text.includes(said), said)
  assert.match(text, /501\s*part 501\./)
})

test('only the outermost list is a grid, nested ones are written item by item', () => {
  const markdown = Array.from(
    { length: 6 },
    (_, level) => `${'  '.repeat(level)}- at ${level}`,
  ).join('\n')
  const out = written(`# A\n\n${markdown}\n`)
  assert.is(out.split('list(').length - 1, 1, out)
  assert.ok(out.includes('deep([–], {[];') && out.includes('deep([·], {[];'), out)
})

test('the text or name of an image that is not shown stands in its place', () => {
  const code = written(
    'In ![](a/b%20c.png), ![Alt](d.png) and ![](data:image/png;base64,QUJD/x).\n',
  )
  for (const said of ['"b c.png"', '"Alt"', '"image"']) assert.ok(code.includes(said), said)
  assert.not.match(code, 'QUJD')
  assert.match(written('![](a/b%20c.png)\n'), '"b c.png"')
})

test.run()

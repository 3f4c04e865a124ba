import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { plainText } from '../../../src/content/markdown/plain-text.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { pageHtml } from '../../support/html/write.ts'

/** Returns the HTML of a page with what the extensions of GitHub's Markdown are about. */
const plain = (markdown: string): string =>
  pageHtml(markdown)
    .html.replaceAll('\n', '')
    .replace(/ (?:rel|target|class|tabindex|role|scope|aria-label)="[^"]*"/g, '')
const link = (href: string, text = href) => `<a href="${href}">${text}</a>`
const www = (text: string) => link(`http://${text}`, text)
const mail = (text: string) => link(`mailto:${text}`, text)

/** What the sections on extensions of the specification of GitHub's Markdown (0.29) ask for. */
const cases: Record<string, [markdown: string, html: string][]> = {
  'autolinks of names that begin with "www."': [
    ['www.example.org', www('www.example.org')],
    ['See www.example.org/help now.', `See ${www('www.example.org/help')} now.`],
    ['See www.example.org.', `See ${www('www.example.org')}.`],
    ['See www.example.org/a.b.', `See ${www('www.example.org/a.b')}.`],
    ['*www.example.org/a_b_c*', `<em>${www('www.example.org/a_b_c')}</em>`],
    ['(WWW.example.org)', `(${www('WWW.example.org')})`],
    ['xwww.example.org www. www.a_b www.a_b.c', 'xwww.example.org www. www.a_b www.a_b.c'],
  ],
  'parentheses, references and < at the end of a link': [
    ['www.example.org/s?q=M+(b)', www('www.example.org/s?q=M+(b)')],
    ['www.example.org/s?q=M+(b)))', `${www('www.example.org/s?q=M+(b)')}))`],
    ['(www.example.org/s?q=M+(b))', `(${www('www.example.org/s?q=M+(b)')})`],
    ['(www.example.org/s?q=M+(b)', `(${www('www.example.org/s?q=M+(b)')}`],
    ['www.example.org/s?q=(b))+ok', www('www.example.org/s?q=(b))+ok')],
    ['www.example.org/s?q=c&hl=en', www('www.example.org/s?q=c&amp;hl=en')],
    ['www.example.org/s?q=c&hl;', `${www('www.example.org/s?q=c')}&amp;hl;`],
    ['www.example.org/he<lp', `${www('www.example.org/he')}&lt;lp`],
  ],
  'autolinks of URLs': [
    ['http://example.org', link('http://example.org')],
    ['(See https://example.org/s?q=M+(b))', `(See ${link('https://example.org/s?q=M+(b)')})`],
    // Browsers do not open such links.
    ['FTP at ftp://foo.bar.baz.', 'FTP at ftp://foo.bar.baz.'],
    [
      '**https://example.org/a_b**, and',
      `<strong>${link('https://example.org/a_b')}</strong>, and`,
    ],
    ['"http://localhost:8080/x"', `&quot;${link('http://localhost:8080/x')}&quot;`],
    ['https:// and xhttps://a.b', 'https:// and xhttps://a.b'],
  ],
  'autolinks of addresses of e-mail': [
    ['foo@bar.baz', mail('foo@bar.baz')],
    [
      "hello@mail+xyz.example isn't, but hello+xyz@mail.example is.",
      `hello@mail+xyz.example isn't, but ${mail('hello+xyz@mail.example')} is.`,
    ],
    ['a.b-c_d@a.b', mail('a.b-c_d@a.b')],
    ['a.b-c_d@a.b.', `${mail('a.b-c_d@a.b')}.`],
    ['a.b-c_d@a.b-', 'a.b-c_d@a.b-'],
    ['a.b-c_d@a.b_', 'a.b-c_d@a.b_'],
    ['@me me@ me@host', '@me me@ me@host'],
    ['(mailto:a@b.org)', `(mailto:${mail('a@b.org')})`],
    ...[
      'npm i lodash@4.17.21',
      '@scope/pkg@1.2.3 and @scope/pkg@next.tag',
      'ssh root@10.0.0.1',
      'postgres://u:pass@db.example.org/x',
      '@alice@mastodon.social',
    ].map((text): [string, string] => [text, text]),
  ],
  'no autolinks in links, code and tags': [
    ['[www.example.org a@b.c](https://x.org)', link('https://x.org', 'www.example.org a@b.c')],
    ['[https://x.org](https://x.org/)', link('https://x.org/', 'https://x.org')],
    ['<a href="https://x.org">www.x.org a@b.c</a>', link('https://x.org', 'www.x.org a@b.c')],
    ['`www.example.org a@b.c`', '<code>www.example.org a@b.c</code>'],
    ['[https://x.org]', `[${link('https://x.org')}]`],
    ['<https://x.org> <a@b.c>', `${link('https://x.org')} ${mail('a@b.c')}`],
    ['w\\ww.example.org', 'w\\ww.example.org'],
  ],
  strikethrough: [
    ['~~Hi~~ you', '<s>Hi</s> you'],
    ['~~Hi www.example.org~~', `<s>Hi ${www('www.example.org')}</s>`],
  ],
}

for (const [name, examples] of Object.entries(cases))
  test(name, () => {
    for (const [markdown, html] of examples) assert.is(plain(markdown), `<p>${html}</p>`, markdown)
  })

type Example = { number: number; section: string; markdown: string; html: string }

const { examples }: { examples: Example[] } = JSON.parse(
  readFileSync(new URL('gfm-spec.json', import.meta.url), 'utf8'),
)

/** Returns HTML as the specification writes what the site writes in another way. */
const asInSpecification = (html: string): string =>
  html
    .replaceAll('\n', '')
    .replaceAll(/<div>(<table>.*?<\/table>)<\/div>/g, '$1')
    .replaceAll(/ (?:align|style)="[^"]*"/g, '')
    .replaceAll(/<(\/?)s>/g, '<$1del>')
    .replaceAll(/<label>(.*?)<\/label>/g, '$1')
    .replaceAll(/<input[^>]*>/g, input =>
      input.includes('checked') ? '<input checked>' : '<input>',
    )

/** Examples that a site shows in another way, and why. */
const deviations: Readonly<Record<number, string>> = {
  628: 'browsers do not open links of FTP',
  653: 'titles and styles are not shown, nor the tags that would begin them',
}

test('pages show the examples of the specification of GitHub as it does, but for the named ones', () => {
  assert.is(examples.length, 24)
  const differing = examples.filter(
    ({ markdown, html }) => asInSpecification(plain(markdown)) !== asInSpecification(html),
  )
  assert.equal(
    differing.map(({ number }) => number),
    Object.keys(deviations).map(Number),
  )
})

test('only two tildes strike words through, in pages as in plain text', () => {
  for (const text of ['~one~', '~~~three~~~', '~~~~~five~~~~~', '5~10 and 20~30', '~~a~', '~a~~']) {
    // At the beginning of a line, three tildes are a fence.
    assert.is(plain(`a ${text}`), `<p>a ${text}</p>`, text)
    assert.is(plainText(`a ${text}`), `a ${text}`)
  }
  assert.is(plain('a ~~two~~'), '<p>a <s>two</s></p>')
  assert.is(plainText('a ~~two~~'), 'a two')
})

test('the name of a text field is text, and hides no words after it', () => {
  assert.is(plain('Write <textarea> here.'), '<p>Write &lt;textarea&gt; here.</p>')
  assert.is(plainText('Write <textarea> here.'), 'Write <textarea> here.')
})

test('links of long texts are found in linear time', () => {
  const sources = [
    'www.'.repeat(50_000),
    'www.a.b '.repeat(20_000),
    'http://'.repeat(30_000),
    `www.a.b/${')'.repeat(100_000)}`,
    `www.a.b/${'&a;'.repeat(50_000)}`,
    'a@'.repeat(60_000),
    '_www.a'.repeat(30_000),
    'http://a:b@c.d:'.repeat(20_000),
    `${'a'.repeat(100_000)}@b.c`,
    `a@${'b.'.repeat(60_000)}`,
    `www.${'a_b.'.repeat(40_000)}`,
    `https://a.b/${'['.repeat(80_000)}`,
    `${'https://a.b/]'.repeat(10_000)}`,
  ]
  for (const source of sources) {
    const took = leastCpuTime(() => pageHtml(source), 4_000)
    assert.ok(took < 4_000, `${source.slice(0, 20)} took ${took} ms`)
  }
})

test.run()

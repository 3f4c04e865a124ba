import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { languages } from '../../../../src/content/html/languages.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { done, makeSite } from '../sites/tools.ts'
import { mustBeSafe, open, publishText } from './tools.ts'

/** Publishes a text and opens its page, which must be whole and safe. */
const shows =
  (markdown: string, check: (text: string) => void = () => {}) =>
  async (stage: Stage): Promise<Seen> => {
    const { path } = await publishText(stage, markdown)
    const seen = await open(stage, path)
    must(seen.text.endsWith('</html>'), `the page ends with ${seen.text.slice(-100)}`)
    mustBeSafe(seen, 'the page')
    check(seen.text)
    return { ...seen, text: seen.text.slice(0, 1_000) }
  }

const scripts = [
  '<script>alert(1)</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img src="javascript:alert(1)">',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:msgbox(1)) ![x](javascript:alert(1)) <javascript:alert(1)>',
  '<iframe src="javascript:alert(1)" srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
  '<form action="https://evil.example"><button formaction="javascript:alert(1)">x</button></form>',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<style>*{background:url(https://evil.example)}</style><p style="position:fixed;inset:0">x</p>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<details open ontoggle=alert(1)><summary onclick=alert(1)>x</summary></details>',
  '{% embed url="javascript:alert(1)" %}\n\n{% content-ref url="javascript:alert(1)" %}\nx\n{% endcontent-ref %}',
  '{% hint style="x\\" onclick=\\"alert(1)" %}\nx\n{% endhint %}',
  '{% code title="</figcaption><script>alert(1)</script>" %}\n```js\nx\n```\n{% endcode %}',
  '<table data-view="cards"><tbody><tr><td><a href="javascript:alert(1)">x</a></td></tr></tbody></table>',
  '<!--><script>alert(1)</script>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '`</code><script>alert(1)</script>`',
]

const names =
  '<p id="content">a</p><a name="pages">b</a><img name="body" id="documentElement"><form id="search"></form>\n\n## Content\n\n## Pages\n\n## __proto__\n'

const links =
  '[\u202egro.live\u202c](https://evil.example) [https://good.example](https://evil.example) <https://good.example@evil.example>\n'

const codeOf = (language: string) =>
  `\`\`\`${language}\n</code></pre><script>alert(1)</script> "'\`\\ /* <!-- \${\n\`\`\`\n`

const deep = [
  '>'.repeat(10_000),
  '['.repeat(50_000),
  `${'- '.repeat(5_000)}x`,
  `${'<div>'.repeat(5_000)}x`,
  `${'{% hint style="info" %}\n'.repeat(2_000)}x`,
  '*'.repeat(100_000),
  `${'<b><i>'.repeat(5_000)}x`,
  '&'.repeat(50_000),
].join('\n\n')

const many = `${Array.from({ length: 10_000 }, (_, at) => `## Heading ${at % 7}`).join('\n\n')}\n`

const table = `| a | b | c | d |\n|---|---|---|---|\n${'| x | <b>y | `z | w |\n'.repeat(15_000)}`

/**
 * Writes markup and addresses into the settings of a site; those that are taken are shown as text.
 */
async function settings(stage: Stage): Promise<Seen> {
  const { site, path } = await publishText(stage, '# Evil\n')
  const now = await done(stage, `GET ${site.path}/customization`)
  const markup = '</title></script><script>alert(1)</script>\r\nSet-Cookie: a=b'
  const link = {
    title: markup,
    to: { kind: 'url', url: 'https://example.org/"><script>alert(1)</script>' },
  }
  const put = (set: object) =>
    stage.call('PUT', `${site.path}/customization`, { body: { ...now, ...set } })
  const attempts: object[] = [
    { title: markup },
    { title: '</script><script>alert(1)</script>' },
    { header: { ...now.header, links: [{ ...link, links: [link] }] } },
    { footer: { ...now.footer, copyright: markup, groups: [{ title: markup, links: [link] }] } },
    { announcement: { enabled: true, message: markup, style: 'info', link } },
    { privacyPolicy: { url: 'https://example.org/"onclick="alert(1)' } },
    { socialPreview: { url: 'https://example.org/"><script>alert(1)</script>' } },
    { favicon: { icon: { light: 'javascript:alert(1)', dark: 'javascript:alert(1)' } } },
    { favicon: { emoji: '"><script>alert(1)</script>' } },
  ]

  for (const set of attempts) {
    const what = Object.keys(set).join()
    const { status } = await put(set)
    must([200, 400].includes(Number(status)), `${what}: ${status}`)
    const seen = await open(stage, path)

    must(seen.status === 200, `${what}: the page is ${seen.status}`)
    mustBeSafe(seen, what)
    must(seen.headers?.['set-cookie'] === undefined, `${what} sets a cookie`)
    const icon = await open(stage, `${path.replace(/evil$/, '')}~gitbook/icon`)

    must(!/<script|onload/i.test(icon.text), `${what}: the icon has a script`)
    must(
      !/^javascript/i.test(icon.headers?.location ?? ''),
      `${what}: the icon leads to ${icon.headers?.location}`,
    )
  }

  return open(stage, path)
}

const pages = 10_000

function* tree(): Iterable<string> {
  const file = (path: string, text: string) =>
    `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
  const of = (at: number) => `part-${at % 100}/page-${at}.md`
  const list = Array.from({ length: pages }, (_, at) => `* [Page ${at}](${of(at)})`)
  yield 'commit refs/heads/main\ncommitter Hostile <h@example.org> 1700000000 +0000\ndata 4\nMany\nfrom refs/heads/main^0\n'
  yield file('SUMMARY.md', `# Summary\n\n${list.join('\n')}\n`)
  for (let at = 0; at < pages; at++) yield file(of(at), `# Page ${at}\n\nWords.\n`)
}

/**
 * Opens pages of a space with 10,000 pages at the top level of its list, and the texts that list
 * all of them.
 */
async function manyPages(stage: Stage): Promise<Seen> {
  const { id } = await done(stage, 'POST /v1/orgs/acme/spaces', { title: 'Many' })
  const dir = join(stage.dataDir, 'spaces', id.slice(0, 2), `${id}.git`)
  execFileSync('git', ['--git-dir', dir, 'fast-import', '--quiet', '--force'], {
    input: [...tree()].join(''),
  })
  const { base } = await makeSite(stage, { visibility: 'public' }, id)
  const path = new URL(base).pathname

  for (const tail of ['sitemap-pages.xml', 'llms.txt', 'sitemap.md', 'page-9999'])
    must((await open(stage, path + tail)).status === 200, `${tail} is not answered`)
  const seen = await open(stage, `${path}page-5000`)

  return { ...seen, text: seen.text.slice(0, 1_000) }
}

/** What authors write, and how many pages. */
export const pageTextLines: Line[] = [
  line(
    'C1',
    'script, frames and forms in a page',
    200,
    'no script, style or form of the author is in it',
    shows(scripts.join('\n\n')),
  ),
  line(
    'C3',
    'ids that hide those of a document',
    200,
    'ids of the author differ from those of the page',
    shows(names, text => {
      for (const id of ['content', 'pages', 'search', '~content', '~pages', '~search']) {
        const found = text.split(`id="${id}"`).length - 1
        must(found <= 1, `the id "${id}" is there ${found} times`)
      }
    }),
  ),
  line(
    'C14',
    'formulas and diagrams',
    200,
    'no markup of theirs is in the page',
    shows(
      `$$\\href{javascript:alert(1)}{x}$$ $$\\htmlStyle{position:fixed}{x}$$ $$${'\\frac{'.repeat(2_000)}$$\n\n\`\`\`mermaid\ngraph TD; A["<script>alert(1)</script>"] --> B; click A "javascript:alert(1)"\n\`\`\`\n`,
    ),
  ),
  line(
    'C15',
    'code in every language with markup',
    200,
    'the markup is text',
    shows(
      [
        ...Object.values(languages).map(({ names }) => names.split(' ')[0]),
        '"><script>',
        'x onclick=alert(1)',
      ]
        .map(name => codeOf(name as string))
        .join('\n'),
    ),
  ),
  line(
    'C16',
    'links that look like others',
    200,
    'they have rel="noopener nofollow"',
    shows(links, text => {
      for (const [tag] of text.matchAll(/<a[^>]*evil\.example[^>]*>/g))
        must(/rel="noopener nofollow"/.test(tag), `a link is ${tag}`)
    }),
  ),
  line(
    'W11',
    'markup, line breaks and addresses in the settings of a site',
    200,
    'they are text',
    settings,
  ),
  line(
    'W12',
    'quotes, brackets, lists, elements and tags nested 2,000 to 50,000 deep',
    200,
    'the page is whole',
    shows(deep),
  ),
  line('W13', 'a page with 10,000 headings', 200, 'the page is whole', shows(many)),
  line('W14', 'a table with 60,000 cells', 200, 'the page is whole', shows(table)),
  line(
    'W15',
    'a space with 10,000 pages at the top level',
    200,
    'each page is answered',
    manyPages,
    {
      slow: true,
      mostWait: 1_500,
    },
  ),
]

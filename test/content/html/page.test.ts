import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { playerHosts, playerOf } from '../../../src/content/html/players.ts'
import { writeTree } from '../../../src/content/html/write-page.ts'
import type { MarkupElement, MarkupNode } from '../../../src/content/markup/tree.ts'
import { sectionSteps } from '../../../src/content/search/sections.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { htmlFaults, htmlOptions, pageHtml } from '../../support/html/write.ts'
import { markPages } from '../../support/marked-page.ts'

const element = (
  name: string,
  nodes: MarkupNode[],
  attributes: Record<string, string> = {},
  blocks = false,
): MarkupElement => ({ name, attributes, nodes, blocks })

const treeHtml = (...nodes: MarkupNode[]) =>
  atOnce(writeTree(element('group', nodes, {}, true), new Map(), htmlOptions))

test('the first heading is the title and is not written', () => {
  const { html, title } = pageHtml('# The *title*\n\ntext\n')
  assert.is(title, 'The title')
  assert.is(html, '<p>text</p>\n')
  assert.is(pageHtml('text\n\n# Later\n').title, undefined)
})

test('an unknown tag is text, and an unknown component shows its content', () => {
  for (const name of ['note', 'wrap', 'formula', 'hint', 'tabs', 'unknown', 'UNKNOWN'])
    assert.is(
      pageHtml(`a <${name}>inside</${name}> b\n`).html,
      `<p>a &lt;${name}&gt;inside&lt;/${name}&gt; b</p>\n`,
    )
  for (const name of ['Wrap', 'Unknown'])
    assert.is(pageHtml(`a <${name}>inside</${name}> b\n`).html, '<p>a inside b</p>\n')
})

test('levels of headings are closed up, and the written level is a class', () => {
  const { html, headings } = pageHtml('# T\n\n### A\n\n##### B\n\n## C\n\n### D\n\n# E\n')
  assert.equal(
    headings.map(({ level, text }) => `${level} ${text}`),
    ['2 A', '3 B', '2 C', '3 D', '2 E'],
  )

  assert.equal(
    [...html.matchAll(/<h\d[^>]*>/g)].map(([tag]) => tag),
    [
      '<h2 class="l3" id="a">',
      '<h3 class="l5" id="b">',
      '<h2 id="c">',
      '<h3 id="d">',
      '<h2 class="l1" id="e">',
    ],
  )
})

test('headings have the ids of search, whatever else has an id', () => {
  const page =
    '# T\n\n<a id="b"></a>\n\n<h2>Same</h2>\n\n{% tabs %}\n{% tab title="Same" %}\nx\n{% endtab %}\n{% endtabs %}\n\n' +
    '## Same\n\n## Same\n\n## B & `c` ![d](e.png) <a name="own"></a>\n\n## f[^1] $$g$$\n\n> ## In a quote\n\n[^1]: note\n'
  const { html, headings } = pageHtml(page)
  const wanted = atOnce(sectionSteps(page)).sections.flatMap(({ anchor }) =>
    anchor === '' ? [] : [anchor],
  )
  const ids = headings.map(({ id }) => id)

  assert.equal(
    wanted.filter(id => !ids.includes(id)),
    [],
  )

  assert.equal(
    ids.filter(id => !wanted.includes(id)),
    ['same-2'],
  )
  assert.equal(htmlFaults(html), [])
})

test('a link to an anchor of the page leads to it in any spelling', () => {
  const hrefs = (markdown: string) =>
    [...pageHtml(markdown).html.matchAll(/<a href="([^"]*)">x/g)].map(([, href]) => href)
  assert.equal(
    hrefs(
      '[x](#version-1.2) [x](#version-12) [x](#id-2.-steps) [x](#2-steps) [x](#none)\n\n## Version 1.2\n\n## 2. Steps\n',
    ),
    ['#version-1.2', '#version-1.2', '#id-2.-steps', '#2.-steps', '#none'],
  )
})

test('reusable content is a part of the page, with headings after those of the page, and never in itself', () => {
  const { html, headings } = pageHtml(
    '{% include "shared.md" %}\n\n## Steps\n\n## Usage\n\n{% include "loop.md" %}\n\n{% include "none.md" %}\n',
  )
  assert.equal(
    headings.map(({ id, text }) => [id, text]),
    [
      ['shared', 'Shared'],
      ['steps-1', 'Steps'],
      ['steps', 'Steps'],
      ['usage', 'Usage'],
    ],
  )
  assert.match(html, '<a href="#usage">up</a>')
  assert.is(html.split('around').length, 2)
})

test('the summary is the first paragraph as text, at most 200 characters', () => {
  assert.is(
    pageHtml('{% hint %}\nno\n{% endhint %}\n\n![a](a.png)\n\nThe *first* `one`[^1].\n\n[^1]: x\n')
      .summary,
    'The first one.',
  )

  assert.is(
    pageHtml(
      'See <span data-gb-custom-inline data-tag="emoji" data-code="1f680">:rocket:</span> [guide.md](guide.md) and [x](y.md "mention").\n',
    ).summary,
    'See 🚀 Page guide and Page y.',
  )
  const { summary } = pageHtml('word '.repeat(100))
  assert.ok(summary.length <= 200 && summary.endsWith(' word…'))
})

test('a diagram is a frame with its source below, where the site has frames', () => {
  const page = '```mermaid\nA --> B\n```\n'
  const { html, diagrams } = pageHtml(page, { diagramFrame: '/diagram.html' })
  assert.equal(diagrams, ['A --> B'])
  assert.is(
    html,
    '<figure class="diagram"><iframe class="with-script" sandbox="allow-scripts" src="/diagram.html" title="Diagram" loading="lazy" data-failed="This diagram cannot be drawn."></iframe>' +
      '<details><summary>Diagram</summary><pre tabindex="0"><code>A --&gt; B</code></pre></details></figure>\n',
  )
  assert.not.match(pageHtml(page).html, 'iframe')
})

test('links to other servers open a new tab, and broken links are marked, if the options say so', () => {
  assert.match(
    pageHtml('[a](https://b.c)\n', { externalBlank: true }).html,
    'rel="noopener nofollow" target="_blank"',
  )

  assert.is(
    pageHtml('[a](none) ![b](none)\n', { marksBroken: true }).html,
    '<p><span class="broken">a</span> <span class="broken">b</span></p>\n',
  )
  const card = (target: string) =>
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target></th></tr></thead>' +
    `<tbody><tr><td>a</td><td>${target}</td></tr></tbody></table>\n`
  const broken = card('<a href="none">b</a>')

  assert.match(pageHtml(broken, { marksBroken: true }).html, '<div class="card broken">')
  assert.match(pageHtml(broken).html, '<div class="card">')
  assert.match(pageHtml(card(''), { marksBroken: true }).html, '<div class="card">')
})

test('long code and code after 64 KB of it is plain', () => {
  const code = (length: number) => `\`\`\`js\n${'let a\n'.repeat(length / 6)}\`\`\`\n`
  assert.match(pageHtml(code(16_000)).html, 'hljs-')
  assert.not.match(pageHtml(code(17_000)).html, 'hljs-')
  assert.is(pageHtml(code(16_000).repeat(12)).html.split('<code><span').length, 5)
  assert.is(pageHtml(code(6).repeat(1200)).html.split('<code><span').length, 1025)
})

test('players are those of a few hosts', () => {
  const addresses: [string, string | undefined][] = [
    [
      'https://www.youtube.com/watch?v=abcdef12345&t=4',
      'https://www.youtube-nocookie.com/embed/abcdef12345',
    ],
    ['https://vimeo.com/123456789', 'https://player.vimeo.com/video/123456789'],
    [
      'https://www.loom.com/share/0123456789abcdef0123',
      'https://www.loom.com/embed/0123456789abcdef0123',
    ],
    ['https://youtube.com.evil.example/watch?v=abcdef12345', undefined],
    ['https://evil.example/?https://youtu.be/abcdef12345', undefined],
  ]
  for (const [address, player] of addresses) {
    assert.is(playerOf(address), player)
    if (player) assert.ok((playerHosts as readonly string[]).includes(new URL(player).host))
  }
})

test('a changed block is within an element with its mark, a changed row and item has the mark', () => {
  const { html, headings } = treeHtml(
    element('h2', ['New ', element('del', ['old'], { words: 'removed' })], {
      section: 'yes',
      change: 'edited',
      'change-id': '1',
    }),
    element('h2', ['Gone'], { section: 'yes', change: 'removed', 'change-id': '2' }),
    element('p', ['a ', element('ins', ['b'])], { change: 'edited', 'change-id': '3' }),
    element('ul', [element('li', ['c'], { change: 'added', 'change-id': '4' })], {}, true),
    element('pre', ['a\n', element('ins', ['b\n']), 'c'], { lang: '' }),
  )

  assert.equal(headings, [{ id: 'new', level: 2, text: 'New' }])
  assert.is(
    html.replace(/\n/g, ''),
    '<div class="change edited" id="change-1"><span class="sr">edited</span> ' +
      '<h2 id="new">New <del>old</del><a class="anchor" href="#new" aria-label="Link to this heading"></a></h2></div>' +
      '<div class="change removed" id="change-2"><span class="sr">removed</span> <p class="minor l2">Gone</p></div>' +
      '<div class="change edited" id="change-3"><span class="sr">edited</span> <p>a <ins>b</ins></p></div>' +
      '<ul><li class="change added" id="change-4"><span class="sr">added</span> c</li></ul>' +
      '<figure class="code"><pre tabindex="0"><code><span class="line">a</span><ins class="line">b</ins>' +
      '<span class="line">c</span></code></pre></figure>',
  )
  assert.equal(htmlFaults(html), [])
})

test('an author cannot mark a change', () => {
  assert.is(pageHtml('<p change="added" change-id="1">a</p>\n').html, '<p>a</p>\n')
  const { headings } = pageHtml('<h2 change="edited">New <del words="removed">old</del></h2>\n')
  assert.is(headings[0]?.text, 'New old')
})

test('a page with marks has the headings and ids of the new version', () => {
  const notes = '\n\n[^1]: note\n'
  const before = `# T\n\n## Old name\n\nRun npm i now[^1].\n\n## Gone\n\n* a\n* b${notes}`
  const after = `# T\n\n## New <del>struck</del> name\n\nRun npm ci now[^1].\n\n* a\n* c d e\n* b${notes}`
  const { page } = markPages(before, after)
  const { html, headings } = atOnce(writeTree(page.root, page.notes, htmlOptions))

  assert.equal(headings, pageHtml(after).headings)
  assert.equal(htmlFaults(html), [])
  assert.match(html, 'Run npm <del>i</del><ins>ci</ins> now')
  assert.match(
    html,
    /<div class="change removed" id="change-\d"><span class="sr">removed<\/span> <p class="minor l2">Gone/,
  )
  assert.match(html, /<li class="change added" id="change-\d"><span class="sr">added<\/span> c d e/)
  const marks = [...html.matchAll(/ id="change-(\d+)"/g)].map(([, id]) => Number(id))

  assert.equal(
    marks,
    page.changes.map(({ id }) => id),
  )
})

test('the end of the outermost block with a wanted id is told, with the level above it', () => {
  const text =
    '# T\n\n## Use it\n\nFirst.\n\n<details><summary>More</summary>\n\n### Inside\n\ntext\n\n</details>\n\nLast id="use-it".\n'
  const wanted = new Set(['inside', 'use-it', 'nothing'])
  const { html, ends } = pageHtml(text, { wanted })
  assert.is(html, pageHtml(text).html)
  assert.equal(
    ends.map(({ id, level }) => [id, level]),
    [
      ['use-it', 2],
      ['inside', 3],
    ],
  )
  const [first, second] = ends.map(({ at }) => html.slice(at))
  assert.ok(first?.startsWith('<p>First.'), first)
  assert.ok(second?.startsWith('<p>Last'), second)
  assert.equal(pageHtml(text).ends, [])
})

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { htmlFaults, pageHtml } from '../../support/html/write.ts'

const anchor = (id: string) =>
  `<a class="anchor" href="#${id}" aria-label="Link to this heading"></a>`
const image = (src: string, alt: string, more = 'fetchpriority="high"', size = [200, 100]) =>
  `src="${src}" alt="${alt}" width="${size[0]}" height="${size[1]}" ${more} decoding="async">`

/** Blocks in Markdown, and their HTML without line endings. */
const blocks: Record<string, [markdown: string, html: string]> = {
  'a paragraph with text in every form': [
    'A **b** _c_ ~~d~~ `e < f` <kbd>G</kbd> H<sub>2</sub> & "I" \\\nJ',
    '<p>A <strong>b</strong> <em>c</em> <s>d</s> <code>e &lt; f</code> <kbd>G</kbd> H<sub>2</sub> &amp; &quot;I&quot; <br>J</p>',
  ],
  'a heading with its own id': [
    '## A <a href="#old" id="old"></a>',
    `<h2 id="old">A${anchor('old')}</h2>`,
  ],
  'a heading that begins with a digit, with the id of other tools': [
    '## 3. Fees',
    `<h2 id="3.-fees"><span id="id-3.-fees"></span>3. Fees${anchor('3.-fees')}</h2>`,
  ],
  'a list, and one within it': [
    '* a\n  1. b\n  2. c\n* d',
    '<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>',
  ],
  'a list that begins with 3': [
    '3. a\n\n4. b',
    '<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol>',
  ],
  'a list of tasks': [
    '- [x] a\n- [ ] b',
    '<ul class="tasks"><li><label><input type="checkbox" disabled checked> a</label></li>' +
      '<li><label><input type="checkbox" disabled> b</label></li></ul>',
  ],
  'a quote and a divider': ['> a\n\n***', '<blockquote><p>a</p></blockquote><hr>'],
  'a table': [
    '| a | b |\n|---|:-:|\n| c | d |',
    '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>' +
      '<thead><tr><th scope="col">a</th><th class="center" scope="col">b</th></tr></thead>' +
      '<tbody><tr><td>c</td><td class="center">d</td></tr></tbody></table></div>',
  ],
  'a table without titles, with a width, a hidden column and a page': [
    '<table><thead><tr><th width="90"></th><th data-hidden></th><th data-type="content-ref"></th></tr></thead>' +
      '<tbody><tr><td>a</td><td>b</td><td><a href="c.md">c.md</a></td></tr></tbody></table>',
    '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>' +
      '<colgroup><col width="90"><col></colgroup><tbody><tr><td>a</td><td><a href="/c">📘 Page c</a></td></tr></tbody></table></div>',
  ],
  'columns of checkboxes and ratings': [
    '<table><thead><tr><th data-type="checkbox">Ready</th><th data-type="rating" data-max="3">Stars</th></tr></thead>' +
      '<tbody><tr><td>true</td><td>2</td></tr><tr><td>false</td><td>none</td></tr></tbody></table>',
    '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th scope="col">Ready</th><th scope="col">Stars</th></tr></thead>' +
      '<tbody><tr><td><input type="checkbox" disabled checked aria-label="Ready"></td><td><span role="img" aria-label="2/3">★★☆</span></td></tr>' +
      '<tr><td><input type="checkbox" disabled aria-label="Ready"></td><td>none</td></tr></tbody></table></div>',
  ],
  'emoji by name, but in code': [
    ':wave: **:tada:** `:wave:` <code>:wave: <b>:wave:</b></code>\n\n```\n:wave:\n```',
    '<p>👋 <strong>🎉</strong> <code>:wave:</code> <code>:wave: <b>:wave:</b></code></p>' +
      '<figure class="code"><pre tabindex="0"><code>:wave:</code></pre></figure>',
  ],
  'a heading with an emoji by name, whose id has the name': [
    '## :rocket: Start',
    `<h2 id="rocket-start">🚀 Start${anchor('rocket-start')}</h2>`,
  ],
  'quotes that are alerts of GitHub': [
    '> [!WARNING]\n> a *b*\n> c\n\n> [!other]\n> d',
    '<div class="hint warning" role="note"><div><p>a <em>b</em>c</p></div></div><blockquote><p>[!other]d</p></blockquote>',
  ],
  'cards with a target and covers': [
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th>' +
      '<th data-hidden data-card-cover data-type="image"></th><th data-hidden data-card-cover-dark data-type="image"></th></tr></thead>' +
      '<tbody><tr><td><strong>A</strong> <a href="b.md">b</a></td><td><a href="c.md">c</a></td>' +
      '<td><a href="l.png">l</a></td><td><a href="d.png">d</a></td></tr></tbody></table>',
    `<ul class="cards"><li><a class="card" href="/c"><img class="cover light-only" ${image('l.png', '', 'loading="lazy"')}` +
      `<img class="cover dark-only" ${image('d.png', '', 'loading="lazy"')}<div><strong>A</strong> b</div></a></li></ul>`,
  ],
  'code in a language': [
    '```js\nlet a = 1\n```',
    '<figure class="code" data-lang="JavaScript"><pre tabindex="0"><code>' +
      '<span class="hljs-keyword">let</span> a = <span class="hljs-number">1</span></code></pre></figure>',
  ],
  'expandable code of many lines, with a switch below it': [
    `{% code expandable="true" %}\n\`\`\`\n${'a\n'.repeat(13)}\`\`\`\n{% endcode %}`,
    `<figure class="code expandable"><pre tabindex="0"><code>${'a'.repeat(13)}</code></pre>` +
      '<details><summary><span>Show more</span><span>Show less</span></summary></details></figure>',
  ],
  'expandable code of few lines, which is shown as a whole': [
    '{% code expandable="true" %}\n```\na\nb\n```\n{% endcode %}',
    '<figure class="code"><pre tabindex="0"><code>ab</code></pre></figure>',
  ],
  'code with a title, line numbers and wrapped lines': [
    '{% code title="a.txt" lineNumbers="true" overflow="wrap" %}\n```\na<b\nc\n```\n{% endcode %}',
    '<figure class="code numbers wrap"><figcaption>a.txt</figcaption><pre tabindex="0"><code>' +
      '<span class="line">a&lt;b</span><span class="line">c</span></code></pre></figure>',
  ],
  'code with a marked line': [
    '<pre class="language-yaml"><code class="lang-yaml">a\n<strong>b\n</strong>c\n</code></pre>',
    '<figure class="code" data-lang="YAML"><pre tabindex="0"><code><span class="line"><span class="hljs-string">a</span></span>' +
      '<mark class="line"><span class="hljs-string">b</span></mark>' +
      '<span class="line"><span class="hljs-string">c</span></span></code></pre></figure>',
  ],
  'code with options, which no line breaks': [
    '`git clone --depth 1 -q a-b` `--x`',
    '<p><code>git clone <span class="whole">--depth</span> 1 <span class="whole">-q</span> a-b</code> ' +
      '<code><span class="whole">--x</span></code></p>',
  ],
  'a hint with an icon': [
    '{% hint style="warning" icon="rocket" %}\na\n{% endhint %}',
    '<div class="hint warning" role="note"><span class="icon" aria-hidden="true"><svg viewBox="0 0 1 1"></svg></span><div><p>a</p></div></div>',
  ],
  'tabs, the first of them open': [
    '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n{% tab title="B" %}\nb\n{% endtab %}\n{% endtabs %}',
    '<div class="tabs"><details id="a" name="tabs-1" data-tab="A" open><summary>A</summary><div><p>a</p></div></details>' +
      '<details id="b" name="tabs-1" data-tab="B"><summary>B</summary><div><p>b</p></div></details></div>',
  ],
  steps: [
    '{% stepper %}\n{% step %}\n## A\nb\n{% endstep %}\n{% endstepper %}',
    `<ol class="steps"><li><h2 id="a">A${anchor('a')}</h2><p>b</p></li></ol>`,
  ],
  columns: [
    '{% columns %}\n{% column width="33.3%" %}\na\n{% endcolumn %}\n{% column valign="middle" %}\nb\n{% endcolumn %}\n{% endcolumns %}',
    '<div class="columns"><div class="w30"><p>a</p></div><div class="middle"><p>b</p></div></div>',
  ],
  'a block that opens': [
    '<details>\n<summary>A b</summary>\n\nc\n\n</details>',
    '<details id="a-b"><summary>A b</summary><div><p>c</p></div></details>',
  ],
  'an update': [
    '{% updates %}\n{% update date="2026-02-01" tags="api, new" %}\na\n{% endupdate %}\n{% endupdates %}',
    '<div class="updates"><article class="update" id="2026-02-01" data-tags="api,new"><header><time datetime="2026-02-01">2026-02-01</time>' +
      '<ul class="tags"><li>api</li><li>new</li></ul></header><div><p>a</p></div></article></div>',
  ],
  'a link to a page as a card': [
    '{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}',
    '<a class="card page" href="/a"><strong>📘 Page a</strong></a>',
  ],
  'a recording, whose player loads on request': [
    '{% embed url="https://youtu.be/abc_def-1" %}\nwords\n{% endembed %}',
    '<figure><a class="card embed" data-player="https://www.youtube-nocookie.com/embed/abc_def-1" href="https://youtu.be/abc_def-1" ' +
      'rel="noopener nofollow"><strong>youtu.be</strong><span>https://youtu.be/abc_def-1</span></a><figcaption>words</figcaption></figure>',
  ],
  'a file': [
    '{% file src="a.pdf" %}',
    '<a class="card file" download href="/files/a.pdf"><strong>a.pdf</strong><span>Download · PDF · 12 KB</span></a>',
  ],
  'an image alone, with a caption': [
    '![a](a.png "b")',
    `<figure><img ${image('a.png', 'a')}<figcaption>b</figcaption></figure>`,
  ],
  'an image alone in a cell': [
    '| a |\n|---|\n| ![b](b.png) |',
    '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th scope="col">a</th></tr></thead>' +
      `<tbody><tr><td><img ${image('b.png', 'b')}</td></tr></tbody></table></div>`,
  ],
  'code with a title, a language and marked lines': [
    '```py title="a.py" {2} linenums="1"\na = 1\nb\n```',
    '<figure class="code numbers" data-lang="Python"><figcaption>a.py</figcaption><pre tabindex="0"><code>' +
      '<span class="line">a = <span class="hljs-number">1</span></span><mark class="line">b</mark></code></pre></figure>',
  ],
  'code of a tab of commands, with its title': [
    '```sh [npm]\na\n```',
    '<figure class="code" data-lang="Shell"><figcaption>npm</figcaption><pre tabindex="0"><code>a</code></pre></figure>',
  ],
  'an image within words, in its own size, and one that is as high as the line': [
    'a ![b](b.png) <img src="c.png" alt="c" data-size="line">',
    `<p>a <img class="inline" ${image('b.png', 'b')} <img class="inline line" ${image('c.png', 'c', 'loading="lazy"', [48, 24])}</p>`,
  ],
  'two images side by side, with a caption on the next line': [
    '![b](b.png) ![c](c.png)\nA caption',
    `<p><img class="inline" ${image('b.png', 'b')} <img class="inline" ${image('c.png', 'c', 'loading="lazy"')}A caption</p>`,
  ],
  'an image for light and one for dark pages, half as wide': [
    '<figure><picture><source srcset="d.png" media="(prefers-color-scheme: dark)"><img src="l.png" alt="a" width="50%"></picture>' +
      '<figcaption><p>b</p></figcaption></figure>',
    `<figure><img class="w50 light-only" ${image('l.png', 'a', 'loading="lazy"')}` +
      `<img class="w50 dark-only" ${image('d.png', 'a', 'loading="lazy"')}<figcaption>b</figcaption></figure>`,
  ],
  'an image with a width': [
    '<img src="a.png" width="100">',
    '<figure><img src="a.png" alt="" width="100" height="50" fetchpriority="high" decoding="async"></figure>',
  ],
  'links to a page, by mention, by file name, and elsewhere': [
    '[x](a.md) [x](a.md "mention") [a.md](a.md) [x](https://a.b) [x](mailto:a@b.c) [x](none)',
    '<p><a href="/a">x</a> <a href="/a">📘 Page a</a> <a href="/a">📘 Page a</a> ' +
      '<a href="https://a.b" rel="noopener nofollow">x</a> <a href="mailto:a@b.c">x</a> x</p>',
  ],
  'buttons and icons': [
    '<a href="a.md" class="button secondary" data-icon="rocket">x</a> <i class="fa-rocket">:r:</i> ' +
      '<button data-action="ask" data-query="why?" class="button primary">y</button>',
    '<p><a class="button secondary" href="/a"><span class="icon" aria-hidden="true"><svg viewBox="0 0 1 1"></svg></span>x</a> ' +
      '<span class="icon" aria-hidden="true"><svg viewBox="0 0 1 1"></svg></span> ' +
      '<button type="button" class="button primary" data-query="why?">y</button></p>',
  ],
  'a coloured text in the middle': [
    '<p align="center"><mark style="color:orange;background-color:$info">x</mark></p>',
    '<p class="center"><mark class="c-orange bg-info">x</mark></p>',
  ],
  'a formula within a line': [
    'x $$a$$',
    '<p>x <math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>a</mi></mrow>' +
      '<annotation encoding="application/x-tex">a</annotation></semantics></math></p>',
  ],
  'a faulty formula': ['a $$\\frac{$$', '<p>a <code class="formula">\\frac{</code></p>'],
  'footnotes, one of them used twice': [
    'a[^1] b[^1]\n\n[^1]: c *d*',
    '<p>a<sup class="note" id="note-mark:1"><a href="#note:1" role="doc-noteref">1</a></sup> ' +
      'b<sup class="note"><a href="#note:1" role="doc-noteref">1</a></sup></p>' +
      '<section class="notes" role="doc-endnotes" aria-label="Footnotes"><ol><li id="note:1">c <em>d</em> ' +
      '<a href="#note-mark:1" role="doc-backlink" aria-label="Back to the text">↩</a></li></ol></section>',
  ],
  'terms and their definitions': [
    'A *b*\n: c\n: d\n\nE\n\n:   f',
    '<dl><dt>A <em>b</em></dt><dd>c</dd><dd>d</dd><dt>E</dt><dd>f</dd></dl>',
  ],
  'a video': [
    '<video src="a.mp4" controls width="320" height="10%" poster="p.png" class="x" onplay="x()" crossorigin></video>',
    '<p><video controls width="320" poster="p.png" preload="metadata"><source src="/files/a.mp4"></video></p>',
  ],
  'a video with sources and subtitles, and words for browsers without players': [
    '<video autoPlay playsInline>\n<source src="a.mp4" type="video/mp4" />\n<source src="none.webm">\n' +
      '<track src="a.vtt" srclang="en" label="English" default>\nNo video.\n</video>',
    '<p><video controls playsinline preload="metadata"><source src="/files/a.mp4">' +
      '<track kind="subtitles" src="/files/a.vtt" srclang="en" label="English" default></video></p>',
  ],
  'a video that is shown like an animated image': [
    '<video src="https://a.example/b.mp4" autoplay muted loop></video>',
    '<p><video autoplay muted loop preload="metadata"><source src="https://a.example/b.mp4"></video></p>',
  ],
  'sounds, one of them as an image': [
    'a <audio src="a.mp3" poster="p.png" loop></audio>\n\n![b](b.mp3)',
    '<p>a <audio controls loop preload="metadata"><source src="/files/a.mp3"></audio></p>' +
      '<figure><audio controls aria-label="b" preload="metadata"><source src="/files/b.mp3"></audio></figure>',
  ],
  'recordings that no page plays': [
    '<video src="http://a.example/b.mp4"></video>\n\n<video src="none.webm">c</video>\n\n[d <video src="a.mp4">e</video>](a.md)',
    '<p><a href="http://a.example/b.mp4" rel="noopener nofollow">http://a.example/b.mp4</a></p><p>c</p>' +
      '<p><a href="/a">d e</a></p>',
  ],
  'lists of attributes': [
    '## A {#b}\n\n## C { .d }\n\n![e](f.png){ width="50" align=left }\n\n[g](a.md){ .h } [i](a.md){j=k} {.l}\n\n## {m} [n](a.md){.o}',
    `<h2 id="b">A${anchor('b')}</h2><h2 id="c">C${anchor('c')}</h2><figure><img ` +
      `${image('f.png', 'e', undefined, [50, 25])}</figure><p><a href="/a">g</a> <a href="/a">i</a>{j=k} {.l}</p>` +
      `<h2 id="m-n">{m} <a href="/a">n</a>${anchor('m-n')}</h2>`,
  ],
  'a list of terms': ['<dl><dt>a</dt><dd>b</dd></dl>', '<dl><dt>a</dt><dd>b</dd></dl>'],
  'a tag that is not closed': ['{% hint %}\na', '<p>{% hint %}</p><p>a</p>'],
  'an element with an id and a direction': [
    '<div id="x" dir="rtl" style="color:red" onclick="a()" class="y">\n\na\n\n</div>',
    '<div id="x" dir="rtl"><p>a</p></div>',
  ],
}

for (const [name, [markdown, html]] of Object.entries(blocks))
  test(name, () => {
    const found = pageHtml(`${markdown}\n`).html
    assert.is(found.replace(/\n/g, ''), html)
    assert.equal(htmlFaults(found), [])
  })

test('a page with every block is sound', () => {
  const all = Object.values(blocks).map(([markdown]) => markdown)
  assert.equal(htmlFaults(pageHtml(`# Title\n\n${all.join('\n\n')}\n`).html), [])
})

test.run()

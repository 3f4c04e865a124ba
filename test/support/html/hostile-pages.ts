const script = "window.ran='%'"
const named = (name: string) => script.replace('%', name)

/** Spellings of an address that runs a script in a browser that reads it. */
const addresses = [
  `javascript:${named('plain')}`,
  `JaVaScRiPt:${named('case')}`,
  ` javascript:${named('space')}`,
  `java\tscript:${named('tab')}`,
  `java&#9;script:${named('reference')}`,
  `java&Tab;script:${named('named')}`,
  `java&NewLine;script:${named('line')}`,
  `&#106;avascript:${named('letter')}`,
  `&#x6A;&#x61;vascript&colon;${named('hex')}`,
  `&#1;javascript:${named('control')}`,
  `javascript&#58;${named('colon')}`,
  `vbscript:${named('basic')}`,
  `data:text/html,<script>${named('data')}</script>`,
  'data:text/html;base64,PHNjcmlwdD5wYXJlbnQucmFuPTE8L3NjcmlwdD4=',
  `blob:https://a.b/${named('blob')}`,
  `//javascript:${named('host')}`,
]

const handlers =
  'onclick onerror onload onmouseover onfocus ontoggle onbegin onanimationstart style srcdoc formaction'
const names =
  'a b p div span img svg math iframe object embed form input button select textarea video audio source details summary ' +
  'table td th tr ul li pre code figure picture mark kbd h1 h2 style script link meta base body html template noscript ' +
  'xmp plaintext noembed title frameset marquee isindex keygen annotation-xml foreignObject mtext mglyph malignmark ruby rt'

const attributes =
  'href src srcset sizes alt title id class name rel target role lang dir type value width height style align start open ' +
  'data-tab data-player data-query aria-label datetime colspan rowspan scope checked tabindex popovertarget sandbox srcdoc'
const outbreaks = [
  `&quot;><script>${named('attribute')}</script>`,
  `' onmouseover='${named('single')}`,
  `x onerror=${named('bare')}`,
  `\`\`onload=${named('grave')}`,
]

/** Spellings of a style for the whole page. */
const ground = 'main{background-color:rgb(1,2,3)!important}'
const styles = [
  `<style>${ground}</style>`,
  `<svg><style>${ground}</style></svg>`,
  `<math><style>${ground}</style></math>`,
  `<noscript><style>${ground}</style></noscript>`,
  `<link rel="stylesheet" href="data:text/css,${ground}">`,
  `<style>@import 'data:text/css,${ground}';</style>`,
  `<?xml-stylesheet href="data:text/css,${ground}"?>`,
  `<table background="javascript:0" bgcolor="#010203"><tr><td bgcolor="#010203">a</td></tr></table>`,
  `<font color="#010203" style="background:rgb(1,2,3)">a</font>`,
  `<div class="sr top side skip" style="position:fixed;inset:0">a</div>`,
  `</main></article></body><style>${ground}</style>`,
  `$$\\htmlStyle{background:red}{a}$$ <mark style="color:red;position:fixed">b</mark>`,
]

/** Pages that try to run a script, to leave their place in the document, or to take much time. */
export const hostilePages: Readonly<Record<string, string>> = {
  'scripts in links': addresses
    .map(to => `[a](<${to}>) <${to}> ![b](<${to}>)\n\n[c]: <${to}>\n[c]\n`)
    .join('\n'),
  'scripts in attributes of addresses': addresses
    .flatMap(to =>
      ['href', 'src', 'srcset', 'action', 'xlink:href', 'data', 'poster'].map(
        name => `<a ${name}="${to}">a</a><img ${name}="${to}"><iframe ${name}="${to}"></iframe>`,
      ),
    )
    .join('\n\n'),
  'scripts in attributes of tags': addresses
    .map(
      to =>
        `{% embed url="${to}" %}\n{% file src="${to}" %}\n{% content-ref url="${to}" %}x{% endcontent-ref %}\n{% @a/b url="${to}" %}\n`,
    )
    .join('\n'),
  'handlers in every element': names
    .split(' ')
    .map(
      name =>
        `<${name} ${handlers
          .split(' ')
          .map(on => `${on}="${named(on)}"`)
          .join(' ')}>x</${name}>`,
    )
    .join('\n\n'),
  'scripts in every attribute of every element': outbreaks
    .flatMap(value =>
      names.split(' ').map(
        name =>
          `<${name} ${attributes
            .split(' ')
            .map(attribute => `${attribute}="${value}"`)
            .join(' ')}>x</${name}>`,
      ),
    )
    .join('\n\n'),
  'styles in every spelling': styles.join('\n\n'),
  'blocks that are not closed': [
    'hint',
    'tabs',
    'tab',
    'stepper',
    'step',
    'columns',
    'column',
    'code',
    'updates',
    'if',
  ]
    .flatMap(name => [
      `{% ${name} %}`,
      `{% ${name} title="`,
      `{% ${name}`,
      `{% end${name}`,
      '```',
      '$$',
      '<!--',
      '[a](',
      '| a',
    ])
    .join('\n\nx\n\n'),
  'elements within a line': names
    .split(' ')
    .map(name => `a <${name}>b <${name}>c</${name}> d`)
    .join('\n\n'),
  'elements that are not closed': names
    .split(' ')
    .map(name => `<${name}>`)
    .join('a'),
  'elements that are closed only': names
    .split(' ')
    .map(name => `</${name}>`)
    .join('a'),
  'quotation marks in attributes': [
    `<img src="a.png" alt="&quot;><script>${named('alt')}</script>">`,
    `<a href='a.md&quot; onclick=&quot;${named('href')}' title='"><svg onload=${named('title')}>'>a</a>`,
    `{% tab title="&quot;><img src=x onerror=${named('tab')}>" %}\nx\n{% endtab %}`,
    `{% code title='"><img src=x onerror=${named('code')}>' %}\n\`\`\`js"onload="x\na\n\`\`\`\n{% endcode %}`,
    `{% hint style='info" onclick="${named('hint')}' icon='"><script>' %}\nx\n{% endhint %}`,
    `{% update date='2026-01-01"><script>' tags='"><script>${named('tags')}</script>' %}\nx\n{% endupdate %}`,
    `## a <a id='"><script>${named('id')}</script>'></a>`,
    `<details><summary>"><script>${named('summary')}</script></summary></details>`,
    `<mark style='color:red"><script>'>a</mark> <span dir='"><script>' lang='"><script>'>b</span>`,
    `<ol start='1"><script>'><li>a</ol> <td colspan='2"><script>'>`,
  ].join('\n\n'),
  'code in languages with markup': [
    'html',
    'xml',
    'markdown',
    'php',
    'diff',
    'js',
    'unknown',
    '"><script>',
  ]
    .map(name => `\`\`\`${name}\n</code></pre><script>${named('code')}</script>\n<!-- \`\n\`\`\`\n`)
    .join('\n'),
  'formulas with markup': [
    '\\href{javascript:alert(1)}{a}',
    `\\htmlClass{x}{a} \\htmlStyle{color:red}{b} \\htmlData{a=b}{c}`,
    `\\text{</math><script>${named('math')}</script>}`,
    '\\includegraphics{https://a.b/c.png}',
    '\\def\\a{\\a\\a}\\a',
    '\\rule{9999em}{9999em} \\kern{9999em} \\color{red} \\colorbox{blue}{a} \\fbox{b} \\raisebox{1em}{c} \\tag{d}',
    `${'{'.repeat(1500)}a${'}'.repeat(1500)}`,
    `${'\\sqrt'.repeat(700)}a`,
    '\\begin{array}{cc}a&b\\\\c&d\\end{array}',
  ]
    .map(formula => `x $$${formula}$$\n\n$$\n${formula}\n$$\n`)
    .join('\n'),
  'elements that may not be within each other': [
    '<a href="a.md">a <a href="b.md">b</a> <button data-action="ask">c</button></a>',
    '<p>a <div>b <p>c</p></div></p>',
    '<button data-action="ask">a <button data-action="ask">b</button></button>',
    '<h2>a <h3>b</h3></h2>',
    '<ul><ul><li><li>a</ul>',
    '<table><table><tr><td>a</table><td>b',
    '<table><caption>a</caption><tr><p>b</p><td>c</td></tr></table>',
    '<dl><dl><dd><dt>a</dl>',
    '<label><label>a</label></label><select><option>a<p>b</select>',
    '<ruby>a<rt>b<rt>c</rt></rt><ruby>d<rt>e</rt></ruby></ruby>',
    '<nobr>a<nobr>b</nobr></nobr><details>a<summary>b<h2>c</h2><details>d</details></summary></details>',
    '<a href="a.md"><div><a href="b.md"><p>b</p></a></div></a>',
    '<a href="a.md"><table><tr><td>b</td></tr></table></a>',
    `${'<b><i>'.repeat(30)}a`,
  ].join('\n\n'),
  'elements within each other 600 times': `${'<blockquote><ul><li><table><tr><td>'.repeat(100)}a\n\n${'> * '.repeat(40)}b\n\n${'<div><span>'.repeat(200)}c`,
  'references and control characters':
    '&lt;script&gt; &#0; &#x0; &#xD800; &amp;lt; \u0000 \u0001 \u000b \u000c \u007f \u2028 \ufeff \ud800 <\u0000script>',
  'comments and declarations': `<!-- <script>${named('comment')}</script> --><!doctype html><![CDATA[<script>]]><?php a ?><!-- a --!> <img src=x onerror=${named('after')}>`,
  'ids of the document': [
    'location',
    'cookie',
    'body',
    'forms',
    '__proto__',
    'constructor',
    'getElementById',
  ]
    .map(
      id =>
        `## ${id}\n\n<form id="${id}" name="${id}"><input name="${id}"><img name="${id}" id="${id}"></form>\n\n<a id="${id}" name="${id}"></a>\n`,
    )
    .join('\n'),
}

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageEvaluator, pageScope } from '../../../src/content/evaluate/evaluator.ts'
import { evaluateSteps, isConditionMet } from '../../../src/content/evaluate/page.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { evaluateMarkdown } from '../../support/evaluate-markdown.ts'

const scope = pageScope(
  {
    name: 'Acme',
    version: '2.0.1',
    yes: true,
    no: false,
    n: 42,
    tag: '<b>*x*</b> | {% if yes %}',
    lines: 'a\n\n# b',
  },
  { port: 8443 },
)
const code = (expression: string) => `<code class="expression">${expression}</code>`
const all = (markdown: string) => evaluateMarkdown(markdown, scope, 'all')
const fixed = (markdown: string) => evaluateMarkdown(markdown, scope, 'deterministic-only')

const written: Record<string, [from: string, to: string]> = {
  'a text': [`Hi ${code('space.vars.name')}!`, 'Hi Acme!'],
  'a number and a boolean': [`${code('space.vars.n + 1')} ${code('!space.vars.no')}`, '43 true'],
  'nothing, a list and a record': [
    `(${code('space.vars.gone')}${code('null')}${code('[1]')}${code('({})')})`,
    '()',
  ],
  'an empty expression': [`(${code(' ')})`, '()'],
  'what is missing in what is missing': [`(${code('visitor.claims.gone.deep.deeper')})`, '()'],
  'variables of the page': [code('page.vars.port'), '8443'],
  'HTML is unescaped first': [code('space.vars.n &#x3E; 3 &#x26;&amp; &quot;y&quot;'), 'y'],
  'a backslash is JavaScript’s': [code('"a\\u0062".length'), '2'],
  'an error shows the source': [
    `a ${code('1 +')} ${code('new Date()')}`,
    'a {{1 +}} {{new Date()}}',
  ],
  'an error shows no markup': [code('<img src=x>'), '{{&lt;img src=x&gt;}}'],
  'text stays text': [code('space.vars.tag'), '&lt;b&gt;\\*x\\*&lt;/b&gt; \\| \\{% if yes %}'],
  'lines stay in their paragraph': [code('space.vars.lines'), 'a&#10;&#10;# b'],
  'a version begins a line, and is no list': [
    `${code('space.vars.version')}\n${code('"1."')} x`,
    '2.0.1\n1\\. x',
  ],
  'a number before a point': [`${code('space.vars.n')}. x`, '&#52;2. x'],
  'in a table': [`| a |\n| - |\n| ${code('"x|y"')} |\n`, '| a |\n| - |\n| x\\|y |\n'],
  'in a heading, a list and a quote': [
    `# ${code('1')}\n\n* ${code('2')}\n\n> ${code('3')}\n`,
    '# 1\n\n* 2\n\n> 3\n',
  ],
  'in HTML': [
    `<table><tr><td>${code('space.vars.tag')}</td></tr></table>\n`,
    '<table><tr><td>&lt;b&gt;*x*&lt;/b&gt; | &#123;% if yes %}</td></tr></table>\n',
  ],
  'in code lines': [
    `<pre class="language-sh"><code class="lang-sh">a &#x3C; ${code('space.vars.lines')}\n\nb\n</code></pre>\n`,
    '<pre class="language-sh"><code class="lang-sh">a &#x3C; a&#10;&#10;# b\n\nb\n</code></pre>\n',
  ],
  'other spellings of the tag': [
    `<code class='expression'>1</code><code  class=expression >2</code>`,
    '12',
  ],
  'a template literal': [code('`v\x24{space.vars.version}`'), 'v2.0.1'],
  'over two lines': [code('space.vars.n\n&& 43'), '43'],
  'a condition over two lines': ['{% if\nfalse %}x{% endif %}y', 'y'],
  'two side by side make no tag': [`${code('"{"')}${code('"% if x %}"')}`, '{\\% if x %}'],
  'nor a link': [`${code('"[a]"')}${code('"(b)"')}`, '\\[a\\]\\(b)'],
}
for (const [what, [from, to]] of Object.entries(written)) {
  test(`shown: ${what}`, () => assert.is(all(from), to))
}

const untouched: Record<string, string> = {
  'in a fence': `\`\`\`\n${code('1')}\n{% if true %}\n{% endif %}\n\`\`\`\n`,
  'in a fence of a list': `* a\n\n  ~~~\n  ${code('1')}\n  {% if false %}\n  {% endif %}\n`,
  'in indented code': `a\n\n    ${code('1')} {% if false %}{% endif %}\n`,
  'in inline code': `\`${code('1')}\` \`\`{% if false %}\`\` x {% endif %}`,
  'in a comment': `<!-- ${code('1')}\n\n{% if false %} -->\n\na <!-- ${code('1')} --> b {% endif %}`,
  'in a script': `<script>${code('1')}{% if false %}{% endif %}</script>`,
  'in an attribute': `a <b title='${code('1')}'>{% endif %}`,
  'in front matter': `---\ntitle: ${code('1')} {% if false %}{% endif %}\n---\n`,
  'in the destination of nothing': `\\${code('1')}`,
  'tags in code lines': '<pre><code>{% if false %}\n\nx {% endif %}</code></pre>\n',
  'tags in a code element': 'a <code>{% if false %}</code> <pre>{% endif %}</pre>',
  'no end': '{% if false %}\nText <code class="expression">1\n',
  'no beginning': 'Text\n{% endif %}\n{% endif %}\n',
  'other tags':
    '{% hint style="info" %}\nx\n{% endhint %}\n{% iffy %}{% else %}{% elsif false %}\n',
  'a tag over two lines in a quote': '> {% if\n> false %}x{% endif %}',
  'other code':
    '<code class="expressions">1</code><code>1</code><code data-class="expression">1</code>',
  'two lines in a quote': `> ${code('1\n> +1')}`,
}
for (const [what, text] of Object.entries(untouched)) {
  test(`left: ${what}`, () => {
    assert.is(all(text), text)
    assert.is(all(text.replaceAll('\n', '\r\n')), text.replaceAll('\n', '\r\n'))
  })
}

const blocks: Record<string, [from: string, to: string]> = {
  'kept, as exported': ['A\n\n{% if true %}\nB\n{% endif %}\n\nC\n', 'A\n\nB\n\nC\n'],
  'dropped, as exported': ['A\n\n{% if false %}\nB\n\nB\n{% endif %}\n\nC\n', 'A\n\nC\n'],
  'kept without blank lines: what is beside it stays apart': [
    'A\n{% if true %}\nB\n{% endif %}\nC\n',
    'A\n\nB\n\nC\n',
  ],
  'dropped without blank lines': ['A\n{% if false %}\nB\n{% endif %}\nC\n', 'A\n\nC\n'],
  'dropped at the beginning': ['{% if false %}\nB\n{% endif %}\n\nC\n', 'C\n'],
  'dropped behind front matter': [
    '---\na: 1\n---\n\n{% if false %}\nB\n{% endif %}\n\nC\n',
    '---\na: 1\n---\n\nC\n',
  ],
  'dropped at the end': ['A\n\n{% if false %}\nB\n{% endif %}\n', 'A\n'],
  'dropped at the end without its line end': ['A\n\n{% if false %}\nB\n{% endif %}', 'A\n'],
  'all dropped': ['{% if false %}\nB\n{% endif %}\n', ''],
  'two in a row dropped': [
    'A\n\n{% if 0 %}\nB\n{% endif %}\n\n{% if 0 %}\nB\n{% endif %}\n\nC\n',
    'A\n\nC\n',
  ],
  nested: [
    '{% if true %}\n{% if false %}\nA\n{% endif %}\n{% if true %}\nB\n{% endif %}\n{% endif %}\n',
    'B\n',
  ],
  'nested in what is dropped': [
    '{% if false %}\n{% if true %}\nA\n{% endif %}\nB\n{% endif %}\nC\n',
    'C\n',
  ],
  'on one line': ['A {% if true %}b{% endif %}{% if false %}c{% endif %} d\n', 'A b d\n'],
  'on a line of its own': ['A\n\n{% if false %}b{% endif %}\n\nC\n', 'A\n\nC\n'],
  'an empty condition is met': ['{% if %}a{% endif %}{% if   %}b{% endif %}', 'ab'],
  'a condition that fails is not': [
    '{% if 1 + %}a{% endif %}{% if visitor.x.includes(1) %}b{% endif %}.',
    '.',
  ],
  'what is missing is not there, and its contrary is': [
    '{% if visitor.claims.a.b %}a{% endif %}{% if !visitor.claims.a.b %}b{% endif %}',
    'b',
  ],
  'around blocks of others': [
    '{% if true %}\n{% hint style="info" %}\nA\n{% endhint %}\n{% endif %}\n',
    '{% hint style="info" %}\nA\n{% endhint %}\n',
  ],
  'within a hint': [
    '{% hint %}\n{% if false %}\nA\n{% endif %}\nB\n{% endhint %}\n',
    '{% hint %}\nB\n{% endhint %}\n',
  ],
  'around HTML and fences': [
    '{% if true %}\n<figure><img src="a"></figure>\n{% endif %}\n\n{% if false %}\n```\n{% endif %}\n```\n{% endif %}\n\nC\n',
    '<figure><img src="a"></figure>\n\nC\n',
  ],
  'in a list': ['* a\n\n  {% if false %}\n  b\n  {% endif %}\n\n  c\n* d\n', '* a\n\n  c\n* d\n'],
  'around an item': ['* a\n{% if false %}\n* b\n{% endif %}\n* c\n', '* a\n\n* c\n'],
  'in a quote': ['> a\n> {% if true %}\n> b\n> {% endif %}\n', '> a\n> \n> b\n> \n'],
  'the last one begun ends first': ['{% if 1 %}a {% if true %}b{% endif %}', '{% if 1 %}a b'],
  'with CRLF': [
    'A\r\n\r\n{% if 0 %}\r\nB\r\n{% endif %}\r\n\r\nC\r\n{% if 1 %}\r\nD\r\n{% endif %}\r\n',
    'A\r\n\r\nC\r\n\r\nD\r\n',
  ],
  'with expressions in it': [
    `{% if space.vars.yes %}\n${code('space.vars.n')}\n{% endif %}\n`,
    '42\n',
  ],
}
for (const [what, [from, to]] of Object.entries(blocks)) {
  test(`blocks: ${what}`, () => assert.is(all(from), to))
}

test('deterministic-only leaves expressions that depend on the visitor unchanged', () => {
  const visitor = `${code('visitor.claims.unsigned.name ?? "x"')} {% if visitor.claims.a || true %}a{% endif %}`
  assert.is(fixed(visitor), visitor)
  assert.is(
    fixed(`{% if visitor.a %}\n${code('space.vars.n')} {% if false %}b{% endif %}\n{% endif %}\n`),
    '{% if visitor.a %}\n42 \n{% endif %}\n',
  )

  assert.is(
    fixed(`${code('[1].map(visitor => visitor + 1)[0]')} ${code('"visitor"')}`),
    '2 visitor',
  )
  assert.is(fixed(`${code('1 +')} {% if 1 + %}a{% endif %}`), '{{1 +}} ')
})

test('a condition is true, false, or undecided without a visitor', () => {
  assert.is(isConditionMet('space.vars.yes', scope, 'all'), true)
  assert.is(isConditionMet('', scope, 'deterministic-only'), true)
  assert.is(isConditionMet('visitor.claims.unsigned.beta', scope, 'all'), false)
  assert.is(isConditionMet('visitor.claims.unsigned.beta', scope, 'deterministic-only'), undefined)
  assert.is(isConditionMet('x +', scope, 'deterministic-only'), false)
  assert.is(isConditionMet('1'.repeat(2000), scope, 'all'), false)
  assert.is(isConditionMet('page', pageScope({}, {}), 'all'), false)
})

test('expressions can read the claims of a visitor', () => {
  const known = pageScope({}, undefined, { plan: 'pro', unsigned: { beta: true } })
  const text = `{% if visitor.claims.unsigned.beta %}${code('visitor.claims.plan')}{% endif %}`
  assert.is(evaluateMarkdown(text, known, 'all'), 'pro')
  assert.is(evaluateMarkdown(text, scope, 'all'), '')
})

test('all expressions of a page share one set of limits', () => {
  const run = (
    markdown: string,
    steps: number,
    characters: number,
    mode: 'all' | 'deterministic-only',
  ) =>
    atOnce(evaluateSteps(markdown, scope, mode, pageEvaluator(scope, mode, { steps, characters })))
  const three = `${code('1 + 1')} ${code('2 + 2')} {% if 3 + 3 %}a{% endif %}`
  assert.is(run(three, 100, 100, 'all'), '2 4 a')
  assert.is(run(three, 14, 100, 'all'), '2 {{2 + 2}} ')
  const left = `2 ${code('2 + 2')} {% if 3 + 3 %}a{% endif %}`

  assert.is(run(three, 14, 100, 'deterministic-only'), left)

  // An expression that is evaluated once is shown as often as the limit allows.
  const again = code('"abcdef".slice(0)')

  assert.is(
    run(`${again} ${again} ${again}`, 1000, 20, 'all'),
    'abcdef abcdef {{"abcdef".slice(0)}}',
  )
})

const hostile: Record<string, string> = {
  'an expression 20,000 times': code('space.vars.name').repeat(20_000),
  '20,000 expressions': Array.from({ length: 20_000 }, (_, i) => code(`${i} + 1`)).join('\n\n'),
  'one that makes much, often': code('"0123456789".repeat(9000)').repeat(20_000),
  'no end of `{% if`': '{% if '.repeat(40_000),
  'no end of tags that begin': `${'{% if x\n'.repeat(40_000)}%}`,
  '20,000 blocks that nest': `${'{% if true %}\n'.repeat(20_000)}x\n${'{% endif %}\n'.repeat(20_000)}`,
  '20,000 blocks dropped': '{% if 0 %}\nx\n{% endif %}\n\n'.repeat(20_000),
  'code that does not end': '<code class="expression">'.repeat(20_000),
  'comments that do not end': `a </code>${'<!--'.repeat(40_000)}`,
  'backticks in growing rows': `</code>${Array.from({ length: 2000 }, (_, i) => '`'.repeat(i)).join(' ')}`,
  blanks: `${code('1')}${' '.repeat(500_000)}{% if 1 %}${' '.repeat(500_000)}{% endif %}`,
  'attributes that do not end': `</code>${'<a b="'.repeat(40_000)}`,
}
for (const [what, markdown] of Object.entries(hostile)) {
  test(`soon: ${what}`, () => {
    const used = leastCpuTime(() => assert.ok(all(markdown).length < 20_000_000), 8_000)
    assert.ok(used < 8_000, `${used} ms`)
  })
}

test('a value inside an attribute cannot start another attribute', () => {
  const scope = pageScope({ x: `a" onclick="alert(1)' z='` }, undefined)
  const link = '<a href="<code class="expression">space.vars.x</code>">x</a>'
  for (const markdown of [`See ${link}.`, `<div>\n${link}\n</div>`]) {
    const written = evaluateMarkdown(markdown, scope, 'all')
    assert.match(written, /href="a(?:&quot;|&#34;) onclick=(?:&quot;|&#34;)alert\(1\)/)
    assert.is(written.match(/["']/g)?.length, 2, written)
  }
})

test.run()

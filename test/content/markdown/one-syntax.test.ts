import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageScope } from '../../../src/content/evaluate/evaluator.ts'
import { anchorSteps, hasAnchor } from '../../../src/content/links/anchors.ts'
import { linkFactSteps } from '../../../src/content/links/facts.ts'
import { findLinks } from '../../../src/content/links/find.ts'
import { pageTree } from '../../../src/content/markup/parse.ts'
import { type MarkupElement, wordsIn } from '../../../src/content/markup/tree.ts'
import { readPageFacts } from '../../../src/content/page/facts.ts'
import { sectionSteps } from '../../../src/content/search/sections.ts'
import { encode } from '../../../src/content/text/bytes.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { evaluateMarkdown } from '../../support/evaluate-markdown.ts'

const printed = (markdown: string) => atOnce(pageTree(markdown)).root
const found = (markdown: string) => findLinks(markdown).map(({ target }) => target)
const searchText = (markdown: string) => {
  const { h1, sections } = atOnce(sectionSteps(markdown))
  return [h1, ...sections.map(({ heading, body }) => `${heading}\n${body}`)].join('\n')
}
const isAnchor = (markdown: string, fragment: string) =>
  hasAnchor(atOnce(anchorSteps(atOnce(linkFactSteps(encode(markdown))))), fragment)

/** All elements with a name, wherever they are in the tree. */
const named = (node: MarkupElement, name: string): MarkupElement[] => [
  ...(node.name === name ? [node] : []),
  ...node.nodes.flatMap(inner => (typeof inner === 'string' ? [] : named(inner, name))),
]

test('a tag with `{%-` is the same tag for printing, links and conditions', () => {
  const include = '{%- include "a.md" -%}\n'
  assert.equal(
    named(printed(include), '%include').map(({ attributes }) => attributes.src),
    ['a.md'],
  )
  assert.equal(found(include), ['a.md'])
  assert.equal(found('{%- content-ref url="b.md" %}\n[b](b.md)\n{%- endcontent-ref %}\n'), [
    'b.md',
    'b.md',
  ])
  const scope = pageScope({}, undefined)

  assert.is(evaluateMarkdown('{%- if false -%}\na\n{%- endif -%}\nb\n', scope, 'all'), 'b\n')
})

test('a tab title in single quotes has an anchor and is printed', () => {
  const tabs = "{% tabs %}\n{% tab title='Foo bar' %}\ntext\n{% endtab %}\n{% endtabs %}\n"
  assert.equal(
    named(printed(tabs), '%tab').map(({ attributes }) => attributes.title),
    ['Foo bar'],
  )
  assert.ok(isAnchor(tabs, 'foo-bar'))
  assert.match(searchText(tabs), /Foo bar/)
})

test('a percent sign in an attribute does not leak the tag into the search text', () => {
  const text = searchText('{% tab title="50% off" %}\nwords\n{% endtab %}\n')
  assert.match(text, /50% off/)
  assert.not.match(text, /tab|title|%\}/)
})

test('a tag on two lines is a tag for search, links, printing and conditions', () => {
  const page =
    '{% hint style="info"\n   icon="x" %}\nwords\n{% endhint %}\n\n{% embed\nurl="https://example.com/" %}\n'
  const text = searchText(page)
  assert.match(text, /words/)
  assert.not.match(text, /hint|icon|embed|%\}/)
  assert.equal(found(page), ['https://example.com/'])
  const tree = printed(page)

  assert.equal(
    named(tree, '%hint').map(({ attributes }) => ({ ...attributes })),
    [{ style: 'info', icon: 'x' }],
  )
  assert.is(wordsIn(named(tree, '%hint')[0]!).trim(), 'words')
  assert.is(named(tree, '%embed').length, 1)
  const scope = pageScope({ a: 1 }, undefined)
  const condition = 'x\n\n{% if space.vars.a == 1\n&& false %}\na\n{% endif %}\nb\n'

  assert.is(evaluateMarkdown(condition, scope, 'all'), 'x\n\nb\n')
})

test('named character references are resolved in titles, slugs, search, links and tags', () => {
  const page =
    '# Caf&eacute; &frac12;\n\n## Caf&eacute; &rarr; men&uacute;\n\n[a](caf&eacute;.md) <a href="na&iuml;ve.md">b</a>\n\n' +
    '{% tab title="R&eacute;sum&eacute;" %}\n{% endtab %}\n\n<details><summary>Pr&eacute;cis</summary></details>\n'
  assert.is(readPageFacts(encode(page)).h1, 'Café ½')
  const text = searchText(page)
  for (const words of ['Café ½', 'Café → menú', 'Résumé', 'Précis'])
    assert.ok(text.includes(words), `${words} is not in ${text}`)
  assert.equal(found(page), ['café.md', 'naïve.md'])
  for (const fragment of ['cafe-1-2', 'resume', 'precis'])
    assert.ok(isAnchor(page, fragment), `${fragment} is not an anchor`)
  assert.match(wordsIn(printed(page)), /Café ½/)
})

test('the anchor of a heading is the same for page titles, search and links, whatever its quotes', () => {
  for (const mark of [
    '<a href="#uno" id="uno"></a>',
    "<a id='uno' href='#uno'></a>",
    '<a name="uno"></a>',
    '<a id=uno> </a>',
  ]) {
    const page = `# One ${mark}\n\n## Two ${mark}\n`
    assert.is(readPageFacts(encode(page)).h1, 'One', mark)
    assert.equal(
      atOnce(sectionSteps(page)).sections,
      [{ heading: 'Two', anchor: 'uno', body: '' }],
      mark,
    )
    assert.ok(isAnchor(page, 'uno'), mark)
    assert.equal(found(page), [], mark)
  }
})

test.run()

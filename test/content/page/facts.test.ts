import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findHeading, newPage, replaceBody, setHeading } from '../../../src/content/page/edit.ts'
import { readPageFacts } from '../../../src/content/page/facts.ts'
import { encode } from '../../../src/content/text/bytes.ts'
import { pageHtml } from '../../support/html/write.ts'

test('a page has a heading, front matter, issues and may be empty', () => {
  const facts = readPageFacts(
    encode('\ufeff---\nhidden: true\n---\r\n\n# A **b** <a href="#x" id="x"></a>\n\n'),
  )
  assert.equal(facts, { frontMatter: { hidden: true }, h1: 'A b', empty: true, issues: [] })
  assert.equal(readPageFacts(encode('text\n# no')), { frontMatter: {}, empty: false, issues: [] })
  assert.is(readPageFacts(encode('A title\n===\nx')).h1, 'A title')
  assert.is(readPageFacts(encode('')).empty, true)
  assert.is(readPageFacts(new Uint8Array([35, 32, 255, 10])).issues.length, 1)
  const long = readPageFacts(encode(`---\nicon: x\n---\n# T\n${'x'.repeat(1100000)}`))

  assert.is(long.frontMatter.icon, 'x')
  assert.is(long.h1, undefined)
})

test('the heading after comments, scripts and styles is the title, in facts and on the page', () => {
  const title = '# The title {#t}\n\nText.\n'
  for (const [before, isTitle] of [
    ['<!-- SPDX-License-Identifier: MIT -->\n', true],
    ['<!-- a -->\n<!-- b\n\nc -->\n\n', true],
    ['<!-- a --> <!-- b -->\n\n', true],
    ['<script setup>\nimport { A } from "b"\n\nconst c = "<!--"\n</script>\n\n', true],
    ['<SCRIPT>a()</SCRIPT>\n<style scoped>\n.a {}\n</style>\n\n', true],
    ['---\ndescription: d\n---\n<!-- a -->\n\n', true],
    ['<!-- a --> Words\n\n', false],
    ['<script>a()</script> words\n\n', false],
    ['<div>words</div>\n\n', false],
    ['> <!-- a -->\n\n', false],
    ['- <!-- a -->\n\n', false],
    ['Words <!-- a -->\n\n', false],
  ] as const) {
    const markdown = before + title
    const { html } = pageHtml(markdown)

    assert.is(readPageFacts(encode(markdown)).h1, isTitle ? 'The title' : undefined, before)
    assert.is(html.includes('The title'), !isTitle, html)
    assert.is(
      setHeading(markdown, 'New'),
      isTitle ? markdown.replace('The title', 'New') : markdown,
    )
  }
})

test('a page that says that it is a draft is one, also in front matter that is broken', () => {
  for (const [markdown, isDraft] of [
    ['---\ntitle: a: b: c\n  draft: true\n---\n# A\n', true],
    ['---\ntitle: "a\ndraft: true\n---\n# A\n', true],
    ['\n  ---\n  draft: true\n  ---\n\n# A\n', true],
    ['---\ntitle: A\ndraft: yes # not yet\n\n# A\n', true],
    ['  ---\n  title: A\n\n  draft: true\n  ---\n\n# A\n', true],
    ['---\nparams:\n  draft: true\n---\n', undefined],
    ['---\n\ndraft: true\n', undefined],
    ['# A\n\n---\ndraft: true\n', undefined],
  ] as const)
    assert.is(readPageFacts(encode(markdown)).frontMatter.draft, isDraft, markdown)
})

test('a new heading replaces only the words of the old one', () => {
  const text = '---\na: 1\n---\n\n#  Old *one* <a href="#o" id="o"></a> ##\r\nx'
  assert.is(setHeading(text, 'New_1 [x] #'), text.replace('Old *one*', 'New_1 \\[x\\] \\#'))
  assert.is(setHeading(text, 'Old one'), text)
  assert.is(setHeading('## x\n', 'y'), '## x\n')
  assert.is(setHeading('Old\n---\n', 'y'), 'Old\n---\n')
  assert.is(setHeading('Old\n===\n', 'y'), 'y\n===\n')
  assert.is(findHeading(setHeading('# a\n', 'C#'))!.text, 'C#')
  assert.is(findHeading(setHeading('# a\n', 'x #'))!.text, 'x #')
  assert.is(findHeading(setHeading('#\n', 'x'))!.text, 'x')
})

test('a new body keeps the front matter and the heading', () => {
  const old = '---\r\n# c\r\nicon: x\r\n---\r\n\r\n# Title\r\n\r\nold\r\n'
  assert.is(replaceBody(old, old), old)
  assert.is(replaceBody(old, 'new\n'), old.replace('old', 'new'))
  assert.is(
    replaceBody(old, '# Other\n\nnew\n'),
    old.replace('old', 'new').replace('Title', 'Other'),
  )

  assert.is(
    replaceBody(old, '---\nicon: y\n---\nnew\n'),
    '---\r\nicon: y\r\n---\r\n\r\n# Title\r\n\r\nnew\r\n',
  )
  assert.is(replaceBody('# T\nold', 'new'), '# T\n\nnew')
  assert.is(replaceBody('text', 'new\n'), 'new\n')
})

test('a new page gets a heading and front matter', () => {
  assert.is(newPage({ title: 'A [b]', markdown: 'x\n' }), '# A \\[b\\]\n\nx\n')
  assert.is(newPage({ title: 'A', markdown: '' }), '# A\n')
  assert.is(
    newPage({ title: 'A', markdown: '# B\n', frontMatter: { icon: 'i' } }),
    '---\nicon: i\n---\n\n# B\n',
  )
  const markdown = '---\nicon: own\n---\nx\n'
  const made = newPage({ title: 'A', markdown, frontMatter: { icon: 'i', condition: 'a' } })

  assert.is(made, '---\nicon: own\nif: a\n---\n\n# A\n\nx\n')
})

test.run()

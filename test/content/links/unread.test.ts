import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { syntaxIssues } from '../../../src/content/findings/syntax.ts'
import { linkFactSteps } from '../../../src/content/links/facts.ts'
import { encode } from '../../../src/content/text/bytes.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { assertLinear } from '../../support/cpu-time.ts'

/** Returns what is not understood of a page, as `line kind name`. */
const unread = (page: string): string[] =>
  (atOnce(linkFactSteps(encode(page))).unread ?? []).map(
    ({ line, kind, name }) => `${line} ${kind} ${name}`,
  )

for (const [name, [page, found]] of Object.entries({
  'containers with other names': [
    '::: v-pre\na\n:::\n\n:::{toctree}\n:::\n\n:::note\n> :::raw\n:::\n',
    ['1 container v-pre', '5 container toctree', '9 container raw'],
  ],
  'components without a block': [
    'import X from \'./x\'\n\n<Frame>\n  a\n</Frame>\n\n<Note>b <Badge text="x"/></Note>\n\n<Frame/>\n',
    ['3 component Frame', '7 component Badge'],
  ],
  'words in angle brackets': [
    'a <account-id> <TOKEN> <BR> <path> <path d=""> <Frame>\n',
    ['1 component Frame', '1 element account-id', '1 element TOKEN', '1 element path'],
  ],
  'tags with other names': [
    'a\n{% highlight js %}\n{% endhighlight %}\n{% hint %}\n{% endhint %}\n\nThe tag {% foo %} is text.\n',
    ['2 tag highlight'],
  ],
  'shortcodes of Hugo': [
    'See {{< relref "a" >}}.\n\n{{% notice tip %}}\na\n{{% /notice %}}\n',
    ['1 shortcode relref', '3 shortcode notice'],
  ],
  'snippets of MkDocs': ['a\n\n--8<-- "b.md"\n', ['3 snippet --8<--']],
  'directives and roles of Sphinx': [
    '# T\n\n```{note}\na\n```\n\n```{python}\n1\n```\n\nSee {ref}`a` and {py:class}`b`, {ref}`c`.\n',
    ['3 directive note', '11 role ref', '11 role py:class'],
  ],
  'once each, with the first line': [
    '::: a\n\n::: a\n\n::: b\n',
    ['1 container a', '5 container b'],
  ],
  'nothing in code and comments': [
    '`<Foo>` `{{< a >}}` \\<Bar>\n\n    ::: raw\n\n```md\n<Foo>\n{% bar %}\n--8<-- "a"\n```\n\n<!-- <Foo> -->\n\n<pre>\n<Foo>\n</pre>\n',
    [],
  ],
  'nothing in other text': [
    '| a | b |\n| - | - |\n| {x} | :::: |\n\n<b>a</b> <A.b@c.org> <HTTP://a.b> 1 <B 2 {{ x }} ---\n',
    [],
  ],
} satisfies Record<string, [string, string[]]>))
  test(`what is not understood: ${name}`, () => {
    assert.equal(unread(page), found)
  })

test('an issue names the file, the line and what to write', () => {
  const { unread: found = [] } = atOnce(linkFactSteps(encode('a\n\n<Frame />\n')))
  assert.equal(atOnce(syntaxIssues([{ path: 'a.mdx', unread: found }])), [
    {
      message:
        'The component <Frame> shows only its content. Write Markdown, or a tag such as {% hint %}.',
      path: 'a.mdx',
      line: 3,
    },
  ])
})

test('at most 50 are kept of a file', () => {
  const page = Array.from({ length: 80 }, (_, at) => `<Part${at} />\n\n`).join('')
  assert.is(unread(page).length, 50)
})

test('they are found in time linear in the page', async () => {
  for (const piece of [
    ':::a ',
    '\n:::',
    '<Aa ',
    '{{<',
    '{% ',
    '{a',
    '-8<-',
    '`{a}',
    '\n> > ',
    '<Tab title="',
  ])
    await assertLinear(
      100_000,
      size => piece.repeat(size / piece.length),
      text => atOnce(linkFactSteps(encode(text))),
      piece,
    )
})

test('ends of tags that none of many open ones matches take time in proportion', () =>
  assertLinear(
    400_000,
    size => `x ${'{%if%}'.repeat(size / 16)}${'{%endtab%}'.repeat(size / 16)}`,
    text => atOnce(linkFactSteps(encode(text))),
  ))

test.run()

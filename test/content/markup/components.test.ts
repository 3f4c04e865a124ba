import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageTree } from '../../../src/content/markup/parse.ts'
import { isElement, type MarkupNode } from '../../../src/content/markup/tree.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { assertLinear } from '../../support/cpu-time.ts'

/** Returns nodes as short text: `name(attribute)[content]`. */
const short = (nodes: readonly MarkupNode[]): string =>
  nodes
    .map(node => {
      if (!isElement(node)) return node.trim()
      const { style, title, href } = node.attributes
      const said = [style, title, href].filter(each => each).join()
      return node.name === '#wrap' ? '' : `${node.name}${said && `(${said})`}[${short(node.nodes)}]`
    })
    .join('')

const shown = (markdown: string): string => short(atOnce(pageTree(`${markdown}\n`)).root.nodes)

const cards = (rows: string): string => `table[thead[tr[th[]th[]th[]]]${rows}]`

for (const [name, [markdown, tree]] of Object.entries({
  'a note': ['<Note>\n  Mind *this*\n</Note>\nAfter', '%hint(info)[p[Mindem[this]]]p[After]'],
  'a note in one line': ['<Warning>Mind **this**</Warning>', '%hint(warning)[Mindstrong[this]]'],
  'an aside with a kind and a title': [
    '<Aside type="danger" title="Stop">\nText\n</Aside>',
    '%hint(danger)[p[strong[Stop]]p[Text]]',
  ],
  'tabs with code that is indented': [
    '<Tabs>\n  <TabItem value="a" label="A">\n    ```\n    x\n    ```\n  </TabItem>\n  <TabItem value="b">\n    B\n  </TabItem>\n</Tabs>',
    '%tabs[%tab(A)[pre[x]]%tab(b)[p[B]]]',
  ],
  steps: [
    '<Steps>\n  <Step title="One">\n    - a\n  </Step>\n  <Step title="Two">B</Step>\n</Steps>',
    '%stepper[%step[p[strong[One]]ul[li[a]]]%step[p[strong[Two]]B]]',
  ],
  'an accordion': [
    '<AccordionGroup>\n  <Accordion title="Why?">\n    A\n  </Accordion>\n</AccordionGroup>',
    'div[details[summary[Why?]p[A]]]',
  ],
  'a group of code': [
    '<CodeGroup>\n\n```sh install.sh\na\n```\n\n```js\nb\n```\n\n</CodeGroup>',
    '%tabs[%tab(install.sh)[pre[a]]%tab(js)[pre[b]]]',
  ],
  'a card alone': [
    '<Card\n  title="Start"\n  icon="rocket"\n  href="/start"\n>\n  Read\n\n  more\n</Card>\nAfter',
    `${cards('tr[td[a(/start)[]]td[strong[Start]]td[p[Read]p[more]]]')}p[After]`,
  ],
  'a group of cards': [
    '<CardGroup cols={2}>\n  <Card title="A" href="/a">a **b**</Card>\n  <Card title="B">\n    c\n  </Card>\n  <Card title="C" href="/c" />\n</CardGroup>',
    cards(
      'tr[td[a(/a)[]]td[strong[A]]td[astrong[b]]]tr[td[]td[strong[B]]td[p[c]]]tr[td[a(/c)[]]td[strong[C]]td[]]',
    ),
  ],
  'a component in a list': ['- a\n\n  <Tip>\n    b\n  </Tip>', 'ul[li[p[a]%hint(success)[p[b]]]]'],
  'a paragraph that begins a component': ['<Note>a\n\nb\n</Note>', '%hint(info)[ap[b]]'],
  'a component in code': ['```\n<Note>\n```\n\n`<Note>`', 'pre[<Note>]p[code[<Note>]]'],
  'an element of another spelling': ['<note>\n\na\n\n</note>', '<note>p[a]</note>'],
  'ends without a start': ['</Card>\n\na\n\n</Tabs>', 'p[a]'],
} satisfies Record<string, [string, string]>))
  test(name, () => {
    assert.is(shown(markdown), tree)
  })

test('the title of a tab is plain text', () => {
  assert.is(shown('=== ":x: [a *b*](c.md)"\n    A'), '%tabs[%tab(:x: a b)[p[A]]]')
})

test('components are read in time linear in their number', async () => {
  for (const piece of [
    '<Note>\n',
    '<Note>\n</Note>\n',
    '<Note>\n  a\n',
    '<Card\n',
    '<Card a="\n',
    '<Card title="a">b</Card>\n',
    '- <Note>\n',
    '</Card>\n',
  ])
    await assertLinear(100_000, size => piece.repeat(size / piece.length), shown, piece)
})

test.run()

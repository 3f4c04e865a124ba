import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { addressedSteps } from '../../../src/content/links/addressed.ts'
import { resolveLink } from '../../../src/content/links/find.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { assertLinear } from '../../support/cpu-time.ts'

const known = new Map([
  ['guide/start.md', '/s/start.md'],
  ['README.md', '/s/README.md'],
  ['guide/a b.md', '/s/a-b.md'],
  ['.gitbook/assets/x.png', '/f/1/x%20y.png'],
])
const includes = new Map([
  [
    '.gitbook/includes/one.md',
    'One [start](../../guide/start.md).\n\n* item\n\n```sh\n[x](y.md)  \n```\n',
  ],
  ['.gitbook/includes/two.md', '\n{% include "one.md" %}\n'],
  ['.gitbook/includes/loop.md', 'Loop\n\n{% include "loop.md" %}\n'],
  ['.gitbook/includes/short.md', 'short | text\n'],
])

const addressed = (markdown: string, file = 'guide/page.md'): string =>
  atOnce(
    addressedSteps(markdown, file, {
      address: (from, target) => {
        const { candidates, fragment } = resolveLink(from ?? '', target)
        const found = candidates.map(path => known.get(path)).find(address => address !== undefined)
        return found && found + (fragment ? `#${fragment}` : '')
      },
      include: (from, target) => {
        const path = resolveLink(from ?? '', target).candidates.find(each => includes.has(each))
        return path === undefined ? undefined : { path, markdown: includes.get(path)! }
      },
    }),
  )

test('targets that are paths become addresses in every syntax of links', () => {
  const table: [from: string, to: string][] = [
    ['[a](start.md)', '[a](/s/start.md)'],
    ['[a](./start.md#more "Title")', '[a](/s/start.md#more "Title")'],
    ['[a](<a b.md>) [a](a%20b.md)', '[a](</s/a-b.md>) [a](/s/a-b.md)'],
    ['![i](../.gitbook/assets/x.png)', '![i](/f/1/x%20y.png)'],
    ['[![i](../.gitbook/assets/x.png)](../README.md)', '[![i](/f/1/x%20y.png)](/s/README.md)'],
    ['<a href="start.md">a</a>', '<a href="/s/start.md">a</a>'],
    ["<img src='../.gitbook/assets/x.png'>", "<img src='/f/1/x%20y.png'>"],
    ['[a][b]\n\n[b]: start.md', '[a][b]\n\n[b]: /s/start.md'],
    [
      '{% content-ref url="start.md" %}\n[start.md](start.md)\n{% endcontent-ref %}',
      '{% content-ref url="/s/start.md" %}\n[start.md](/s/start.md)\n{% endcontent-ref %}',
    ],
    ['{% file src="../.gitbook/assets/x.png" %}', '{% file src="/f/1/x%20y.png" %}'],
    ['| a |\n| - |\n| [a](start.md) |', '| a |\n| - |\n| [a](/s/start.md) |'],
  ]
  for (const [from, to] of table) assert.is(addressed(from), to)
})

test('code, addresses and anchors stay', () => {
  for (const text of [
    '```md\n[a](start.md)\n{% include "../.gitbook/includes/one.md" %}\n```',
    '`[a](start.md)`',
    '    [a](start.md)',
    '<pre>\n[a](start.md) <a href="start.md">\n</pre>',
    '[a](#here) [b](https://example.org/start.md) <https://example.org> [c](mailto:a@example.org) [d]()',
    '[a](//example.org/start.md) \\[a](start.md)',
    '{% include "../.gitbook/includes/none.md" %}',
    '{% @x/y page="3" %}',
    'Words *and* \t more\r\n\r\n* a\r\n',
  ])
    assert.is(addressed(text), text)
})

test('a link that leads nowhere becomes its words', () => {
  assert.is(
    addressed('See [the *page*](hidden.md "T") and ![alt](none.png).'),
    'See the *page* and alt.',
  )
  assert.is(addressed('[![alt](none.png)](start.md)'), '[alt](/s/start.md)')
  assert.is(addressed('[![alt](none.png)](hidden.md)'), 'alt')
  assert.is(addressed('<a href="hidden.md">a</a>'), '<a href="#">a</a>')
  assert.is(addressed('{% content-ref url="hidden.md" %}'), '{% content-ref url="#" %}')
})

test('reusable content replaces its tag', () => {
  const one = 'One [start](/s/start.md).\n\n* item\n\n```sh\n[x](y.md)  \n```'
  const include = (name: string) => `{% include "../.gitbook/includes/${name}.md" %}`
  assert.is(addressed(`A\n\n${include('one')}\n\nB\n`), `A\n\n${one}\n\nB\n`)
  assert.is(addressed(`A\n\n${include('two')}\n\nB\n`), `A\n\n${one}\n\nB\n`)
  assert.is(addressed(`A\n${include('one')}\nB\n`), `A\n\n${one}\n\nB\n`)
  assert.is(
    addressed(`* A\n\n  ${include('one')}\n`),
    '* A\n\n  One [start](/s/start.md).\n\n  * item\n\n  ```sh\n  [x](y.md)  \n  ```\n',
  )

  assert.is(
    addressed(`> - ${include('one')}\n`),
    '> - One [start](/s/start.md).\n>\n>   * item\n>\n>   ```sh\n>   [x](y.md)  \n>   ```\n',
  )
  assert.is(addressed(`| a |\n| - |\n| ${include('short')} |`), '| a |\n| - |\n| short \\| text |')
  assert.is(addressed(include('loop')), 'Loop\n\n{% include "loop.md" %}')
})

test('a text without paths as targets is the same, byte for byte', () => {
  const names = readdirSync('docs').filter(name => name.endsWith('.md'))
  assert.ok(names.length > 10)
  for (const name of names)
    for (const eol of ['\n', '\r\n']) {
      const written = readFileSync(`docs/${name}`, 'utf8').replace(/\n/g, eol)
      const plain = written.replace(/\]\(|\]:|href|src|\{%/g, '')
      assert.is(addressed(plain, name), plain, name)
    }
})

test('the work is linear in the text', () =>
  assertLinear(
    8_000,
    count =>
      '[a](start.md) [b](hidden.md)\n{% include "../.gitbook/includes/short.md" %}\n'.repeat(count),
    text => addressed(text),
  ))

test.run()

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pagesAsJson, presentPages } from '../../../src/api/content/present-page.ts'
import { readPageFacts } from '../../../src/content/page/facts.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import { apiAddresses } from '../../../src/content/tree/browser-addresses.ts'
import { buildTree } from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { atOnce } from '../../../src/lib/slices.ts'

const source = `# S

* [Home "quoted" \u{1f680}](README.md)
  * [A](a.md)
    * words
* [elsewhere](https://example.org "title")
  * [below a link](b.md)
* [a link](a.md#part)

## Group

## Other

* \`\`\`yaml
  type: openapi
  \`\`\`
  * [below a computed one](c.md)
`

const files = ['README.md', 'a.md', 'b.md', 'c.md'].map(path => ({
  path,
  oid: path as Oid,
  mode: '100644',
}))

test('pages serialized as text equal pages serialized as objects, byte for byte', () => {
  for (const text of [source, '', '## Only a group\n', `${'* [A](a.md)\n'.repeat(2000)}`]) {
    const content = buildTree({
      spaceId: 'space',
      files,
      identity: new Map(),
      config: readConfig(undefined).config,
      summary: parseSummary(text),
      facts: oid =>
        readPageFacts(Buffer.from(`---\ndescription: Of ${oid}\nicon: book\n---\n# H\n`)),
      variables: {},
    })

    const shown = {
      content,
      app: apiAddresses('http://x'),
      metadata: true,
      markdown: new Map([['a.md', '# ü\n']]),
    }
    const json = atOnce(pagesAsJson(content.pages, shown)).toString()
    assert.is(json, JSON.stringify(presentPages(content.pages, shown)))
  }
})

test.run()

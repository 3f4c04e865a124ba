import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { blocksAndLines, onlyImage, ownHeading } from '../../../src/content/markup/lines.ts'
import { pageTree, wordsTree } from '../../../src/content/markup/parse.ts'
import { imageIn, type MarkupNode } from '../../../src/content/markup/tree.ts'
import { printSteps } from '../../../src/content/print/book.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { pageHtml } from '../../support/html/write.ts'

const nameOf = (node: MarkupNode): string => (typeof node === 'string' ? node : node.name)

/** Returns the page as HTML and as Typst. Every image is found. */
function written(markdown: string): { html: string; print: string } {
  const { source } = atOnce(
    printSteps({
      title: 'A book',
      revision: 'a7a42eb',
      date: '2026-11-21',
      pages: [{ id: 'a', title: 'Page a', depth: 0, filePath: 'a.md', markdown }],
      include: () => undefined,
      link: (_from, target) => ({ url: target }),
      image: (_from, target) => ({ name: `/${target}`, width: 300 }),
      fonts: { body: ['Libertinus Serif'], mono: ['DejaVu Sans Mono'] },
    }),
  )
  return { html: pageHtml(markdown).html, print: source.slice(source.indexOf('running.update(')) }
}

test('blocks divide what is between them into lines', () => {
  const { nodes } = atOnce(pageTree('<details>a <b>b</b><p>c</p>d<hr></details>\n')).root
  const [details] = nodes
  const parts = [...blocksAndLines(typeof details === 'object' ? details.nodes : [])]
  assert.equal(
    parts.map(part => (Array.isArray(part) ? part.map(nameOf) : part.name)),
    [['a ', 'b'], 'p', ['d'], 'hr'],
  )
})

test('a page begins with its title after what shows nothing', () => {
  assert.is(ownHeading(atOnce(pageTree('\n\n# A\n\nb\n')).root)?.name, 'h1')
  assert.is(ownHeading(atOnce(pageTree('a\n\n# A\n')).root), undefined)
})

test('HTML and print agree which images are alone on a line', () => {
  const dark = '<source srcset="d.png" media="(prefers-color-scheme: dark)">'
  const lines: Record<string, boolean> = {
    '![a](a.png)': true,
    '[![a](a.png)](https://a.example)': true,
    [`<picture>${dark}<img src="a.png"></picture>`]: true,
    [`${dark}<img src="a.png">`]: true,
    '<a href="https://a.example">\n<img src="a.png">\n</a>': true,
    'a ![a](a.png)': false,
    '![a](a.png)\n![b](b.png)': false,
    '<img src="a.png" data-size="line">': false,
    [`<picture>${dark}<img src="a.png" data-size="line"></picture>`]: false,
  }

  for (const [markdown, isAlone] of Object.entries(lines)) {
    const { html, print } = written(`${markdown}\n`)
    assert.is(html.includes('<figure>'), isAlone, `${markdown}\n${html}`)
    assert.is(print.includes('picture('), isAlone, `${markdown}\n${print}`)
    const only = onlyImage(wordsTree(markdown).nodes)
    assert.is(only !== undefined, isAlone, markdown)
    if (only) assert.is(imageIn(only)?.attributes.src, 'a.png', markdown)
  }
})

test('a picture without an image has no figure', () => {
  assert.not.match(written('<picture></picture>\n').html, '<figure>')
})

test('a line ending between the links of an operation shows nothing', () => {
  const operation =
    '{% openapi src="a.yaml" path="/pets" method="get" %}\n[a](a.yaml)\n[b](b.yaml)\n{% endopenapi %}\n'
  const { html, print } = written(operation)
  assert.match(html, '<strong>GET /pets</strong>')
  assert.match(print, '"GET /pets"')
  for (const out of [html, print]) assert.not.match(out, 'b.yaml')
})

test.run()

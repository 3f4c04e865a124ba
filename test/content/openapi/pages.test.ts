import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  openapiBlockSteps,
  replaceBlocks,
  slugSteps,
  specFileSteps,
} from '../../../src/content/openapi/blocks.ts'
import { describeSpec } from '../../../src/content/openapi/describe.ts'
import type { ComputedSpec } from '../../../src/content/openapi/page.ts'
import { expandSteps, openapiEntries } from '../../../src/content/openapi/pages.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import {
  buildTree,
  type ContentTree,
  type PageNode,
  parentOf,
} from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import { findPageByOtherPath } from '../../../src/content/tree/find-page.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const entry = (spec: string, more = ''): string =>
  `* \`\`\`yaml\n  type: builtin:openapi\n  props: {models: false${more}}\n  dependencies: {spec: {ref: {kind: openapi, spec: ${spec}}}}\n  \`\`\`\n`

function treeOf(summary: string, paths: string[] = []): ContentTree {
  return buildTree({
    spaceId: 'space',
    files: paths.map(path => ({ path, oid: path as Oid, mode: '100644' })),
    identity: new Map(),
    config: readConfig(undefined).config,
    summary: parseSummary(summary),
    facts: () => undefined,
    variables: {},
  })
}

const described = (slug: string, document: unknown): ComputedSpec => ({
  specId: `id-${slug}`,
  slug,
  versionId: `version-${slug}` as Oid,
  outline: describeSpec(document).outline,
  file: `https://docs.example/${slug}`,
})

const tagged = (...tags: string[]) => ({
  paths: Object.fromEntries(tags.map((tag, at) => [`/p${at}`, { get: { tags: [tag] } }])),
})

const expand = (tree: ContentTree, ...specs: ComputedSpec[]) =>
  atOnce(expandSteps(tree, openapiEntries(tree), new Map(specs.map(spec => [spec.slug, spec]))))

const paths = (pages: readonly PageNode[]): string[] =>
  pages.flatMap(page => [page.path || `(${page.type})`, ...paths(page.pages)])

test('computed pages replace their entry and get free paths', () => {
  const tree = treeOf(
    `* [Welcome](README.md)\n${entry('a')}  * [Below](below.md)\n* [Pets](pets.md)\n\n## Group\n\n${entry('a')}`,
    ['README.md', 'pets.md', 'below.md'],
  )
  const { content, texts } = expand(tree, described('a', tagged('Pets', 'readme', 'Below')))
  assert.equal(paths(content.pages), [
    'readme',
    'tag-pets',
    'tag-readme',
    'tag-below',
    'below',
    'pets',
    'group',
    'group/pets',
    'group/readme',
    'group/below',
  ])
  assert.is(texts.size, 6)

  for (const page of content.pageById.values()) {
    assert.is(content.pageById.get(page.id), page)
    if (page.path) assert.is(content.pageByPath.get(page.path), page)
    assert.ok((parentOf(content, page)?.pages ?? content.pages).includes(page), page.path)
  }

  for (const [path, page] of tree.pageByFile) assert.is(content.pageByFile.get(path)?.id, page.id)
  assert.is(new Set([...content.pageById.keys()]).size, content.pageById.size)
  assert.is(content.pageByPath.get('')?.file?.path, 'README.md')
  assert.equal(
    expand(tree, described('a', tagged('Pets', 'readme', 'Below'))).content.pages,
    content.pages,
  )
})

test('the addresses of computed pages do not depend on their order', () => {
  const listed = (...paths: string[]) => ({
    paths: Object.fromEntries(paths.map(path => [path, { get: { summary: 'List', tags: ['T'] } }])),
  })
  const tree = treeOf(`* [Welcome](README.md)\n${entry('a', ', grouping: by-operation')}`, [
    'README.md',
  ])
  const [one, other] = [listed('/cats', '/dogs'), listed('/dogs', '/cats')].map(document =>
    expand(tree, described('a', document)),
  )
  assert.equal(paths(one!.content.pages), ['readme', 't', 't/get-cats', 't/get-dogs'])
  assert.equal(paths(other!.content.pages), ['readme', 't', 't/get-dogs', 't/get-cats'])
  assert.is(
    one!.content.pageByPath.get('t/get-cats')?.id,
    other!.content.pageByPath.get('t/get-cats')?.id,
  )
  const former = (path: string) => findPageByOtherPath(one!.content, path)?.path
  assert.equal([former('t/list'), former('t/list-1')], ['t/get-cats', 't/get-dogs'])
})

test('computed pages of two specs with equal titles have different addresses in any order', () => {
  const specs = [described('a', tagged('Pets')), described('b', tagged('Pets'))]
  const of = (...names: string[]) =>
    expand(treeOf(names.map(name => entry(name)).join('')), ...specs).content
  assert.equal(paths(of('a', 'b').pages), ['a-pets', 'b-pets'])
  assert.equal(paths(of('b', 'a').pages), ['b-pets', 'a-pets'])
  const [first, second] = paths(of('a', 'a').pages)
  assert.ok(first !== second && first?.startsWith('pets-') && second?.startsWith('pets-'))
})

test('a computed page keeps its id when other pages are added or removed', () => {
  const tree = treeOf(`* [Welcome](README.md)\n${entry('a')}`, ['README.md'])
  const idOf = (spec: ComputedSpec) => expand(tree, spec).content.pageByPath.get('b')?.id
  assert.ok(idOf(described('a', tagged('a', 'b'))))
  assert.is(idOf(described('a', tagged('a', 'b'))), idOf(described('a', tagged('b', 'c'))))
  const moved = treeOf(`${entry('a')}* [Welcome](README.md)\n`, ['README.md'])
  const after = expand(moved, described('a', tagged('b'))).content
  assert.is(after.pageByPath.get('b')?.id, idOf(described('a', tagged('b'))))
  assert.is(after.pageByPath.get('')?.path, 'readme')
})

test('pages of tags are below their parents, and cycles are broken', () => {
  const parents = [
    { name: 'a', parent: 'b', 'x-page-title': '🐈 Cats', 'x-page-icon': 'cat' },
    { name: 'b' },
    { name: 'c', parent: 'd' },
    { name: 'd', 'x-parent': 'c' },
    { name: 'e', parent: 'e' },
    { name: 'f', parent: 'nobody' },
    { name: 'empty' },
  ]
  const document = { tags: parents, ...tagged('a', 'c', 'd', 'e', 'f') }
  const { content } = expand(treeOf(entry('x')), described('x', document))
  assert.equal(paths(content.pages), ['b', 'b/cats', 'c', 'd', 'e', 'f'])
  const cats = content.pageByPath.get('b/cats')

  assert.equal([cats?.title, cats?.emoji, cats?.icon], ['Cats', '🐈', 'cat'])
})

test('an entry whose spec is missing stays, with an issue and its line', () => {
  const tree = treeOf(`* [Welcome](README.md)\n${entry('gone')}${entry('a')}`, ['README.md'])
  const { content } = expand(tree, described('a', tagged('b')))
  assert.equal(paths(content.pages), ['readme', '(computed)', 'b'])
  const [issue] = content.issues.slice(tree.issues.length)

  assert.match(issue?.message ?? '', '"gone" does not exist')
  assert.equal([issue?.path, issue?.line], ['SUMMARY.md', 2])
  assert.equal(
    openapiEntries(
      treeOf(`* [Welcome](README.md)\n* \`\`\`yaml\n  type: integration:a:b\n  \`\`\`\n`),
    ),
    [],
  )
})

test('the number of computed pages is limited', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `t${at}`)
  const tree = treeOf(entry('a').repeat(300))
  const before = cpuTime()
  const { content, texts } = expand(tree, described('a', tagged(...names)))
  assert.ok(cpuTime() - before < 20_000)
  assert.is(texts.size, 20_000)
  assert.is(content.pageById.size, 20_000 + 280)
})

const page = `---
a: '{% openapi-operation spec="front" path="/" method="get" %}'
---
# T

Words
{% openapi-operation spec="acme" path="/pets" method="GET" %}
[Acme](https://x)
{% endopenapi-operation %}
more

* item

  {% openapi-schemas spec='acme' schemas="Pet, Owner" grouped="true" %}

  body
  {% endopenapi-schemas %}

> {% openapi-webhook spec="quoted" name="a" %}

\`{% openapi-webhook spec="span" name="a" %}\` {% openapi-webhook spec="behind" name="a" %}

\`\`\`
{% openapi-webhook spec="fence" name="a" %}
\`\`\`

{% openapi-webhook spec="hook" name="new pet" method="post" %}

{% openapi src="https://example.com/a.json" path="/pets" method="get" %}
{% endopenapi %}

{% swagger src="./a.yaml" path="/" method="get" %}
`

test('blocks are found outside code and quotes, and replaced with their bodies', () => {
  const blocks = atOnce(openapiBlockSteps(page))
  assert.equal(
    blocks.map(block => {
      if ('url' in block) return [block.url, block.label]
      return ['spec' in block ? block.spec : block.file, ...block.keys]
    }),
    [
      ['acme', 'operation get /pets'],
      ['acme', 'schema Pet', 'schema Owner'],
      ['hook', 'webhook post new pet'],
      ['https://example.com/a.json', 'GET /pets'],
      ['./a.yaml', 'operation get /'],
    ],
  )
  assert.equal(atOnce(specFileSteps(page)), ['./a.yaml'])
  assert.ok(atOnce(slugSteps(page)).includes('acme'))
  const [first, second] = blocks
  const replaced = replaceBlocks(
    page,
    new Map([
      [first!, '## A\n\nx\n'],
      [second!, '## B\n\n- y\n'],
    ]),
  )

  assert.ok(replaced.includes('Words\n\n## A\n\nx\n\nmore\n'), replaced)
  assert.ok(replaced.includes('* item\n\n  ## B\n\n  - y\n\n> {%'), replaced)
  assert.is(replaceBlocks(page, new Map()), page)
})

test('finding blocks takes linear time', () => {
  const hostile = [
    '{% openapi ',
    '{% openapi-operation spec="a" path="/" method="get" %} ',
    '{% swagger x="',
    '`{% openapi %}',
    `{% openapi ${'a'.repeat(3_980)} %}\n\n`,
  ]
  const before = cpuTime()
  for (const part of hostile) {
    const text = part.repeat(Math.ceil(1_000_000 / part.length))
    atOnce(openapiBlockSteps(text))
    atOnce(slugSteps(text))
    atOnce(specFileSteps(text))
  }

  assert.ok(cpuTime() - before < 5_000)
})

test.run()

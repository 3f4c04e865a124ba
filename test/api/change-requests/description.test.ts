import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
test.after(() => app.stop())

// biome-ignore lint/suspicious/noExplicitAny: nodes of every kind
type Node = any

const text = (words = 'words', marks: Node[] = []): Node => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: words, marks }],
})
const block = (type: string, nodes: Node[], data?: object): Node => ({
  object: 'block',
  type,
  nodes,
  ...(data && { data }),
})
const empty = (object: string, type: string, data: object): Node => ({
  object,
  type,
  isVoid: true,
  data,
})
const fragment = (name: string, nodes: Node[]): Node => ({
  object: 'fragment',
  fragment: name,
  type: name,
  nodes,
})
const p = (...nodes: Node[]): Node => block('paragraph', nodes.length > 0 ? nodes : [text()])
const file = { kind: 'file', file: 'f1' }
const url = { kind: 'url', url: 'https://example.org/' }

const inlines = [
  { object: 'inline', type: 'link', data: { ref: url }, nodes: [text('a link')] },
  {
    object: 'inline',
    type: 'link',
    data: { ref: { kind: 'page', page: 'p1' } },
    nodes: [text('a page')],
  },
  empty('inline', 'emoji', { code: '1f600' }),
  empty('inline', 'icon', { icon: 'star', color: '$primary' }),
  empty('inline', 'expression', { expression: 'space.title' }),
  empty('inline', 'inline-math', { formula: 'x^2' }),
  empty('inline', 'inline-image', { ref: file, size: 'line' }),
  empty('inline', 'mention', { ref: { kind: 'user', user: 'ada' } }),
  {
    object: 'inline',
    type: 'annotation',
    isVoid: false,
    nodes: [text('noted')],
    fragments: [{ object: 'fragment', type: 'annotation-body', nodes: [p()] }],
  },
]
const marks = ['bold', 'italic', 'code', 'keyboard', 'strikethrough', 'superscript', 'subscript']

const blocks = [
  ...inlines.map(inline => p(text('before '), inline)),
  ...marks.map(type => p(text(type, [{ object: 'mark', type }]))),
  p(
    text('colour', [
      { object: 'mark', type: 'color', data: { text: 'red', background: 'default' } },
    ]),
  ),
  block('paragraph', [text()], { align: 'center' }),
  block('heading-1', [text()], {}),
  block('heading-3', [text()], { id: 'a-b.c' }),
  block('list-ordered', [block('list-item', [p()])], { start: 3 }),
  block('list-tasks', [block('list-item', [p(), block('code', [], {})], { checked: true })]),
  block('list-unordered', [
    block('list-item', [p(), block('list-unordered', [block('list-item', [p()])])]),
  ]),
  block('blockquote', [p(), block('blockquote', [p()])]),
  block('hint', [p()], { style: 'danger' }),
  block('code', [block('code-line', [text('let a')], { highlighted: true })], {
    syntax: 'ts',
    lineNumbers: true,
  }),
  { ...block('images', [], {}), isVoid: false },
  {
    ...block(
      'images',
      [
        {
          ...empty('block', 'image', {
            ref: url,
            alt: 'A picture',
            width: { unit: '%', value: 50 },
          }),
          fragments: [{ object: 'fragment', fragment: 'caption', nodes: [p()] }],
        },
      ],
      { align: 'center' },
    ),
    isVoid: false,
  },
  empty('block', 'file', { ref: file }),
  empty('block', 'embed', { url: 'https://example.org/video' }),
  empty('block', 'math', { formula: 'a+b' }),
  empty('block', 'content-ref', { ref: { kind: 'space', space: 's1' } }),
  empty('block', 'divider', {}),
  {
    ...empty('block', 'expandable', {}),
    fragments: [
      fragment('expandable-title', [p()]),
      fragment('expandable-body', [p(), block('hint', [p()], { style: 'info' })]),
    ],
  },
  block('tabs', [block('tabs-item', [p()], { title: 'One' }), block('tabs-item', [p()], {})]),
  block('stepper', [block('stepper-step', [p()], {})]),
]

const documentOf = (node: Node) => ({ object: 'document', data: {}, nodes: [node] })

// Every answer is checked against the official document: accepting too much would fail there.
for (const node of blocks) {
  const inner = node.nodes?.[1]?.type ?? node.nodes?.[0]?.leaves?.[0]?.marks?.[0]?.type
  test(`${node.type}${inner ? ` with ${inner}` : ''} is accepted and returned`, async () => {
    const description = documentOf(node)
    const { status, body } = await app.admin.post(space.path, { subject: 'Kinds', description })
    assert.is(status, 201, body?.error?.message)
    assert.equal(body.description, description)
  })
}

const refused: [why: string, node: Node, at: string][] = [
  ['a kind of its own', block('poem', [text()]), 'nodes.0.type'],
  ['a step outside a stepper', block('stepper-step', [p()], {}), 'nodes.0.type'],
  ['text without a paragraph', text(), 'nodes.0.type'],
  ['a paragraph in a paragraph', p(p()), 'nodes.0.nodes.0.type'],
  [
    'a hint in a hint',
    block('hint', [block('hint', [], {})], { style: 'info' }),
    'nodes.0.nodes.0.type',
  ],
  ['data that is not known', block('blockquote', [], { tone: 'loud' }), 'nodes.0.data'],
  ['a key that is no text', { ...p(), key: 7 }, 'nodes.0.key'],
  ['a void paragraph', { ...p(), isVoid: true }, 'nodes.0.isVoid'],
  ['a link to nowhere', p({ object: 'inline', type: 'link', data: {}, nodes: [] }), 'data.ref'],
  [
    'a block among inlines',
    p({ object: 'block', type: 'emoji', data: { code: 'a' } }),
    'nodes.0.object',
  ],
  [
    'two titles',
    {
      ...empty('block', 'expandable', {}),
      fragments: [fragment('expandable-title', [p(), p()])],
    },
    'fragments.0',
  ],
  [
    'a fragment without a name',
    { ...empty('block', 'expandable', {}), fragments: [{}] },
    'fragments.0',
  ],
]

for (const [why, node, at] of refused) {
  test(`${why} is refused with its place`, async () => {
    const { status, body } = await app.admin.post(space.path, { description: documentOf(node) })
    assert.is(status, 400)
    assert.match(body.error.message, at)
  })
}

test.run()

import { z } from 'zod'

/** The rule for one kind of node: its allowed children and the schema of its `data`. */
export type Rule = {
  object: 'block' | 'inline' | 'text'
  /** The kinds that its `nodes` may be; without it, the node has none. */
  nodes?: readonly string[]
  /** True if `isVoid: true` is required. */
  isVoid?: boolean
  /** The schema of `data`, which may be left out unless `needsData`. */
  data: z.ZodType
  needsData?: boolean
  /**
   * The kinds allowed in each of its fragments by the fragment's name, and the key that holds the
   * name.
   */
  fragments?: { key: 'fragment' | 'type'; kinds: Readonly<Record<string, readonly string[]>> }
}

const text = z.string()
const nothing = z.strictObject({}, 'takes no properties')
const align = z.enum(['start', 'center', 'end'])
const color = z.enum([
  'default',
  'green',
  'blue',
  'red',
  'orange',
  'yellow',
  'purple',
  '$primary',
  '$info',
  '$success',
  '$warning',
  '$danger',
])
const fileRef = z.looseObject({ kind: z.literal('file'), file: text })
const urlRef = z.looseObject({ kind: z.literal('url'), url: text })
const imageRef = z.discriminatedUnion('kind', [fileRef, urlRef])
const space = text.optional()
const anyRef = z.discriminatedUnion('kind', [
  fileRef,
  urlRef,
  z.looseObject({ kind: z.literal('page'), page: text, space }),
  z.looseObject({ kind: z.literal('anchor'), anchor: text, space, page: text.optional() }),
  z.looseObject({ kind: z.literal('user'), user: text }),
  z.looseObject({ kind: z.literal('collection'), collection: text }),
  z.looseObject({ kind: z.literal('space'), space: text }),
  z.looseObject({ kind: z.literal('reusable-content'), reusableContent: text, space }),
  z.looseObject({ kind: z.literal('openapi'), spec: text }),
])
const length = z.union([z.number(), z.looseObject({ unit: text, value: z.number() })])
const flag = z.boolean().optional()

const inlines = [
  'text',
  'link',
  'emoji',
  'icon',
  'expression',
  'inline-math',
  'inline-image',
  'annotation',
  'mention',
]
const lists = ['list-ordered', 'list-unordered', 'list-tasks']
const headings = ['heading-1', 'heading-2', 'heading-3']
const essentials = ['paragraph', ...headings, ...lists, 'divider']
const inParts = [
  ...essentials,
  'content-ref',
  'code',
  'embed',
  'file',
  'images',
  'hint',
  'blockquote',
  'math',
]
/** The kinds allowed at the top level of a description. */
export const topLevel = [...inParts, 'expandable', 'tabs', 'stepper']

const block = (
  nodes: readonly string[],
  data: z.ZodType = z.looseObject({}),
  needsData = false,
): Rule => ({
  object: 'block',
  nodes,
  data,
  needsData,
})
const empty = (object: 'block' | 'inline', data: Record<string, z.ZodType>): Rule => ({
  object,
  isVoid: true,
  data: z.looseObject(data),
  needsData: true,
})
const heading = block(
  inlines,
  z.looseObject({ id: text.regex(/^[-a-z0-9.+_]+$/).optional(), align: align.optional() }),
  true,
)
const picture = { ref: imageRef, refDark: imageRef.optional(), alt: text.optional() }

/**
 * The rules of all kinds of node in a description, as the official OpenAPI document describes them.
 */
export const rules: Readonly<Record<string, Rule>> = {
  paragraph: block(inlines, z.strictObject({ align: align.optional() })),
  'heading-1': heading,
  'heading-2': heading,
  'heading-3': heading,
  'list-ordered': block(['list-item'], z.looseObject({ start: z.number().optional() }), true),
  'list-unordered': block(['list-item'], nothing),
  'list-tasks': block(['list-item'], nothing),
  'list-item': block(
    [...essentials, 'code', 'hint', 'blockquote', 'math'],
    z.looseObject({ checked: flag }),
  ),
  divider: { object: 'block', isVoid: true, data: nothing, needsData: true },
  blockquote: block([...essentials, 'blockquote'], nothing),
  hint: block(
    essentials,
    z.looseObject({ style: z.enum(['info', 'warning', 'danger', 'success']) }),
    true,
  ),
  code: block(
    ['code-line'],
    z.looseObject({
      syntax: text.optional(),
      title: text.optional(),
      overflow: z.enum(['scroll', 'wrap']).optional(),
      lineNumbers: flag,
      fullWidth: flag,
      expandable: flag,
      collapsedLineCount: z.int().min(1).optional(),
    }),
    true,
  ),
  'code-line': block(
    ['text', 'annotation', 'expression'],
    z.looseObject({ highlighted: flag }),
    true,
  ),
  images: {
    ...block(
      ['image'],
      z.looseObject({
        align: z.enum(['center', 'left', 'right']).optional(),
        fullWidth: flag,
        withFrame: flag,
      }),
      true,
    ),
    isVoid: false,
  },
  image: {
    ...empty('block', { ...picture, width: length.optional(), height: length.optional() }),
    fragments: { key: 'fragment', kinds: { caption: ['paragraph'] } },
  },
  file: empty('block', { ref: fileRef }),
  embed: empty('block', { url: text, fullWidth: flag }),
  math: empty('block', { formula: text }),
  'content-ref': empty('block', { ref: anyRef }),
  expandable: {
    object: 'block',
    isVoid: true,
    data: nothing,
    needsData: true,
    fragments: {
      key: 'fragment',
      kinds: {
        'expandable-title': ['paragraph'],
        'expandable-body': [...essentials, 'images', 'code', 'hint', 'blockquote'],
      },
    },
  },
  tabs: block(['tabs-item'], z.strictObject({ fullWidth: flag })),
  'tabs-item': block(inParts, z.looseObject({ title: text.optional() }), true),
  stepper: block(['stepper-step'], nothing),
  'stepper-step': block(inParts, z.looseObject({ icon: text.optional() }), true),
  link: {
    object: 'inline',
    nodes: ['text', 'inline-image'],
    data: z.looseObject({ ref: anyRef }),
    needsData: true,
  },
  emoji: empty('inline', { code: text }),
  icon: empty('inline', { icon: text, color: color.optional() }),
  expression: empty('inline', { expression: text }),
  'inline-math': empty('inline', { formula: text }),
  'inline-image': empty('inline', {
    ...picture,
    caption: text.optional(),
    size: z.enum(['original', 'line']).optional(),
  }),
  mention: empty('inline', { ref: anyRef }),
  annotation: {
    object: 'inline',
    nodes: ['text'],
    isVoid: false,
    data: nothing,
    fragments: { key: 'type', kinds: { 'annotation-body': [...essentials, 'code'] } },
  },
}

const Mark = z.discriminatedUnion('type', [
  z.looseObject({
    object: z.literal('mark'),
    type: z.enum([
      'bold',
      'italic',
      'code',
      'keyboard',
      'strikethrough',
      'superscript',
      'subscript',
    ]),
  }),
  z.looseObject({
    object: z.literal('mark'),
    type: z.literal('color'),
    data: z.looseObject({ text: color, background: color }),
  }),
])

/** A text node with its marks. */
export const Text = z.looseObject({
  key: text.optional(),
  leaves: z.array(z.looseObject({ object: z.literal('leaf'), text, marks: z.array(Mark) })),
})

import fc from 'fast-check'

/**
 * File texts, named by what they would show as a page, as the table of contents or as reusable
 * content.
 */
export const texts = {
  words: '# Words\n\nNothing in particular.\n',
  block: '# Block\n\n{% openapi-operation spec="secret" path="/pets" method="get" %}\n',
  schemas: '# Schemas\n\n{% openapi-schemas spec="secret" schemas="Pet" %}\n',
  shown: '# Shown\n\n{% openapi-operation spec="shown" path="/pets" method="get" %}\n',
  contents:
    '* [Evil](evil.md)\n* [A](a.md)\n* ```yaml\n  type: builtin:openapi\n  props:\n    models: true\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: secret\n  ```\n',
  listing: '* [Evil](evil.md)\n* [Other](other.md)\n* [A](a.md)\n',
  include: '# Include\n\n{% include ".gitbook/includes/x.md" %}\n',
  split:
    '# Split\n\n{% openapi-operation spec="se{% if true %}{% endif %}cret" path="/pets" method="get" %}\n',
} as const
export type TextName = keyof typeof texts

/** Possible settings in `.gitbook.yaml`: the table of contents file, or the content folder. */
const settings = [
  ...['evil', 'other', 'a', 'a-main', 'a-branch', 'SUMMARY'].map(
    name => `structure:\n  summary: ${name}.md\n`,
  ),
  'root: ./sub\n',
] as const

const slugs = ['evil', 'other', 'a', 'a-main', 'a-branch'] as const
const names = Object.keys(texts) as TextName[]

const text = fc.constantFrom(...names)
const slug = fc.constantFrom(...slugs)
const setting = fc.constantFrom(...settings)
const pick = fc.nat(20)
/** The primary content (null), or one of the change requests. */
const place = fc.option(fc.nat(3))

const path = fc.constantFrom(
  ...['evil.md', 'other.md', 'a.md', 'SUMMARY.md', '.gitbook/includes/x.md', 'sub/SUMMARY.md'],
)
const files = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.tuple(path, fc.option(text)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('.gitbook.yaml'), fc.option(setting)) },
  ),
  { minLength: 1, maxLength: 4 },
)
export type Commit = [path: string, text: string | null][]

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('insert'), place, slug, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rename'), place, pick, slug }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('write'), place, pick, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), place, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revert'), place, pick, revision: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('open'), template: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('template'), place }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('update'),
      request: fc.nat(3),
      setting,
      text: fc.option(text),
      side: fc.constantFrom('ours', 'theirs'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merge'), request: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('import'),
      commits: fc.array(files, { minLength: 1, maxLength: 3 }),
      force: fc.boolean(),
      standalone: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('export') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('clash'), setting, text }) },
)

/**
 * The parameters of each kind of step. A number picks one of the existing items, modulo their
 * count.
 */
export type Details = {
  place: number | null
  pick: number
  slug: string
  text: TextName
  revision: number
  template: boolean
  request: number
  setting: string
  side: 'ours' | 'theirs'
  commits: Commit[]
  force: boolean
  standalone: boolean
}

/** Sequences of a guest's calls. */
export const sequences = fc.array(step, { minLength: 3, maxLength: 12 })

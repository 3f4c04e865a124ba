import { z } from 'zod'
import { QueryFlag } from '../../http/list.ts'
import { ChangeRequestPath, SpacePath } from '../base/paths-schema.ts'
import { PageLayout } from './layout-schema.ts'
import { WrittenMetaLinks } from './meta-link-schema.ts'

const RevisionPath = SpacePath.extend({
  revisionId: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'takes the id of a commit: 40 digits from 0 to 9 and a to f')
    .meta({ description: 'The id of a commit.' }),
})

const pageId = { pageId: z.string() }
const pagePath = {
  pagePath: z.string().max(4096).meta({
    description:
      'The path of a page in the tree, such as `guides/install`; it may contain slashes.',
  }),
}
const fileId = { fileId: z.string() }
const reusableContentId = { reusableContentId: z.string() }

const paths = <Scope extends z.ZodRawShape>(scope: z.ZodObject<Scope>) => ({
  scope,
  page: scope.extend(pageId),
  path: scope.extend(pagePath),
  file: scope.extend(fileId),
  reusableContent: scope.extend(reusableContentId),
})

/**
 * The params of the read operations on the primary content, on a change request, and on a revision.
 */
export const spacePaths = paths(SpacePath)
export const changeRequestPaths = paths(ChangeRequestPath)
export const revisionPaths = paths(RevisionPath)

/** Sentences about the content, each with the place that it is about. */
export const Issues = z.array(
  z.object({
    message: z.string().meta({ description: 'What is wrong, as a sentence.' }),
    path: z.string().optional().meta({ description: 'The file that it is in.' }),
    line: z.number().optional().meta({ description: 'The line, from 1 on.' }),
  }),
)

export const MetadataQuery = z.strictObject({
  metadata: QueryFlag.optional().meta({ description: 'false leaves `git` out. Default: true.' }),
  computed: QueryFlag.optional().meta({
    description:
      'Accepted without effect: computed content is neither a file nor reusable content.',
  }),
})

const computed = QueryFlag.optional().meta({
  description:
    'With false, a computed entry is a single entry of type `computed`. By default it is expanded to the pages of the OpenAPI spec that it names, in its latest version (in every revision); the entry stays if the organization has no such spec, or no readable one.',
})

export const TreeQuery = MetadataQuery.extend({
  computed,
  format: z
    .enum(['markdown', 'document'])
    .refine(format => format === 'markdown', 'takes markdown: pages are served as Markdown only')
    .optional()
    .meta({ description: 'With `markdown`, every page of the tree includes its text.' }),
})

export const PageQuery = TreeQuery.extend({
  format: TreeQuery.shape.format.meta({
    description: 'A page always includes its Markdown.',
  }),
  evaluated: z.enum(['true', 'false', 'deterministic-only']).optional().meta({
    description:
      'With `true`, expressions in the Markdown are replaced by their values, `{% if %}` blocks are resolved and blocks of OpenAPI specs are expanded; a page whose own condition is false is a 404. `deterministic-only` leaves everything that depends on the visitor as written. Visitors over the API have no claims. Default: `false`.',
  }),
  dereferenced: z.enum(['true', 'false', 'reusable-contents']).optional().meta({
    description:
      'With `true` or `reusable-contents`, reusable content stands in the Markdown in place of the tags that include it, up to 1 MB and six levels deep. With `evaluated`, it is evaluated, too. Default: `false`.',
  }),
  'format.markdown.refs': z.enum(['relative', 'stable']).optional().meta({
    description:
      'With `stable`, links and images in the Markdown name pages and files of the space by their ids (`/pages/ID`, `/files/ID`), which stay the same when these are moved. Writing such Markdown makes the links relative again. Default: `relative`, as in Git.',
  }),
})

export const PathQuery = PageQuery.extend({
  cachedMetadata: QueryFlag.optional().meta({
    description:
      'Accepted without effect: what Git knows of a page belongs to its revision, and is never outdated.',
  }),
})

const GitBlob = z.object({ oid: z.string(), path: z.string() }).meta({
  id: 'GitBlob',
  description: 'The file of a page in the repository.',
  sentences: {
    oid: 'The id that Git gives to the content of the file.',
    path: 'The path of the file from the root of the repository.',
  },
})

const FileRef = z.object({ kind: z.literal('file'), file: z.string() })
const UrlRef = z.object({ kind: z.literal('url'), url: z.string() })
const LinkTarget = z.discriminatedUnion('kind', [
  FileRef,
  UrlRef,
  z.object({ kind: z.literal('page'), page: z.string() }),
  z.object({ kind: z.literal('anchor'), anchor: z.string(), page: z.string().optional() }),
])

/** There are no tags; clients require the list. */
export const NoTags = z
  .array(z.never())
  .max(0)
  .meta({ description: 'Always empty: there are no tags.' })

const CoverRef = z.discriminatedUnion('kind', [FileRef, UrlRef])

export const PageCover = z
  .object({
    ref: CoverRef.optional(),
    refDark: CoverRef.optional(),
    yPos: z.number(),
    height: z.number().min(10).max(700).optional(),
  })
  .meta({
    id: 'PageCover',
    description: 'The image above a page.',
    sentences: {
      ref: 'The image; left out without one.',
      'ref.file': 'The id of the file in the space.',
      'ref.url': 'The address of the image.',
      refDark: 'The image in the dark theme. Default: `ref`.',
      'refDark.file': 'The id of the file in the space.',
      'refDark.url': 'The address of the image.',
      yPos: 'How far the image is moved, from -200 to 200; 0 shows its middle.',
      height: 'The height on pages, in pixels; left out for the usual one.',
    },
  })

export const Variables = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .meta({ id: 'Variables', description: 'Values that expressions in pages use, by name.' })

const Named = z.object({
  id: z.string(),
  title: z.string().min(1),
  linkTitle: z.string().optional(),
  emoji: z.string().optional(),
  icon: z.string().optional(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
})
const Address = { urls: z.object({ app: z.string() }), slug: z.string(), path: z.string() }

const ComputedSource = z.object({
  type: z.string(),
  props: z.record(z.string(), z.unknown()),
  dependencies: z.record(z.string(), z.unknown()),
})

const DocumentFields = Named.extend({
  ...Address,
  type: z.literal('document'),
  kind: z.literal('sheet'),
  description: z.string().optional(),
  markdown: z.string().optional(),
  git: GitBlob.optional(),
  layout: PageLayout,
  tags: NoTags,
  cover: PageCover.optional(),
  metaLinks: WrittenMetaLinks.optional(),
  variables: Variables.optional(),
  hidden: z.boolean(),
  draft: z
    .literal(true)
    .optional()
    .meta({ description: 'Set for a draft, which sites do not show to readers.' }),
  noIndex: z.boolean(),
  noRobotsIndex: z.boolean(),
  computed: ComputedSource.optional().meta({
    description: 'The source of the page, which has no file of its own.',
  }),
  computedSeed: z
    .string()
    .optional()
    .meta({ description: 'The id of the computed entry that it comes from.' }),
})
const GroupFields = Named.extend({ ...Address, type: z.literal('group'), kind: z.literal('group') })
const LinkFields = Named.extend({
  type: z.literal('link'),
  kind: z.literal('link'),
  target: LinkTarget,
  href: z.string().optional(),
})
const ComputedFields = Named.extend({ type: z.literal('computed'), computed: ComputedSource })

type ComputedPage = z.input<typeof ComputedFields> & { pages?: ChildPage[] }
export type LinkPage = z.input<typeof LinkFields> & { pages?: ChildPage[] }
export type DocumentPage = z.input<typeof DocumentFields> & { pages: ChildPage[] }
type GroupPage = z.input<typeof GroupFields> & { pages: ChildPage[] }
export type ChildPage = DocumentPage | LinkPage | ComputedPage
export type Page = ChildPage | GroupPage

// The explicit types are needed because pages contain pages, which TypeScript cannot infer.
const children = (): z.ZodType<ChildPage[], ChildPage[]> =>
  z.array(z.discriminatedUnion('type', [PageDocument, PageLink, PageComputed])) as never

const PageDocument = DocumentFields.extend({
  get pages(): z.ZodType<ChildPage[], ChildPage[]> {
    return children()
  },
}).meta({
  id: 'RevisionPageDocument',
  description: 'A page with a text.',
  sentences: {
    linkTitle: 'The name in menus, where it differs from the title.',
    icon: 'The name of its icon.',
    createdAt: 'The time at which it was added.',
    updatedAt: 'The time of its last change.',
    slug: 'The last segment of its path.',
    path: 'Its path from the top of the tree, without a slash at the start.',
    description: 'The sentence below the title; left out without one.',
    markdown: 'The text; left out in trees, unless `format=markdown` asks for it.',
    git: 'The file of the page; left out with `metadata=false` and for computed pages.',
    layout: 'Which parts of the page readers see.',
    cover: 'The image above the page; left out without one.',
    metaLinks:
      'What its front matter names for search engines; left out if it names nothing that exists.',
    variables: 'The variables that the page defines for its expressions.',
    hidden: 'Whether navigation leaves it out; its address and the search still lead to it.',
    noIndex: 'Whether the search of sites and search engines leave it out.',
    noRobotsIndex: 'Whether search engines leave it out.',
    'computed.type': 'The kind of source, such as `builtin:openapi`.',
    'computed.props': 'The settings of the source, such as the slug of a spec.',
    'computed.dependencies': 'What the source was computed from.',
    pages: 'The pages below it.',
  },
})

const PageGroup = GroupFields.extend({
  get pages(): z.ZodType<ChildPage[], ChildPage[]> {
    return children()
  },
}).meta({
  id: 'RevisionPageGroup',
  description: 'A heading of the page tree, without a text of its own.',
  sentences: {
    linkTitle: 'The name in menus, where it differs from the title.',
    icon: 'The name of its icon.',
    createdAt: 'The time at which it was added.',
    updatedAt: 'The time of its last change.',
    slug: 'The last segment of its path.',
    path: 'Its path from the top of the tree, without a slash at the start.',
    pages: 'The pages below it.',
  },
})

const PageLink = LinkFields.extend({
  get pages(): z.ZodOptional<z.ZodType<ChildPage[], ChildPage[]>> {
    return children().optional()
  },
}).meta({
  id: 'RevisionPageLink',
  description: 'An entry of the page tree that is a link.',
  sentences: {
    linkTitle: 'The name in menus, where it differs from the title.',
    icon: 'The name of its icon.',
    createdAt: 'The time at which it was added.',
    updatedAt: 'The time of its last change.',
    target: 'The page, file or address that the link leads to.',
    'target.file': 'The id of the file.',
    'target.url': 'The address.',
    'target.page': 'The id of the page.',
    'target.anchor': 'The anchor of a heading.',
    href: 'The target as an address, where it has one.',
    pages: 'The pages below it.',
  },
})

const PageComputed = ComputedFields.extend({
  get pages(): z.ZodOptional<z.ZodType<ChildPage[], ChildPage[]>> {
    return children().optional()
  },
}).meta({
  id: 'RevisionPageComputed',
  description: 'An entry of the page tree whose pages are computed, such as from an OpenAPI spec.',
  sentences: {
    linkTitle: 'The name in menus, where it differs from the title.',
    icon: 'The name of its icon.',
    createdAt: 'The time at which it was added.',
    updatedAt: 'The time of its last change.',
    computed: 'The source of its pages.',
    'computed.type': 'The kind of source, such as `builtin:openapi`.',
    'computed.props': 'The settings of the source, such as the slug of a spec.',
    'computed.dependencies': 'What the source was computed from.',
    pages: 'The pages below it.',
  },
})

export const RevisionPage: z.ZodType<Page, Page> = z
  .discriminatedUnion('type', [PageDocument, PageGroup, PageLink, PageComputed])
  .meta({
    id: 'RevisionPage',
    description: 'An entry of the page tree. `type` says what it is.',
  }) as never

export const PageList = z.object({ pages: z.array(RevisionPage) })

export const ReusableContent = z
  .object({
    id: z.string(),
    title: z.string(),
    markdown: z.string().optional(),
    git: GitBlob.optional(),
  })
  .meta({
    id: 'RevisionReusableContent',
    description: 'A text that pages include.',
    sentences: { markdown: 'The text.', git: 'Its file; left out with `metadata=false`.' },
  })

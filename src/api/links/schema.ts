import { z } from 'zod'
import { linkClasses } from '../../content/links/classify.ts'
import { listOf, PageQuery } from '../../http/list.ts'
import { ChangeRequest } from '../change-requests/schema.ts'
import { ReusableContent, RevisionPage } from '../content/schema.ts'
import { RevisionFile } from '../files/schema.ts'
import { OpenAPISpec } from '../openapi/schema.ts'
import { Organization } from '../organizations/schema.ts'
import { Space } from '../spaces/schema.ts'

const VersionContext = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('revision'),
    revision: z.looseObject({ object: z.literal('revision'), id: z.string() }).meta({
      description: 'The revision without its pages and files.',
    }),
  }),
  z.object({ type: z.literal('changeRequest'), changeRequest: ChangeRequest }),
])

const placed = { organization: Organization, space: Space, versionContext: VersionContext.optional() }

/** Where something is, or what a link leads to. */
export const ContentLocation = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), ...placed, file: RevisionFile }),
    z.object({ kind: z.literal('url'), url: z.string() }),
    z.object({
      kind: z.literal('page'),
      ...placed,
      page: z.lazy(() => RevisionPage).meta({ description: 'The page without those below it.' }),
      internalLocation: z.object({ type: z.literal('anchor'), anchor: z.string() }).optional(),
    }),
    z.object({ kind: z.literal('space'), organization: Organization, space: Space }),
    z.object({ kind: z.literal('openapi'), organization: Organization, openAPISpec: OpenAPISpec }),
    z.object({ kind: z.literal('reusable-content'), ...placed, reusableContent: ReusableContent }),
  ])
  .meta({ id: 'ContentLocation' })

export const LinkStatus = z.enum(['ok', 'broken', 'in-app'])

const Written = z
  .object({
    target: z.string().meta({ description: 'The target as it is written, its escapes resolved.' }),
    class: z.enum(linkClasses),
    path: z.string().meta({ description: 'The file that the link stands in.' }),
    line: z.int(),
    anchor: z
      .literal('missing')
      .optional()
      .meta({ description: 'The page is there, but nothing on it has the name behind the `#`.' }),
  })
  .meta({ id: 'WrittenLink' })

export const ContentReferenceUsage = z
  .object({
    status: LinkStatus.meta({
      description:
        '`broken`: what it leads to is not in the revision. `in-app`: it names a place of the service by its address.',
    }),
    relation: z.enum(['reference', 'dependsOn']).meta({
      description: '`dependsOn`: what it leads to is shown in its place.',
    }),
    targetReference: ContentLocation.optional(),
    locationReferences: z.array(ContentLocation),
    link: Written,
  })
  .meta({ id: 'ContentReferenceUsage' })

export const Links = listOf(ContentReferenceUsage).extend({
  stats: z
    .object({
      total: z.int(),
      broken: z.object({
        total: z.int(),
        changeRequest: z.int().optional().meta({
          description: 'How many of them were not broken, or not there, before the change request.',
        }),
      }),
    })
    .meta({
      id: 'ContentReferencesStats',
      description: 'Of all links that were asked about, whatever the filters say.',
    }),
})

export const Backlinks = listOf(ContentLocation)

export const StatusQuery = PageQuery.extend({
  status: LinkStatus.optional().meta({ description: 'Only links with this status; all when not said.' }),
})

export const ChangeRequestLinksQuery = StatusQuery.extend({
  brokenContext: z.enum(['change-request', 'space']).optional().meta({
    description:
      'Only broken links: those that the change request broke, or those that were broken in the space before.',
  }),
})

import { z } from 'zod'
import { linkClasses } from '../../../content/links/classify.ts'
import { listOf, PageQuery } from '../../../http/list.ts'
import { Organization } from '../../base/organizations/schema.ts'
import { OpenAPISpec } from '../../sites/openapi/schema.ts'
import { Space } from '../../spaces/schema.ts'
import { ChangeRequest } from '../change-requests/schema.ts'
import { RevisionFile } from '../files/schema.ts'
import { Issues, ReusableContent, RevisionPage } from '../schema.ts'

const VersionContext = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('revision'),
    revision: z.looseObject({ object: z.literal('revision'), id: z.string() }).meta({
      description: 'The revision without its pages and files.',
    }),
  }),
  z.object({ type: z.literal('changeRequest'), changeRequest: ChangeRequest }),
])

const placed = {
  organization: Organization,
  space: Space,
  versionContext: VersionContext.optional(),
}

/** The location of a link, or its target. */
export const ContentLocation = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), ...placed, file: RevisionFile }),
    z.object({ kind: z.literal('url'), url: z.string() }),
    z.object({
      kind: z.literal('page'),
      ...placed,
      page: z.lazy(() => RevisionPage).meta({ description: 'The page without its subpages.' }),
      internalLocation: z.object({ type: z.literal('anchor'), anchor: z.string() }).optional(),
    }),
    z.object({ kind: z.literal('space'), organization: Organization, space: Space }),
    z.object({ kind: z.literal('openapi'), organization: Organization, openAPISpec: OpenAPISpec }),
    z.object({ kind: z.literal('reusable-content'), ...placed, reusableContent: ReusableContent }),
  ])
  .meta({
    id: 'ContentLocation',
    description: 'The place of a link, or its target. `kind` says what it is.',
    sentences: {
      organization: 'The organization that owns it.',
      space: 'The space that contains it.',
      versionContext:
        'The revision or change request in which it was found; left out for the primary content.',
      'versionContext.changeRequest': 'The change request in which it was found.',
      file: 'The file that it is, or that contains it.',
      url: 'The address, as the link has it.',
      internalLocation: 'The place in the page; left out for the page as a whole.',
      'internalLocation.anchor': 'The anchor: the part after `#`.',
      openAPISpec: 'The spec, as members see it.',
      reusableContent: 'The text that pages include.',
    },
  })

const LinkStatus = z.enum(['ok', 'broken', 'in-app'])

const Written = z
  .object({
    target: z.string().meta({ description: 'The target as written, with escapes resolved.' }),
    class: z.enum(linkClasses),
    path: z.string().meta({ description: 'The file that contains the link.' }),
    line: z.int(),
    anchor: z.literal('missing').optional().meta({
      description:
        'The page exists, but has no anchor with the name after `#`; the link is broken.',
    }),
  })
  .meta({
    id: 'WrittenLink',
    description: 'A link as it is written in a file.',
    sentences: {
      class: 'The kind of target; for a broken link, the reason.',
      line: 'The line in the file, from 1 on.',
    },
  })

const ContentReferenceUsage = z
  .object({
    status: LinkStatus.meta({
      description:
        '`broken`: the target, or the anchor on it, is not in the revision. `in-app`: the link names a resource of the service, or content of one of its sites, by its URL.',
    }),
    relation: z.enum(['reference', 'dependsOn']).meta({
      description: '`dependsOn`: the target is shown in place of the link.',
    }),
    targetReference: ContentLocation.optional(),
    locationReferences: z.array(ContentLocation),
    link: Written,
  })
  .meta({
    id: 'ContentReferenceUsage',
    description: 'A link, with its place in the content and its target.',
    sentences: {
      targetReference: 'The target; left out if it does not exist.',
      locationReferences: 'The places that contain it, the page first.',
      link: 'The link as it is written.',
    },
  })

export const Links = listOf(ContentReferenceUsage).extend({
  stats: z
    .object({
      total: z.int(),
      broken: z.object({
        total: z.int(),
        changeRequest: z.int().optional().meta({
          description: 'The number of links that the change request breaks.',
        }),
      }),
    })
    .meta({
      id: 'ContentReferencesStats',
      sentences: {
        total: 'All links.',
        broken: 'The broken links.',
        'broken.total': 'All broken links.',
      },
      description: 'The numbers of all links, regardless of the filters.',
    }),
  issues: Issues.optional().meta({
    description:
      'Syntax of other tools in the content, and what to write instead: up to 200 items, only on the first page of the list. Each syntax is listed once per page of the content.',
  }),
})

export const Backlinks = listOf(ContentLocation)

const LinkFields = z.enum(['link']).optional().meta({
  description:
    'With "link", items have `status`, `relation` and `link` alone: `targetReference` is left out and `locationReferences` is empty. Default: everything.',
})

export const LinksQuery = PageQuery.extend({
  fields: LinkFields,
  status: LinkStatus.optional().meta({ description: 'Only links with this status. Default: all.' }),
})

export const ChangeRequestLinksQuery = LinksQuery.extend({
  brokenContext: z.enum(['change-request', 'space']).optional().meta({
    description:
      'Only broken links: those that the change request broke, or those that were already broken in the space.',
  }),
})

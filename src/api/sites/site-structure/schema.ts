import { z } from 'zod'
import { isWebAddress } from '../../../content/site/redirect-source.ts'
import { PageQuery, QueryFlag } from '../../../http/list.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'
import { ShareKey, SitePath } from '../schema.ts'
import { SiteExternalLink, SiteSection, SiteSectionGroup, SiteSpace } from '../structure-schema.ts'

export const SectionPath = SitePath.extend({ siteSectionId: z.string() })
export const SectionGroupPath = SitePath.extend({ siteSectionGroupId: z.string() })
export const SectionInGroupPath = SectionGroupPath.extend({ siteSectionId: z.string() })
export const ExternalLinkPath = SitePath.extend({ siteExternalLinkId: z.string() })
export const SiteSpacePath = SitePath.extend({ siteSpaceId: z.string() })

export const StructureListQuery = PageQuery.extend({ shareKey: ShareKey })

export const SiteSpacesQuery = StructureListQuery.extend({
  default: QueryFlag.optional().meta({
    description: 'Only defaults of their section or of the root, or only others.',
  }),
})

const SectionTitle = lineOfText(2, 128)
const GroupTitle = lineOfText(1, 100)

const Icon = z
  .string()
  .regex(
    /^[A-Za-z0-9:_-]{1,50}$/,
    'takes the name of an icon: 1 to 50 letters, digits, ":", "_" and "-"',
  )
  .nullable()
  .meta({ description: 'The name of an icon; null removes it.' })

const Segment = z.string().min(1).max(100).meta({
  description:
    'One segment of an address: letters, digits, ".", "_" and "-". Stored in lower case.',
})

/** A condition or description; an empty text removes it, as null does. */
const emptyToNull = (text: string | null): string | null => (text === '' ? null : text)

const Condition = z.string().max(1024).nullable().transform(emptyToNull)

const sectionCondition = Condition.optional().meta({
  description:
    'An expression over `visitor.claims`: readers see the section while it is true. `!visitor.claims.x` is true for a reader without claims. Null removes it.',
})

const siteSpaceCondition = Condition.optional().meta({
  description:
    'An expression over `visitor.claims` and `space.vars`: readers see the space while it is true. `!visitor.claims.x` is true for a reader without claims. Null removes it.',
})

const Draft = z.boolean().meta({
  description: 'true hides it, with everything in it, from readers until it is published.',
})

export const SectionBody = z.strictObject({
  spaceId: z.string().meta({ description: 'The first space of the section.' }),
  title: SectionTitle.nullable()
    .optional()
    .meta({ description: 'Default: the title of the space.' }),
  icon: Icon.optional(),
  draft: Draft.default(false),
})

export const SectionPatch = z.strictObject({
  title: SectionTitle.optional(),
  path: Segment.optional(),
  defaultSiteSpace: z
    .string()
    .optional()
    .meta({ description: 'The id of a site space in the section.' }),
  condition: sectionCondition,
  icon: Icon.optional(),
  description: lineOfText(0, 256).nullable().transform(emptyToNull).optional().meta({
    description: 'Null removes it.',
  }),
  draft: Draft.optional(),
})

export const SectionGroupBody = z.strictObject({
  title: GroupTitle,
  icon: Icon.optional(),
  sections: z
    .array(z.string())
    .max(100)
    .refine(ids => new Set(ids).size === ids.length, 'takes each section once')
    .optional()
    .meta({ description: 'The ids of sections to move into the group, in this order.' }),
  parent: z
    .string()
    .optional()
    .meta({ description: 'The id of a section group at the root. Default: the root of the site.' }),
  draft: Draft.default(false),
})

export const SectionGroupPatch = z.strictObject({
  title: GroupTitle.optional(),
  icon: Icon.optional(),
  draft: Draft.optional(),
})

export const SectionInGroupBody = z.strictObject({
  sectionId: z.string().meta({ description: 'The id of the section.' }),
})

/** An absolute address of the web without a user name and a password. */
const Url = z
  .url({ protocol: /^https?$/, normalize: true })
  .max(2048)
  .refine(isWebAddress, 'takes an http or https URL without a user name and a password')
  .meta({ description: 'The target of the link.' })

const Description = lineOfText(0, 256).nullable().transform(emptyToNull)

const linkCondition = Condition.meta({
  description:
    'An expression over `visitor.claims`: readers see the link while it is true. Null removes it.',
})

export const ExternalLinkBody = z.strictObject({
  title: SectionTitle.meta({ description: 'The words of the tab.' }),
  description: Description.default(null).meta({ description: 'What is there; null for nothing.' }),
  icon: Icon.default(null),
  url: Url,
  parent: z
    .string()
    .optional()
    .meta({ description: 'The id of a section group. Default: the root of the site.' }),
  condition: linkCondition.default(null),
  draft: Draft.default(false),
})

export const ExternalLinkPatch = z.strictObject({
  title: SectionTitle.optional(),
  description: Description.optional().meta({ description: 'Null removes it.' }),
  icon: Icon.optional(),
  url: Url.optional(),
  parent: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'The id of a section group, or null for the root of the site.' }),
  condition: linkCondition.optional(),
  draft: Draft.optional(),
})

export const SiteSpaceBody = z.strictObject({
  spaceId: z.string().meta({ description: 'The id of the space.' }),
  sectionId: z
    .string()
    .optional()
    .meta({ description: 'Default: the default section, or the root of a site without sections.' }),
  draft: Draft.default(false),
})

export const DuplicateBody = z.strictObject({ draft: Draft.default(false) })

export const SiteSpacePatch = z.strictObject({
  path: Segment.optional(),
  condition: siteSpaceCondition,
  spaceId: z.string().optional().meta({ description: 'The space that replaces the current one.' }),
  draft: Draft.optional(),
})

/** The body of a move: a position among pointers of one form, which become items. */
const moveBody = <Pointer extends z.ZodType>(pointer: Pointer) =>
  z.strictObject({
    position: z
      .strictObject({
        before: pointer.optional().meta({ description: 'The item before which it is placed.' }),
        after: pointer.optional().meta({ description: 'The item after which it is placed.' }),
      })
      .optional()
      .meta({ description: 'The position. Default: the end.' }),
  })

export const SectionMove = moveBody(
  z
    .strictObject({
      type: z.literal('site-section'),
      siteSection: z.string().meta({ description: 'The id of the section.' }),
    })
    .transform(({ type, siteSection: id }) => ({ type, id })),
)

export const SiteSpaceMove = moveBody(
  z
    .strictObject({
      type: z.literal('site-space'),
      siteSpace: z.string().meta({ description: 'The id of the site space.' }),
    })
    .transform(({ type, siteSpace: id }) => ({ type, id })),
)

export const SectionGroupMove = moveBody(
  z.strictObject({
    type: z
      .enum(['site-section', 'site-section-group', 'site-external-link'])
      .meta({ description: 'What kind of item it is.' }),
    id: z.string(),
  }),
)

const ItemPointer = z.strictObject({
  type: z
    .enum(['site-space', 'site-section', 'site-section-group', 'site-external-link'])
    .meta({ description: 'What kind of item it is.' }),
  id: z.string(),
})

export const SortBody = z.strictObject({
  item: ItemPointer.meta({ description: 'The item to move.' }),
  position: z
    .strictObject({
      before: ItemPointer.optional().meta({ description: 'The item before which it is placed.' }),
      after: ItemPointer.optional().meta({ description: 'The item after which it is placed.' }),
    })
    .meta({ description: 'The new position: before or after another item.' }),
})

export const SiteStructureItem = z
  .union([SiteSpace, SiteSection, SiteSectionGroup, SiteExternalLink])
  .meta({ id: 'SiteStructureItem', description: 'A part of a site.' })

import { z } from 'zod'
import { Space } from '../spaces/schema.ts'

const Draft = z.boolean().meta({ description: 'Whether it is hidden from readers.' })

const PublishedUrls = z.object({ published: z.string().optional() })

export const SiteSpace = z
  .object({
    object: z.literal('site-space'),
    id: z.string(),
    path: z.string(),
    title: z.string(),
    default: z.boolean(),
    section: z.string().optional(),
    space: Space,
    condition: z.string().optional(),
    hasAdvancedCustomizationFeature: z.literal(true),
    draft: Draft,
    urls: PublishedUrls,
  })
  .meta({
    id: 'SiteSpace',
    description: 'The place of a space on a site.',
    sentences: {
      path: 'Its segment in addresses.',
      title: 'The title of the space.',
      default: 'Whether its section, or a site without sections, shows it first.',
      section: 'The id of its section; left out on a site without sections.',
      space: 'The space that it shows.',
      condition:
        'An expression over visitors: only those for whom it is true see it. Readers do not get it.',
      'urls.published': 'The address for readers; left out while they cannot open it.',
    },
  })

export const SiteSection = z
  .object({
    object: z.literal('site-section'),
    id: z.string(),
    title: z.string(),
    description: z.string().optional(),
    default: z.boolean(),
    path: z.string(),
    condition: z.string().optional(),
    sectionGroup: z.string().optional(),
    siteSpaces: z.array(SiteSpace),
    icon: z.string().optional(),
    draft: Draft,
    urls: PublishedUrls,
  })
  .meta({
    id: 'SiteSection',
    description:
      'A part of a site with its own tab. Its site spaces are variants of each other, such as languages or versions.',
    sentences: {
      description: 'What it contains, in one sentence; left out without one.',
      default: 'Whether the root of the site shows it.',
      path: 'Its segment in addresses.',
      condition:
        'An expression over visitors: only those for whom it is true see it. Readers do not get it.',
      sectionGroup: 'The id of the group that contains it; left out at the root.',
      siteSpaces: 'Its spaces, in their order.',
      icon: 'The name of its icon; left out without one.',
      'urls.published': 'The address for readers; left out while they cannot open it.',
    },
  })

export const SiteExternalLink = z
  .object({
    object: z.literal('site-external-link'),
    id: z.string(),
    title: z.string(),
    description: z.string().optional(),
    icon: z.string().optional(),
    url: z.string(),
    sectionGroup: z.string().optional(),
    draft: Draft,
    condition: z.string().optional(),
  })
  .meta({
    id: 'SiteExternalLink',
    description: 'A tab among the sections of a site that links to another address.',
    sentences: {
      description: 'What is there, in one sentence; left out without one.',
      icon: 'The name of its icon; left out without one.',
      url: 'The address that the link opens.',
      sectionGroup: 'The id of the group that contains it; left out at the root.',
      condition:
        'An expression over visitors: only those for whom it is true see it. Readers do not get it.',
    },
  })

const sectionGroup = {
  object: z.literal('site-section-group'),
  id: z.string(),
  title: z.string(),
  icon: z.string().optional(),
  sectionGroup: z.string().optional(),
  sections: z.array(SiteSection).meta({ description: 'The sections among `children`.' }),
  draft: Draft,
}

/** A group at the root; it may contain groups, which contain sections and links only. */
export const SiteSectionGroup = z
  .object({
    ...sectionGroup,
    children: z.array(
      z.union([
        SiteSection,
        SiteExternalLink,
        z.object({
          ...sectionGroup,
          children: z.array(z.union([SiteSection, SiteExternalLink])),
        }),
      ]),
    ),
  })
  .meta({
    id: 'SiteSectionGroup',
    description: 'A menu of sections; a group at the root may contain other groups.',
    sentences: {
      icon: 'The name of its icon; left out without one.',
      sectionGroup: 'The id of the group that contains it; left out at the root.',
      children: 'Its sections and groups, in their order.',
      'children.icon': 'The name of its icon.',
      'children.sectionGroup': 'The id of the group that contains it.',
      'children.children': 'Its sections, in their order.',
    },
  })

export const SiteStructure = z
  .union([
    z.object({
      type: z.literal('sections'),
      structure: z.array(z.union([SiteSection, SiteSectionGroup, SiteExternalLink])),
    }),
    z.object({ type: z.literal('siteSpaces'), structure: z.array(SiteSpace) }),
  ])
  .meta({
    id: 'SiteStructure',
    description:
      'The parts of a site in their order: sections and groups, or site spaces on a site without sections.',
    sentences: { structure: 'The parts at the root.' },
  })

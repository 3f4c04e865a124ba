import type { z } from 'zod'
import { atLeast } from '../../access/roles.ts'
import { isForMembers } from '../../access/site-roles.ts'
import { publishedUrl } from '../../actions/sites/addresses.ts'
import type {
  SectionGroupView,
  SectionView,
  SiteSpaceView,
  SiteView,
  StructureView,
} from '../../actions/sites/view-site.ts'
import { iconOf } from '../../content/customization/site-icon.ts'
import { effectiveSettings } from '../../content/customization/stored.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { SiteExternalLinkRow, SiteRow } from '../../store/tables/rows.ts'
import { withPublished } from '../spaces/present.ts'
import type { Space } from '../spaces/schema.ts'
import type { Site } from './schema.ts'
import type {
  SiteExternalLink,
  SiteSection,
  SiteSectionGroup,
  SiteSpace,
  SiteStructure,
} from './structure-schema.ts'

type Resource = z.input<typeof Site>
type Section = z.input<typeof SiteSection>
type Group = z.input<typeof SiteSectionGroup>
type OnSite = z.input<typeof SiteSpace>

/** Every feature that works here. */
const features = [
  'sites-adaptive-content',
  'sites-advanced-customization',
  'sites-basic-customization',
  'sites-custom-domain',
  'sites-custom-subdirectory',
  'sites-full-text-search',
  'sites-multivariant-site',
  'sites-pdf-export',
  'sites-preview-deployments',
  'sites-public-visibility',
  'sites-redirects',
  'sites-sections',
  'sites-seo',
  'sites-share-links',
  'sites-unlisted-visibility',
  'sites-visitor-authentication',
]

const customizations = [
  'header-logo',
  'theme-preset',
  'premium-fonts',
  'custom-icons',
  'footer-logo',
  'footer-links',
  'footer-copyright',
  'semantic-colors',
]

/** The facts of a site's resource besides its row. */
type SiteFacts = {
  /** The caller's role; 'reader' for a reading token. */
  role: Role | 'reader'
  /** The number of live site spaces that the caller sees. */
  siteSpaces: number
  /** The base of `urls.location`. */
  publicUrl: string
  /** The base of the site's addresses. */
  base: string
  /** The base of the addresses at which members preview the site. */
  preview: string
  /** An active key of a share link of the site that the caller named. */
  shareKey?: string | undefined
}

/** Returns a site as a caller sees it. */
export function presentSite(row: SiteRow, facts: SiteFacts): Resource {
  const location = `${facts.publicUrl}/v1/orgs/${row.organization_id}/sites/${row.id}`
  const published = publishedUrl(facts.base, row, '', facts.shareKey)
  const type = row.type as Resource['type']

  // The defaults have no icon.
  const icon = row.customization !== null && iconOf(effectiveSettings(row.customization, null))

  return {
    object: 'site',
    id: row.id,
    type,
    title: row.title,
    ...(icon && { icon }),
    ...(row.hostname !== null && { hostname: row.hostname }),
    ...(row.withdrawn_hostname !== null && { withdrawnHostname: row.withdrawn_hostname }),
    ...(row.withdrawn_proxy_origin !== null && { withdrawnProxy: row.withdrawn_proxy_origin }),
    basename: row.basename,
    ...(row.proxy_origin !== null && {
      proxy: { origin: row.proxy_origin, target: `${facts.publicUrl}/~site/${row.id}` },
    }),
    visibility: row.visibility,
    membersOnly: isForMembers(row),
    published: row.published === 1,
    siteSpaces: facts.siteSpaces,
    createdAt: row.created_at,
    adaptiveContent: { enabled: row.adaptive === 1 },
    ads: { status: 'pending', submittable: false },
    agentsContext: row.agents_context,
    defaultLevel: row.default_level,
    timeTravel: row.time_travel,
    appliedType: type,
    features: features.map(id => ({
      id,
      plan: type,
      frozen: false,
      ...(id === 'sites-advanced-customization' && { customizations }),
    })),
    permissions: permissionsOf(facts.role),
    urls: {
      location,
      app: published ?? facts.preview,
      preview: facts.preview,
      ...(published !== undefined && { published }),
    },
  }
}

function permissionsOf(role: Role | 'reader'): Resource['permissions'] {
  const held = role === 'reader' ? null : role
  const create = atLeast(held, 'create')
  const admin = atLeast(held, 'admin')

  return {
    view: true,
    access: true,
    edit: create,
    create,
    admin,
    installIntegration: admin,
    viewAdaptiveSchema: held !== null,
    editAdaptiveSchema: create,
  }
}

/** How the parts of a site's structure are shown. */
export type StructureShown = {
  site: SiteRow
  base: string
  shareKey: string | undefined
  /** The resources of the spaces of all site spaces, by id. */
  spaces: ReadonlyMap<string, z.input<typeof Space>>
  /** False for readers, who never see conditions. */
  conditions: boolean
}

function urlsOf({ base, site, shareKey }: StructureShown, path: string): { published?: string } {
  const published = publishedUrl(base, site, path, shareKey)
  return published === undefined ? {} : { published }
}

/**
 * Returns the space of a site space: with its address on this site for readers, and for callers
 * with a share key.
 */
function spaceOf(id: string, path: string, shown: StructureShown): z.input<typeof Space> {
  const space = shown.spaces.get(id) as z.input<typeof Space>
  const isOfSite = !shown.conditions || shown.shareKey !== undefined
  return isOfSite ? withPublished(space, urlsOf(shown, path).published) : space
}

/** Returns a site space as the API shows it. */
export function presentSiteSpace(
  { row, space, isDefault, path }: SiteSpaceView,
  shown: StructureShown,
): OnSite {
  return {
    object: 'site-space',
    id: row.id,
    path: row.path,
    title: space.title,
    default: isDefault,
    ...(row.section_id !== null && { section: row.section_id }),
    space: spaceOf(space.id, path, shown),
    ...(shown.conditions && row.condition !== null && { condition: row.condition }),
    hasAdvancedCustomizationFeature: true,
    draft: row.draft === 1,
    urls: row.draft === 1 ? {} : urlsOf(shown, path),
  }
}

/** Returns a section as the API shows it, with its site spaces. */
export function presentSection(
  { row, isDefault, siteSpaces, path }: SectionView,
  shown: StructureShown,
): Section {
  return {
    object: 'site-section',
    id: row.id,
    title: row.title,
    ...(row.description !== null && { description: row.description }),
    default: isDefault,
    path: row.path,
    ...(shown.conditions && row.condition !== null && { condition: row.condition }),
    ...(row.group_id !== null && { sectionGroup: row.group_id }),
    siteSpaces: siteSpaces.map(each => presentSiteSpace(each, shown)),
    ...(row.icon !== null && { icon: row.icon }),
    draft: row.draft === 1,
    urls: row.draft === 1 ? {} : urlsOf(shown, path),
  }
}

/** Returns an external link as the API shows it. */
export const presentExternalLink = (
  row: SiteExternalLinkRow,
  { conditions }: Pick<StructureShown, 'conditions'>,
): z.input<typeof SiteExternalLink> => ({
  object: 'site-external-link',
  id: row.id,
  title: row.title,
  ...(row.description !== null && { description: row.description }),
  ...(row.icon !== null && { icon: row.icon }),
  url: row.url,
  ...(row.group_id !== null && { sectionGroup: row.group_id }),
  draft: row.draft === 1,
  ...(conditions && row.condition !== null && { condition: row.condition }),
})

function presentItem(item: StructureView, shown: StructureShown) {
  if (item.kind === 'site-section') return presentSection(item, shown)
  if (item.kind === 'site-external-link') return presentExternalLink(item.row, shown)
  return presentSectionGroup(item, shown)
}

/** Returns a section group as the API shows it, with its children. */
export function presentSectionGroup(
  { row, children }: SectionGroupView,
  shown: StructureShown,
): Group {
  const presented = children.map(child => presentItem(child, shown))
  return {
    object: 'site-section-group',
    id: row.id,
    title: row.title,
    ...(row.icon !== null && { icon: row.icon }),
    ...(row.parent_id !== null && { sectionGroup: row.parent_id }),
    // Groups are nested in one level only.
    children: presented as Group['children'],
    sections: presented.filter(child => child.object === 'site-section'),
    draft: row.draft === 1,
  }
}

/** Returns the structure of a site as the API shows it. */
export function presentStructure(
  { root }: SiteView,
  shown: StructureShown,
): z.input<typeof SiteStructure> {
  if (root.type === 'siteSpaces')
    return { type: 'siteSpaces', structure: root.items.map(each => presentSiteSpace(each, shown)) }
  return {
    type: 'sections',
    structure: root.items.map(each => presentItem(each, shown)),
  }
}

import { site } from '../../../access/guards/site.ts'
import { siteSpace } from '../../../access/guards/site-space.ts'
import { recordSiteEvent } from '../../../actions/sites/record-site-event.ts'
import {
  CustomizationOverride,
  CustomizationSettings,
} from '../../../content/customization/schema.ts'
import {
  changedNames,
  checkSize,
  effectiveSettings,
  mergeOverride,
  toStored,
} from '../../../content/customization/stored.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { removal } from '../../../http/removal.ts'
import { updateSiteSpace } from '../../../store/sites/site-spaces.ts'
import { updateSite } from '../../../store/sites/sites.ts'
import { SitePath } from '../schema.ts'
import { checkConditions } from './conditions.ts'
import { CustomizationQuery, SiteSpacePath } from './schema.ts'

export const getSiteCustomizationById = endpoint({
  operationId: 'getSiteCustomizationById',
  summary: 'Get the customization of a site',
  description: 'Returns all settings; a setting that is not set has its default.',
  params: SitePath,
  query: CustomizationQuery,
  reply: CustomizationSettings,
  access: site('read'),
  handle: ({ site: { customization } }) => effectiveSettings(customization, null),
})

export const updateSiteCustomizationById = endpoint({
  operationId: 'updateSiteCustomizationById',
  summary: 'Replace the customization of a site',
  description:
    'Replaces all settings with those of the body, which has the form of the answer of GET. Optional settings that are left out are removed. The body can have 256 KB. Requires the role "create" on the site.',
  params: SitePath,
  body: CustomizationSettings,
  reply: CustomizationSettings,
  access: site('create'),
  write: ({ ctx, site: before, body, by }) => {
    checkConditions(body)
    const customization = toStored(body)
    const settings = effectiveSettings(customization, null)
    checkSize(settings)
    const changed = changedNames(before.customization, customization)

    if (changed.length > 0) {
      updateSite(ctx.store, before.id, { customization, updated_at: ctx.now().toISOString() })
      recordSiteEvent(ctx, before, 'site.customization_updated', by, { changed })
    }

    return settings
  },
})

export const getSiteSpaceCustomizationById = endpoint({
  operationId: 'getSiteSpaceCustomizationById',
  summary: 'Get the customization of a site space',
  description:
    'Returns all settings that readers of the site space see: its overrides, and the settings of the site for all others.',
  params: SiteSpacePath,
  query: CustomizationQuery,
  reply: CustomizationSettings,
  access: siteSpace('read'),
  handle: ({ site: { customization }, siteSpace: { override } }) =>
    effectiveSettings(customization, override),
})

export const overrideSiteSpaceCustomizationById = endpoint({
  operationId: 'overrideSiteSpaceCustomizationById',
  summary: 'Override the customization of a site for a site space',
  description:
    'Overrides settings of the site for one site space. Settings that are left out stay unchanged; null removes an override. Lists and the announcement are replaced as a whole. Fonts, external images, AI, page actions, insights and advanced customization cannot be overridden. Requires the role "create" on the site.',
  params: SiteSpacePath,
  body: CustomizationOverride,
  reply: CustomizationSettings,
  access: siteSpace('create'),
  write: ({ ctx, site: row, siteSpace: before, body, by }) => {
    checkConditions(body)
    const override = mergeOverride(before.override, body)
    const settings = effectiveSettings(row.customization, override)
    checkSize(settings)
    const changed = changedNames(before.override, override)

    if (changed.length > 0) {
      updateSiteSpace(ctx.store, before.id, { override })
      recordSiteEvent(ctx, row, 'site.customization_updated', by, { siteSpace: before.id, changed })
    }

    return settings
  },
})

export const deleteSiteSpaceCustomizationById = removal({
  operationId: 'deleteSiteSpaceCustomizationById',
  summary: 'Delete the override of a site space',
  description:
    'Removes all overrides: the site space has the settings of the site again. Requires the role "create" on the site. The operation also succeeds when there are no overrides.',
  params: SiteSpacePath,
  access: siteSpace('create'),
  remove: ({ ctx, site: row, siteSpace: before, by }) => {
    if (before.override === null) return
    updateSiteSpace(ctx.store, before.id, { override: null })
    const changed = changedNames(before.override, null)
    recordSiteEvent(ctx, row, 'site.customization_updated', by, { siteSpace: before.id, changed })
  },
})

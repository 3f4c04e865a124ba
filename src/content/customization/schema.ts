import { z } from 'zod'
import { lineOfText } from '../../lib/line-of-text.ts'
import {
  Announcement,
  EditLink,
  Favicon,
  Font,
  FooterGroups,
  HeaderItems,
  MonospaceFont,
  SiteTitle,
  ThemedColor,
  ThemedUrl,
  Url,
} from './parts.ts'

const Enabled = z.strictObject({ enabled: z.boolean() })

/**
 * What an answer contains besides the settings: computed by the server, and ignored in the body of
 * a PUT.
 */
const computed = z
  .unknown()
  .optional()
  .meta({ description: 'Computed by the server; ignored in a body.' })

const sidebar = {
  background: z.enum(['default', 'filled']),
  list: z.enum(['default', 'pill', 'line']),
}

const styling = {
  theme: z.enum(['clean', 'muted', 'bold', 'gradient']),
  primaryColor: ThemedColor,
  tint: z.strictObject({ color: ThemedColor }).optional(),
  infoColor: ThemedColor,
  successColor: ThemedColor,
  warningColor: ThemedColor,
  dangerColor: ThemedColor,
  corners: z.enum(['straight', 'rounded', 'circular']),
  depth: z.enum(['subtle', 'flat']),
  links: z.enum(['default', 'accent']),
  background: z.enum(['plain', 'match']),
  icons: z.enum(['regular', 'solid', 'duotone', 'light', 'thin']),
  search: z.enum(['prominent', 'subtle']),
}

export const locales = ['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru'] as const

const internationalization = { locale: z.enum(locales) }

const header = {
  preset: z.enum(['default', 'bold', 'contrast', 'custom', 'none']),
  logo: ThemedUrl.optional(),
  backgroundColor: ThemedColor.optional(),
  linkColor: ThemedColor.optional(),
  links: HeaderItems,
}

const footer = {
  logo: ThemedUrl.optional(),
  groups: FooterGroups,
  copyright: lineOfText(0, 300).optional(),
}

const themes = {
  default: z.enum(['light', 'dark']),
  toggeable: z.boolean().meta({ description: 'Whether readers can switch the theme mode.' }),
}

const git = {
  showEditLink: z.boolean(),
  editLink: EditLink.optional().meta({
    description:
      'Where readers edit the file of a page, while `showEditLink` is true: an address with `{path}` in the place of the path of the file in the space. Default: that of the repository with which the space is synchronised.',
  }),
}
const externalLinks = { target: z.enum(['self', 'blank']) }
const optionalUrl = { url: Url.optional() }

/** All settings of a site: the body of a PUT, and the answer. */
export const CustomizationSettings = z
  .strictObject({
    title: SiteTitle.optional().meta({ description: 'Default: the title of the site.' }),
    styling: z.strictObject({
      ...styling,
      font: Font,
      monospaceFont: MonospaceFont,
      fontDelivery: z.enum(['system', 'served']).optional().meta({
        description:
          "Where the fonts of pages come from: those of the reader's system, or files of this server. Default: fonts other than the default ones are served.",
      }),
      sidebar: z.strictObject(sidebar),
      codeTheme: computed,
    }),
    internationalization: z.strictObject(internationalization),
    favicon: Favicon,
    header: z.strictObject(header),
    footer: z.strictObject(footer),
    announcement: Announcement.optional(),
    themes: z.strictObject(themes),
    pdf: Enabled,
    feedback: Enabled,
    ai: z.strictObject({ mode: z.enum(['none', 'search', 'assistant']) }),
    advancedCustomization: Enabled,
    git: z.strictObject(git),
    pageActions: z.strictObject({
      externalAI: z.boolean(),
      markdown: z.boolean(),
      mcp: z.boolean(),
      items: computed,
    }),
    externalLinks: z.strictObject(externalLinks),
    externalImages: Enabled.optional().meta({
      description:
        'Whether browsers load images of other hosts. If not, they load those of the site, and those that the settings name. Default: they do.',
    }),
    pagination: Enabled,
    trademark: Enabled,
    privacyPolicy: z.strictObject(optionalUrl),
    socialPreview: z.strictObject(optionalUrl),
    insights: z.strictObject({ trackingCookie: z.boolean() }),
    socialAccounts: computed,
  })
  .meta({ id: 'SiteCustomizationSettings' })

export type Settings = z.output<typeof CustomizationSettings>

type Overridable<S extends z.ZodRawShape> = { [K in keyof S]: z.ZodOptional<z.ZodNullable<S[K]>> }

/**
 * Returns the schema of a group in an override: each setting may be left out, and null removes its
 * override.
 */
function overridable<S extends z.ZodRawShape>(shape: S) {
  const settings = Object.entries(shape).map(([name, schema]) => [
    name,
    z.optional(z.nullable(schema as z.ZodType)),
  ])
  return z.strictObject(Object.fromEntries(settings) as Overridable<S>, { error: notOverridable })
}

const siteOnly = new Set([
  ...[
    'font',
    'monospaceFont',
    'fontDelivery',
    'externalImages',
    'codeTheme',
    'ai',
    'pageActions',
    'insights',
    'advancedCustomization',
  ],
  'socialAccounts',
])

/**
 * Returns the message for settings that a site space cannot override; undefined for other problems.
 */
function notOverridable(issue: z.core.$ZodRawIssue): string | undefined {
  const names =
    issue.code === 'unrecognized_keys' ? issue.keys.filter(key => siteOnly.has(key)) : []
  if (names.length === 0) return undefined
  const quoted = names.map(name => `"${name}"`).join(', ')
  return `has ${quoted}, which cannot be overridden; set it in the customization of the site`
}

const enabled = overridable(Enabled.shape).optional()
const url = overridable(optionalUrl).optional()

/** The settings that a site space overrides, as a change: omitted settings stay as they are. */
export const CustomizationOverride = z
  .strictObject(
    {
      title: SiteTitle.nullable().optional(),
      styling: overridable(styling)
        .extend({ sidebar: overridable(sidebar).optional() })
        .optional(),
      internationalization: overridable(internationalization).optional(),
      favicon: Favicon.nullable().optional(),
      announcement: Announcement.nullable().optional(),
      header: overridable(header).optional(),
      footer: overridable(footer).optional(),
      themes: overridable(themes).optional(),
      pdf: enabled,
      feedback: enabled,
      git: overridable(git).optional(),
      externalLinks: overridable(externalLinks).optional(),
      pagination: enabled,
      trademark: enabled,
      privacyPolicy: url,
      socialPreview: url,
    },
    { error: notOverridable },
  )
  .meta({
    id: 'SiteSpaceCustomizationOverride',
    description:
      'null removes the override of a setting; a list and an announcement are replaced as a whole.',
  })

export type OverridePatch = z.output<typeof CustomizationOverride>

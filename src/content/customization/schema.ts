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

const Enabled = z.strictObject({ enabled: z.boolean().meta({ description: 'Whether it is on.' }) })

/**
 * What an answer contains besides the settings: computed by the server, and ignored in the body of
 * a PUT.
 */
const computed = z
  .unknown()
  .optional()
  .meta({ description: 'Computed by the server; ignored in a body.' })

const sidebar = {
  background: z
    .enum(['default', 'filled'])
    .meta({ description: '`filled` gives the sidebar a background of its own.' }),
  list: z
    .enum(['default', 'pill', 'line'])
    .meta({ description: 'How the list of pages marks the current one.' }),
}

const styling = {
  theme: z.enum(['clean', 'muted', 'bold', 'gradient']).meta({
    description: 'The style of the frame around pages: of the header, sidebar and background.',
  }),
  primaryColor: ThemedColor,
  tint: z
    .strictObject({ color: ThemedColor })
    .optional()
    .meta({ description: 'A color that is mixed into the neutral colors; left out for none.' }),
  infoColor: ThemedColor,
  successColor: ThemedColor,
  warningColor: ThemedColor,
  dangerColor: ThemedColor,
  corners: z
    .enum(['straight', 'rounded', 'circular'])
    .meta({ description: 'The shape of buttons, cards and blocks.' }),
  depth: z.enum(['subtle', 'flat']).meta({ description: '`flat` draws no shadows.' }),
  links: z.enum(['default', 'accent']).meta({
    description:
      'The look of links in texts: `accent` leaves them in the text color, with an underline in the primary color.',
  }),
  background: z.enum(['plain', 'match']).meta({
    description: '`match` tints the background in the primary color. `tint` is the newer way.',
  }),
  icons: z
    .enum(['regular', 'solid', 'duotone', 'light', 'thin'])
    .meta({ description: 'The weight of icons.' }),
  search: z
    .enum(['prominent', 'subtle'])
    .meta({ description: 'The size of the search field in the header.' }),
}

export const locales = ['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru'] as const

const internationalization = {
  locale: z
    .enum(locales)
    .meta({ description: 'The language of what pages say around texts, such as "Next".' }),
}

const header = {
  preset: z.enum(['default', 'bold', 'contrast', 'custom', 'none']).meta({
    description:
      'The colors of the header; `custom` takes `backgroundColor` and `linkColor`, `none` has no header.',
  }),
  logo: ThemedUrl.optional().meta({
    description: 'The logo in place of icon and title; left out without one.',
  }),
  backgroundColor: ThemedColor.optional().meta({
    description: 'The background with the preset `custom`.',
  }),
  linkColor: ThemedColor.optional().meta({
    description: 'The color of links with the preset `custom`.',
  }),
  links: HeaderItems.meta({ description: 'The links of the header, from left to right.' }),
}

const footer = {
  logo: ThemedUrl.optional().meta({ description: 'The logo in the footer; left out without one.' }),
  groups: FooterGroups.meta({ description: 'The columns of links.' }),
  copyright: lineOfText(0, 300)
    .optional()
    .meta({ description: 'A line such as "© 2026 Acme"; left out without one.' }),
}

const themes = {
  default: z.enum(['light', 'dark']).meta({ description: 'The theme that readers see first.' }),
  toggeable: z.boolean().meta({ description: 'Whether readers can switch the theme mode.' }),
}

const git = {
  showEditLink: z
    .boolean()
    .meta({ description: 'Whether pages link to their file in the synchronised repository.' }),
  editLink: EditLink.optional().meta({
    description:
      'Where readers edit the file of a page, while `showEditLink` is true: an address with `{path}` in the place of the path of the file in the space. Default: that of the repository with which the space is synchronised.',
  }),
}
const externalLinks = {
  target: z
    .enum(['self', 'blank'])
    .meta({ description: 'Where links to other sites open: in the same tab, or in a new one.' }),
}
const optionalUrl = { url: Url.optional().meta({ description: 'The address; left out for none.' }) }

/** All settings of a site: the body of a PUT, and the answer. */
export const CustomizationSettings = z
  .strictObject({
    title: SiteTitle.optional().meta({ description: 'Default: the title of the site.' }),
    styling: z
      .strictObject({
        ...styling,
        font: Font.meta({
          description: 'The typeface of texts: one of the names, or one of your own.',
        }),
        monospaceFont: MonospaceFont.meta({
          description: 'The typeface of code: one of the names, or one of your own.',
        }),
        fontDelivery: z.enum(['system', 'served']).optional().meta({
          description:
            "Where the fonts of pages come from: those of the reader's system, or files of this server. Default: fonts other than the default ones are served.",
        }),
        sidebar: z
          .strictObject(sidebar)
          .meta({ description: 'The look of the table of contents.' }),
        codeTheme: computed,
      })
      .meta({ description: 'Colors, fonts and shapes.' }),
    internationalization: z
      .strictObject(internationalization)
      .meta({ description: 'The language of the frame.' }),
    favicon: Favicon,
    header: z.strictObject(header).meta({ description: 'What stands above all pages.' }),
    footer: z.strictObject(footer).meta({ description: 'What stands below all pages.' }),
    announcement: Announcement.optional().meta({
      description: 'The banner above all pages; left out without one.',
    }),
    themes: z.strictObject(themes).meta({ description: 'The light and the dark theme.' }),
    pdf: Enabled.meta({ description: 'PDF files of pages and of the whole space.' }),
    feedback: Enabled.meta({ description: 'The question whether a page helped.' }),
    ai: z
      .strictObject({
        mode: z.enum(['none', 'search', 'assistant']).meta({ description: 'Kept without effect.' }),
      })
      .meta({ description: 'Kept for other clients. This server uses no AI.' }),
    advancedCustomization: Enabled.meta({
      description: 'Kept for other clients: all settings are available.',
    }),
    git: z.strictObject(git).meta({ description: 'Links to the files of pages.' }),
    pageActions: z
      .strictObject({
        externalAI: z.boolean().meta({ description: 'Links to assistants on the web.' }),
        markdown: z.boolean().meta({ description: 'The page as Markdown.' }),
        mcp: z.boolean().meta({ description: 'The address of the MCP server of the site.' }),
        items: computed,
      })
      .meta({ description: 'What the menu of a page offers.' }),
    externalLinks: z.strictObject(externalLinks).meta({ description: 'Links to other sites.' }),
    externalImages: Enabled.optional().meta({
      description:
        'Whether browsers load images of other hosts. If not, they load those of the site, and those that the settings name. Default: they do.',
    }),
    pagination: Enabled.meta({ description: 'Links to the previous and next page.' }),
    trademark: Enabled.meta({ description: 'The name of this program in the footer.' }),
    privacyPolicy: z
      .strictObject(optionalUrl)
      .meta({ description: 'The privacy policy, which the footer links to.' }),
    socialPreview: z.strictObject(optionalUrl).meta({
      description:
        'The image that other services show with a link. Default: one that is made for each page.',
    }),
    insights: z
      .strictObject({
        trackingCookie: z
          .boolean()
          .meta({ description: 'Kept without effect: no cookies are set.' }),
      })
      .meta({ description: 'Kept for other clients.' }),
    socialAccounts: computed,
  })
  .meta({
    id: 'SiteCustomizationSettings',
    description: 'How a site looks and what it offers to readers.',
  })

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
      title: SiteTitle.nullable()
        .optional()
        .meta({ description: 'The title of the site while readers are in this space.' }),
      styling: overridable(styling)
        .extend({
          sidebar: overridable(sidebar)
            .optional()
            .meta({ description: 'The look of the table of contents.' }),
        })
        .optional()
        .meta({ description: 'Colors and shapes.' }),
      internationalization: overridable(internationalization)
        .optional()
        .meta({ description: 'The language of the frame.' }),
      favicon: Favicon.nullable().optional(),
      announcement: Announcement.nullable().optional(),
      header: overridable(header).optional().meta({ description: 'What stands above the pages.' }),
      footer: overridable(footer).optional().meta({ description: 'What stands below the pages.' }),
      themes: overridable(themes).optional().meta({ description: 'The light and the dark theme.' }),
      pdf: enabled.meta({ description: 'PDF files of pages and of the whole space.' }),
      feedback: enabled.meta({ description: 'The question whether a page helped.' }),
      git: overridable(git).optional().meta({ description: 'Links to the files of pages.' }),
      externalLinks: overridable(externalLinks)
        .optional()
        .meta({ description: 'Links to other sites.' }),
      pagination: enabled.meta({ description: 'Links to the previous and next page.' }),
      trademark: enabled.meta({ description: 'The name of this program in the footer.' }),
      privacyPolicy: url.meta({ description: 'The privacy policy, which the footer links to.' }),
      socialPreview: url.meta({ description: 'The image that other services show with a link.' }),
    },
    { error: notOverridable },
  )
  .meta({
    id: 'SiteSpaceCustomizationOverride',
    description:
      'null removes the override of a setting; a list and an announcement are replaced as a whole.',
  })

export type OverridePatch = z.output<typeof CustomizationOverride>

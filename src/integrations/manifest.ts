import { z } from 'zod'
import { integrationScopes } from '../access/integration-scopes.ts'
import { lineOfText, WebAddress } from '../lib/line-of-text.ts'
import { policyDirectives } from './security-policy.ts'

/** The name of an integration. */
export const IntegrationName = z
  .string()
  .max(100)
  .regex(/^[a-zA-Z0-9-_.]+$/, 'takes up to 100 letters, digits, "-", "_" and "."')
  .refine(text => text !== '.' && text !== '..', 'takes a name with a letter or digit')

export const IntegrationScope = z.enum(integrationScopes).meta({
  id: 'IntegrationScope',
  description: 'A right that an integration asks for, as `noun:verb`.',
})

export const IntegrationCategory = z.enum([
  'analytics',
  'collaboration',
  'content',
  'gitsync',
  'marketing',
  'visitor-auth',
  'other',
])

export const IntegrationTarget = z.enum(['all', 'site', 'space', 'organization'])

export const IntegrationVisibility = z.enum(['public', 'private', 'unlisted'])

/** The largest images as base64: 512 KB for icons, 2 MB for previews. */
const IconData = z.string().max(700_000)
const PreviewData = z.string().max(2_800_000)

const PartId = z.string().min(1).max(200)

const part = {
  id: PartId,
  title: lineOfText(2, 40).meta({ description: 'The name that people see.' }),
  description: z
    .string()
    .max(150)
    .optional()
    .meta({ description: 'What it does, in one sentence.' }),
  icon: IconData.optional().meta({ description: 'An image as base64, or its https address.' }),
}

const Block = z.strictObject({
  ...part,
  urlUnfurl: z
    .array(z.string().max(2048))
    .max(20)
    .optional()
    .meta({ description: 'The addresses that the block can show, as patterns.' }),
  markdown: z
    .strictObject({
      codeblock: z.string().max(200).meta({ description: 'The language of the code block.' }),
      body: z
        .string()
        .max(200)
        .meta({ description: 'The property of the block with the text of the code block.' }),
    })
    .optional()
    .meta({ description: 'How the block is written in Markdown.' }),
})

const Component = z.strictObject({
  componentId: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'The id of a component of the script.' }),
})

const ContentSource = z.strictObject({
  ...part,
  configuration: Component.meta({ description: 'The component that configures the source.' }),
})

const described = {
  title: z.string().max(30).optional().meta({ description: 'The name that people see.' }),
  description: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'What it is for, in one sentence.' }),
}

/** An http or https URL, or a path below the public endpoint of the integration. */
const Destination = z.union(
  [
    WebAddress,
    z
      .string()
      .max(2048)
      .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/),
  ],
  'takes an http or https URL, or a path that starts with one "/"',
)

const Property = z.discriminatedUnion('type', [
  z.strictObject({
    ...described,
    type: z.literal('string'),
    default: z
      .string()
      .max(10_000)
      .optional()
      .meta({ description: 'The value while nothing is set.' }),
    completion_url: Destination.optional().meta({
      description: 'Where values are looked up while typing.',
    }),
    enum: z
      .array(z.string().max(1000))
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The values to choose from.' }),
  }),
  z.strictObject({
    ...described,
    type: z.literal('number'),
    default: z.number().optional().meta({ description: 'The value while nothing is set.' }),
  }),
  z.strictObject({
    ...described,
    type: z.literal('boolean'),
    default: z.boolean().optional().meta({ description: 'The value while nothing is set.' }),
  }),
  z.strictObject({
    ...described,
    type: z.literal('button'),
    callback_url: Destination.meta({ description: 'Where the button leads.' }),
    button_text: z.string().max(200).meta({ description: 'The words on the button.' }),
  }),
])

const PropertyName = z
  .string()
  .regex(
    /^(?!__proto__$)[A-Za-z0-9_.-]{1,100}$/,
    'takes names of 1 to 100 letters, digits, "_", "-" and "."',
  )

const Properties = z
  .strictObject({
    properties: z
      .record(PropertyName, Property)
      .refine(properties => Object.keys(properties).length <= 50, 'takes up to 50 properties')
      .meta({ description: 'The fields of the form, by name, up to 50.' }),
    required: z.array(z.string()).max(50).optional().meta({
      description: 'The names of the fields without which the installation stays `pending`.',
    }),
  })
  .refine(
    ({ properties, required = [] }) => required.every(name => Object.hasOwn(properties, name)),
    {
      path: ['required'],
      error: 'names a property that is not in "properties"',
    },
  )
  .refine(({ required = [] }) => new Set(required).size === required.length, {
    path: ['required'],
    error: 'names a property twice',
  })

const Configuration = z.union([Properties, Component], 'takes either "properties" or "componentId"')

const Configurations = z.strictObject({
  account: Configuration.optional().meta({ description: 'The form for the organization.' }),
  space: Configuration.optional().meta({ description: 'The form for a space.' }),
  site: Configuration.optional().meta({ description: 'The form for a site.' }),
})

const SecurityPolicy = z.union(
  [z.string().max(20_000), z.partialRecord(z.enum(policyDirectives), z.string().max(10_000))],
  'takes a text, or an object with the directives of a Content Security Policy',
)

const isUnique = (items: readonly { id: string }[]) =>
  new Set(items.map(({ id }) => id)).size === items.length

/** The properties of a manifest, apart from scripts, secrets and the owner. */
const manifest = {
  title: lineOfText(2, 30),
  description: z.string().max(100).meta({ description: 'What it does, in one sentence.' }),
  summary: z.string().max(2048).optional().meta({ description: 'Markdown.' }),
  visibility: IntegrationVisibility.default('private').meta({
    description:
      'Who may see and install it: everyone, members of the owner, or everyone who knows its name.',
  }),
  target: IntegrationTarget.default('all').meta({ description: 'What it can be installed on.' }),
  scopes: z
    .array(IntegrationScope)
    .refine(scopes => new Set(scopes).size === scopes.length, 'names a scope twice')
    .meta({ description: 'What it asks to be allowed.' }),
  categories: z
    .array(IntegrationCategory)
    .max(7)
    .default([])
    .meta({ description: 'What it is for.' }),
  blocks: z
    .array(Block)
    .max(100)
    .refine(isUnique, 'has two items with one "id"')
    .optional()
    .meta({ description: 'The blocks that it adds to pages.' }),
  contentSources: z
    .array(ContentSource)
    .max(50)
    .refine(isUnique, 'has two items with one "id"')
    .optional()
    .meta({ description: 'The sources of pages that it adds.' }),
  configurations: Configurations.optional().meta({
    description: 'The forms in which those who install it configure it.',
  }),
  externalLinks: z
    .array(
      z.strictObject({
        url: WebAddress.meta({ description: 'The address.' }),
        label: lineOfText(1, 50).meta({ description: 'The words of the link.' }),
      }),
    )
    .max(5)
    .default([])
    .meta({ description: 'Links to more about it, such as its manual.' }),
  contentSecurityPolicy: SecurityPolicy.optional().meta({
    description: 'What scripts of the integration may load: a text, or an object of directives.',
  }),
  icon: IconData.optional().meta({
    description: 'A PNG, JPEG, GIF or WebP image as base64, at most 512 KB.',
  }),
  previewImages: z.array(PreviewData).max(3).optional().meta({
    description: 'PNG, JPEG, GIF or WebP images as base64, at most 2 MB each.',
  }),
}

/** The largest script of an integration, and the largest that pages load, in characters. */
const mostScript = 4 * 1024 * 1024
export const mostPublishedScript = 65_536

const Secrets = z
  .record(z.string().min(1).max(100), z.string().max(4096))
  .refine(secrets => Object.keys(secrets).length <= 20, 'takes up to 20 secrets')

/** The body of a publication. */
export const PublishBody = z.strictObject({
  ...manifest,
  organization: z.string().max(200).meta({
    description:
      'The id or the hostname of the organization that owns it, of which you are an admin.',
  }),
  runtime: z.enum(['v1', 'v2']).default('v1').meta({
    description:
      'The version of the runtime that the script is written for; it is kept, and the script is not run.',
  }),
  script: z.string().max(mostScript).meta({
    description:
      'The script of the integration. It is stored, never shown and never run by this server.',
  }),
  publishedScript: z.string().max(mostPublishedScript).optional().meta({
    description:
      'The script that pages of sites load, with the scope "site:script:inject". `__CONFIGURATION__` in it is replaced by the configuration of the site as JSON.',
  }),
  secrets: Secrets.optional().meta({
    description: 'Stored encrypted and never shown. Left out: the former ones stay.',
  }),
})

/** Marks the icon of a block or content source that is the name of an image. */
export const assetPrefix = 'asset:'

type Shown = Omit<
  z.output<typeof PublishBody>,
  'organization' | 'script' | 'publishedScript' | 'secrets' | 'icon' | 'previewImages'
>

/** The properties of a manifest that answers show. Icons are addresses, or names of images. */
export type StoredManifest = Pick<
  Shown,
  | 'description'
  | 'summary'
  | 'scopes'
  | 'categories'
  | 'configurations'
  | 'externalLinks'
  | 'runtime'
> & {
  blocks?: Shown['blocks']
  contentSources?: Shown['contentSources']
  contentSecurityPolicy?: string
}

/**
 * The manifest of an integration in the folder of the operator. Images and the script are names of
 * files beside it.
 */
export const FolderManifest = z.strictObject({
  ...manifest,
  name: z.string(),
  organization: z.string().max(200),
  runtime: z.enum(['v1', 'v2']).default('v1'),
  icon: z.string().max(200).optional(),
  previewImages: z.array(z.string().max(200)).max(3).optional(),
  script: z.string().max(200).optional(),
  publishedScript: z.string().max(200).optional(),
  secrets: Secrets.optional(),
  envs: z.unknown().optional(),
})

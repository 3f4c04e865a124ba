import { z } from 'zod'
import { lineOfText, WebAddress } from '../../lib/line-of-text.ts'
import { Emoji } from '../text/emoji.ts'

const Id = z.string().min(1).max(100)

export const SiteTitle = lineOfText(2, 128)

/** An http or https URL, which readers open or load: without user and password. */
export const Url = WebAddress.refine(
  url => !hasCredentials(url),
  'takes a URL without user name and password, because all readers see it',
)

/** The place of the path in an address at which files are edited: once, behind the host. */
const withPath = /^https?:\/\/[^\s/?#{}\\]+\/[^\s{}]*\{path\}[^\s{}]*$/i

/**
 * An address at which the file of a page is edited, with `{path}` in the place of its path. It is
 * kept as it was sent: a normal URL has no braces.
 */
export const EditLink = z
  .string()
  .max(2048)
  .refine(
    link => withPath.test(link) && Url.safeParse(link.replace('{path}', 'path')).success,
    'takes an http or https URL without user name and password that has {path} once, behind the host, such as https://github.com/acme/docs/edit/main/{path}',
  )

function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}

/**
 * A path on the server. Excludes "//host", which browsers read as another host, and characters that
 * they remove from addresses.
 */
const ServerPath = z
  .string()
  .regex(/^\/(?![/\\])[^\s\\]*$/)
  .max(2048)

const Target = z.union(
  [Url, ServerPath],
  'takes an http or https URL without user name and password, or a path of this server, such as "/docs"',
)

const Color = z
  .string()
  .regex(/^#(?:[0-9a-fA-F]{3}){1,2}$/, 'takes a color of 3 or 6 hex digits, such as "#346DDB"')

export const ThemedColor = z.strictObject({ light: Color, dark: Color }).meta({
  id: 'CustomizationThemedColor',
  sentences: { light: 'The color in the light theme.', dark: 'The color in the dark theme.' },
  description: 'A color for each theme mode.',
})

export const ThemedUrl = z.strictObject({ light: Url, dark: Url }).meta({
  id: 'CustomizationThemedURL',
  sentences: { light: 'The image in the light theme.', dark: 'The image in the dark theme.' },
  description: 'The URL of an image for each theme mode.',
})

const FontFace = z.strictObject({
  weight: z.int().min(1).max(1000),
  sources: z
    .array(
      z.strictObject({
        url: Url.refine(url => url.startsWith('https:'), 'takes a URL that begins with https://'),
        format: z.enum(['woff2', 'woff']).optional(),
      }),
    )
    .min(1)
    .max(10),
})

const FontDefinition = z
  .strictObject({
    id: Id,
    custom: z.boolean(),
    fontFamily: lineOfText(1, 50),
    fontFaces: z.array(FontFace).min(1).max(20),
  })
  .meta({
    id: 'CustomizationFontDefinition',
    description: 'A typeface of your own. Readers who have it on their system see it.',
    sentences: {
      id: 'A name of yours for it.',
      custom: 'true; other clients use false for their own fonts.',
      fontFamily: 'The name of the typeface in style sheets.',
      fontFaces: 'Its weights.',
      'fontFaces.weight': 'The weight, such as 400 for regular and 700 for bold.',
      'fontFaces.sources': 'The files of this weight; browsers take the first that they support.',
      'fontFaces.sources.url': 'The https address of the file.',
      'fontFaces.sources.format': 'The format of the file.',
    },
  })

const fonts = [
  ...['ABCFavorit', 'Inter', 'Roboto', 'RobotoSlab', 'OpenSans', 'SourceSansPro', 'Lato', 'Ubuntu'],
  ...['Raleway', 'Merriweather', 'Overpass', 'NotoSans', 'IBMPlexSerif', 'Poppins', 'FiraSans'],
] as const

const monospaceFonts = [
  ...[
    'FiraCode',
    'IBMPlexMono',
    'JetBrainsMono',
    'SourceCodePro',
    'RobotoMono',
    'SpaceMono',
    'DMMono',
  ],
  'Inconsolata',
] as const

export const Font = z.union([z.enum(fonts), FontDefinition])
export const MonospaceFont = z.union([z.enum(monospaceFonts), FontDefinition])

export const Favicon = z
  .strictObject({ icon: ThemedUrl.optional(), emoji: Emoji.min(1).optional() })
  .refine(
    ({ icon, emoji }) => icon === undefined || emoji === undefined,
    'takes "icon" or "emoji", not both; {} is no favicon',
  )
  .meta({ description: 'An image, an emoji, or `{}` for none.' })

const inSpace = {
  space: Id.optional().meta({ description: 'Default: the space that the reader is in.' }),
}

export const ContentRef = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('page'), page: Id, ...inSpace }),
      z.strictObject({
        kind: z.literal('anchor'),
        anchor: lineOfText(1, 200),
        page: Id.optional(),
        ...inSpace,
      }),
      z.strictObject({ kind: z.literal('file'), file: Id }),
      z.strictObject({ kind: z.literal('space'), space: Id }),
      z.strictObject({
        kind: z.literal('url'),
        url: Target.meta({ description: 'A URL, or a path of this server, such as `/docs`.' }),
      }),
    ],
    'takes a link target of the kind "page", "anchor", "file", "space" or "url"',
  )
  .meta({
    id: 'CustomizationContentRef',
    sentences: {
      page: 'The id of the page.',
      anchor: 'The anchor of a heading.',
      file: 'The id of the file.',
      space: 'The id of the space.',
    },
    description:
      'The target of a link. It is not required to exist; readers do not get links to what is hidden from them.',
  })

export const ContentLink = z.strictObject({ title: lineOfText(0, 64), to: ContentRef }).meta({
  id: 'CustomizationContentLink',
  description: 'A link in a menu or in the footer.',
  sentences: { title: 'The words of the link.', to: 'Where it leads.' },
})

const Links = z.array(ContentLink).max(50)

const HeaderItem = z
  .strictObject({
    title: lineOfText(0, 128),
    style: z.enum(['link', 'button-primary', 'button-secondary']).optional(),
    to: ContentRef.nullable().meta({ description: 'null for a menu without a target of its own.' }),
    links: Links.meta({ description: 'The menu below the link.' }),
    condition: z.string().max(1024).optional().meta({
      description:
        'An expression over `visitor`, such as `visitor.claims.beta`: the link is shown if it is true. Readers do not get the expression.',
    }),
  })
  .meta({
    id: 'CustomizationHeaderItem',
    description: 'An entry in the header, with a menu or without.',
    sentences: {
      title: 'The words of the entry.',
      style: 'The style of the entry. Default: `link`.',
    },
  })

export const HeaderItems = z.array(HeaderItem).max(50)

const FooterGroup = z.strictObject({ title: lineOfText(0, 128), links: Links }).meta({
  id: 'CustomizationFooterGroup',
  description: 'A column of links in the footer.',
  sentences: { title: 'The heading of the column.', links: 'The links, from top to bottom.' },
})

export const FooterGroups = z.array(FooterGroup).max(20)

export const Announcement = z
  .strictObject({
    enabled: z.boolean(),
    message: lineOfText(2, 128),
    link: ContentLink.optional(),
    style: z.enum(['info', 'warning', 'danger', 'success']),
  })
  .meta({
    id: 'CustomizationAnnouncement',
    description: 'A banner above all pages.',
    sentences: {
      enabled: 'Whether readers see it.',
      message: 'The message, as plain text.',
      link: 'Where it leads; left out for a banner without a link.',
      style: 'The style, which decides on the color.',
    },
  })

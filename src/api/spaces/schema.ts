import { z } from 'zod'
import { Emoji } from '../../content/text/emoji.ts'
import { lineOfText, WebAddress } from '../../lib/line-of-text.ts'
import { MergeRules } from '../base/merge-rules-schema.ts'
import { Level } from '../base/organizations/schema.ts'
import { GitSyncState } from './git/schema.ts'
import { TemplateChoice } from './templates/schema.ts'

export const SpaceQuery = z.strictObject({
  shareKey: z.string().max(200).optional().meta({
    description:
      'The key of a share link. If it is active, `urls.published` is the address that it opens.',
  }),
})

export const languages = [
  ...[
    'en',
    'fr',
    'de',
    'es',
    'it',
    'pt',
    'pt-br',
    'ru',
    'ja',
    'zh',
    'yue',
    'ko',
    'ar',
    'hi',
    'nl',
    'pl',
  ],
  ...[
    'tr',
    'sv',
    'no',
    'da',
    'fi',
    'el',
    'cs',
    'hu',
    'ro',
    'th',
    'vi',
    'id',
    'ms',
    'he',
    'uk',
    'sk',
    'bg',
  ],
  ...['hr', 'lt', 'lv', 'et', 'sl'],
] as const

const Language = z.enum(languages)
const EditMode = z.enum(['live', 'locked'])

const Title = lineOfText(1, 50)

export const Space = z
  .object({
    object: z.literal('space'),
    id: z.string(),
    title: z.string(),
    emoji: z.string().meta({ description: 'The emoji; 📄 if the space has none.' }),
    visibility: z.enum([
      'public',
      'unlisted',
      'share-link',
      'visitor-auth',
      'in-collection',
      'private',
    ]),
    createdAt: z.string(),
    updatedAt: z.string(),
    deletedAt: z.string().optional(),
    editMode: EditMode,
    mergeRules: MergeRules,
    urls: z.object({
      location: z.string(),
      app: z.string(),
      git: z.string().optional().meta({
        description: 'The address of the repository for `git clone`, with a token as the password.',
      }),
      published: z.string().optional().meta({
        description:
          'The address of the space on a published site. On a site with share links only, it is present if the request has a `shareKey`, and contains that key.',
      }),
      public: z
        .string()
        .optional()
        .meta({ description: 'The same address if the space is public.' }),
      icon: z.string().optional(),
    }),
    organization: z.string(),
    parent: z.string().optional(),
    language: Language.optional(),
    gitSync: GitSyncState.optional(),
    revision: z.string(),
    defaultLevel: Level,
    comments: z.int(),
    changeRequests: z.int(),
    changeRequestsOpen: z.int(),
    changeRequestsDraft: z.int(),
    permissions: z.object({
      view: z.boolean(),
      access: z.boolean(),
      admin: z.boolean(),
      viewInviteLinks: z.boolean(),
      edit: z.boolean(),
      triggerGitSync: z.boolean(),
      comment: z.boolean(),
      merge: z.boolean(),
      review: z.boolean(),
      installIntegration: z.boolean(),
    }),
  })
  .meta({
    id: 'Space',
    description:
      'A set of documentation: a Git repository with settings, members and change requests.',
    sentences: {
      visibility:
        'Who may read it outside the organization, as decided by the sites that show it. Without such a site: `in-collection` in a collection, else `private`.',
      deletedAt: 'The time at which it was moved to the trash; left out if it is not deleted.',
      editMode: '`locked`: the primary content changes by merges only.',
      'urls.icon': 'The address of its icon.',
      parent: 'The id of the collection that contains it; left out at the top level.',
      language: 'The language of its content; left out if none is set.',
      gitSync: 'The remote repository that it was last synchronized with; left out without one.',
      revision: 'The current revision of the primary content.',
      comments: 'The number of open comments on the primary content.',
      changeRequests: 'The number of change requests of any status.',
      changeRequestsOpen: 'The number of open change requests.',
      changeRequestsDraft: 'The number of change requests that are drafts.',
      mergeRules: 'The conditions for merging its change requests.',
    },
  })

export const SpaceBody = z.strictObject({
  title: Title.optional().meta({ description: 'Default: "Untitled".' }),
  emoji: Emoji.optional(),
  parent: z.string().optional().meta({ description: 'The id of the parent collection.' }),
  language: Language.optional().meta({
    description: 'The language of its content; left out if none is set.',
  }),
  editMode: EditMode.optional().meta({
    description: '`locked`: the primary content changes by merges only. Default: `live`.',
  }),
  empty: z
    .boolean()
    .optional()
    .meta({ description: 'With true, the space starts without a page.' }),
  template: TemplateChoice.optional().meta({
    description:
      'The template that the space starts with. Its references cannot name files and pages, because there are none yet.',
  }),
  computedSource: z.unknown().optional().meta({ description: 'Not supported yet.' }),
})

export const SpacePatch = z
  .strictObject({
    title: Title.optional(),
    emoji: Emoji.nullable().optional(),
    icon: WebAddress.nullable().optional().meta({
      description: 'The URL of an image, in place of the emoji.',
    }),
    editMode: EditMode.optional().meta({
      description: '`locked`: the primary content changes by merges only.',
    }),
    defaultLevel: Level.optional(),
    language: Language.nullable()
      .optional()
      .meta({ description: 'null for no particular language.' }),
    mergeRules: MergeRules.optional(),
  })
  .refine(body => !(body.emoji && body.icon), {
    path: ['icon'],
    error: 'takes a URL only without "emoji": a space has one of the two',
  })

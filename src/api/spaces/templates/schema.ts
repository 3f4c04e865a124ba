import { z } from 'zod'
import { templateRefKinds } from '../../../content/edit/template.ts'
import { lineOfText } from '../../../lib/line-of-text.ts'

const Id = z.string().min(1).max(100)

export const Template = z
  .object({
    object: z.literal('template'),
    id: z.string(),
    title: z.string(),
    description: z.string(),
    refs: z
      .array(
        z.object({
          name: z.string(),
          kinds: z.array(z.enum(templateRefKinds)),
          description: z.string(),
          required: z.boolean(),
        }),
      )
      .meta({
        description: 'The names for `params.contentRefs`. Names with `required` must be set.',
      }),
    files: z.int().meta({ description: 'The number of files.' }),
    builtIn: z.boolean().meta({ description: 'Whether it comes with the program.' }),
    issue: z
      .string()
      .optional()
      .meta({ description: 'Why the template cannot be applied; left out if it can.' }),
  })
  .meta({
    id: 'Template',
    description: 'A set of pages that a space can start from.',
    sentences: {
      id: 'The id for requests.',
      description: 'What it contains, in one sentence.',
      'refs.name': 'The name in `params.contentRefs`.',
      'refs.kinds': 'What it may lead to.',
      'refs.description': 'What it is for.',
      'refs.required': 'Whether it has to be set.',
    },
  })

const page = { page: Id, space: Id.optional() }

const ContentRef = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('file'), file: Id }),
    z.strictObject({ kind: z.literal('page'), ...page }),
    z.strictObject({
      kind: z.literal('anchor'),
      anchor: z
        .string()
        .regex(
          /^[^\s<>"'()#\\]{1,200}$/,
          'takes an anchor without spaces, quotes, "<>", "()" and "#"',
        ),
      page: Id.optional(),
      space: Id.optional(),
    }),
    z.strictObject({
      kind: z.literal('url'),
      url: z.url({ protocol: /^(?:https?|mailto)$/ }).max(2048),
    }),
    z.strictObject({
      kind: z.literal('openapi'),
      spec: z
        .string()
        .max(100)
        .regex(/^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/, 'takes the slug of an OpenAPI spec'),
    }),
    z.strictObject({ kind: z.literal('user'), user: Id }),
    z.strictObject({ kind: z.literal('collection'), collection: Id }),
    z.strictObject({ kind: z.literal('space'), space: Id }),
    z.strictObject({
      kind: z.literal('reusable-content'),
      reusableContent: Id,
      space: Id.optional(),
    }),
  ])
  .meta({
    id: 'TemplateContentRef',
    description: 'The target of a name in a template. `kind` is its type.',
    sentences: {
      file: 'The id of the file.',
      page: 'The id of the page.',
      space: 'The id of the space. Default: the space that the template is applied to.',
      anchor: 'The anchor of a heading.',
      url: 'The address: http, https or mailto.',
      spec: 'The slug of the OpenAPI spec.',
      user: 'The id of the user.',
      collection: 'The id of the collection.',
      reusableContent: 'The id of the reusable content.',
    },
  })

const contentRefs = z
  .record(lineOfText(1, 100), ContentRef)
  .refine(refs => Object.keys(refs).length <= 50, 'takes up to 50 names')
  .meta({
    description:
      'The targets of the names in the template (`refs` of `GET /templates`). An OpenAPI spec may be created later: its pages appear as soon as it exists.',
  })

export const TemplateChoice = z.strictObject({
  id: Id.meta({ description: 'The id of a template of `GET /templates`.' }),
  params: z
    .strictObject({ contentRefs: contentRefs.optional() })
    .optional()
    .meta({ description: 'The values that the template needs.' }),
})

export const ApplyTemplate = TemplateChoice.extend({
  changeRequestId: Id.optional().meta({
    description:
      'The change request that the template is applied to (its id or number). Default: the primary content.',
  }),
})

import { z } from 'zod'
import { PageQuery } from '../../../http/list.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'

export const ImportRunPath = OrganizationPath.extend({ importRunId: z.string() })

const Id = z.string().min(1).max(100)

export const ImportStart = z.strictObject({
  source: z
    .discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('file'),
        files: z.array(z.string().min(1).max(512)).min(1).max(50).meta({
          description:
            'The keys of files that were sent to addresses of `generateStorageUploadURL`: Markdown, HTML, Word documents (.docx), or a zip of a folder. Links between them are updated. Images become files of the space.',
        }),
      }),
      z.strictObject({
        type: z.literal('website'),
        url: z.url().max(2048).meta({ description: 'The address of the website.' }),
      }),
    ])
    .meta({ description: 'Files. A `website` is refused: this server fetches none.' }),
  target: z
    .strictObject({
      space: Id.meta({ description: 'The space that gets the pages.' }),
      changeRequest: Id.optional().meta({
        description:
          'The change request that gets them, by id or number. By default the space itself.',
      }),
      page: Id.optional().meta({
        description:
          'The page below which they go. By default they go to the end of the top level.',
      }),
    })
    .meta({ description: 'Where the pages go.' }),
  site: Id.optional().meta({
    description:
      'The site that the import is for, to be listed with it. By default the only one that shows the space.',
  }),
  enhance: z.boolean().optional().meta({
    description: 'Accepted for compatibility. Nothing is rewritten.',
  }),
})

const status = ['pending', 'in-progress', 'completed', 'failed', 'cancelled'] as const

export const ImportRunsQuery = PageQuery.extend({
  space: Id.optional().meta({ description: 'Only imports into this space.' }),
  changeRequest: Id.optional().meta({
    description: 'Only imports into the change request with this id.',
  }),
  site: Id.optional().meta({ description: 'Only imports for this site.' }),
  status: z
    .enum(['active', ...status])
    .optional()
    .meta({ description: 'Only imports in this state; `active` are those that have not ended.' }),
})

export const ImportRun = z
  .object({
    object: z.literal('import-run'),
    id: z.string(),
    status: z.enum(status),
    reason: z.string().optional().meta({ description: 'Why it failed.' }),
    source: z.object({ type: z.literal('file'), files: z.array(z.string()) }),
    target: z.object({
      space: z.string(),
      changeRequest: z.string().optional(),
      page: z.string().optional(),
    }),
    site: z.string().optional().meta({ description: 'The site that it is for.' }),
    pages: z
      .array(
        z.object({
          id: z
            .string()
            .meta({ description: 'The id of the page; another name until it is complete.' }),
          type: z.enum(['page', 'folder']).meta({
            description: 'A `folder` has no page of its own, so an empty page was created for it.',
          }),
          status: z.enum(['complete', 'pending']),
          title: z.string(),
          path: z.string().meta({ description: 'The path of the file that it comes from.' }),
        }),
      )
      .meta({
        description: 'The pages, once the files were read. All of them become complete together.',
      }),
    findings: z
      .array(
        z.object({
          path: z.string().meta({ description: 'The path of the file.' }),
          message: z.string().meta({ description: 'What was left out, in a sentence.' }),
        }),
      )
      .meta({
        description: 'What was not understood and not taken over, and links that lead nowhere.',
      }),
    revision: z.string().optional().meta({ description: 'The revision with the pages.' }),
    createdBy: z.string(),
    createdAt: z.string(),
    startedAt: z.string().optional(),
    updatedAt: z.string(),
    completedAt: z.string().optional().meta({ description: 'When it ended, in whatever way.' }),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'ImportRun',
    description: 'An import of uploaded files, which become pages of a space.',
    sentences: {
      id: 'The id of the import.',
      status: 'How far the import is: `completed`, `failed` and `cancelled` are ends.',
      source: 'What is imported.',
      'source.type': 'Uploaded files.',
      'source.files': 'The keys of the uploads.',
      target: 'Where the pages go.',
      'target.space': 'The space that gets the pages.',
      'target.changeRequest': 'The change request that gets them instead of the primary content.',
      'target.page': 'The page below which they go.',
      'pages.status': 'Whether the page is written.',
      'pages.title': 'The title of the page, as the files give it.',
      createdBy: 'The id of the user who started the import.',
      createdAt: 'When it was started by a request.',
      startedAt: 'When its job began.',
      updatedAt: 'When it last got further.',
      urls: 'Where the import is found.',
      'urls.location': 'The address of the import in the API.',
    },
  })

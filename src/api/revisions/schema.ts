import { z } from 'zod'
import { listOf, PageQuery } from '../../http/list.ts'
import { ChangeRequest } from '../change-requests/schema.ts'
import { ReusableContent, RevisionPage, Variables } from '../content/schema.ts'
import { RevisionFile } from '../files/schema.ts'

const GitCommit = z
  .object({
    oid: z.string(),
    message: z.string(),
    createdByService: z.boolean().meta({
      description:
        'Whether this server made the commit for this space, as its records say. What the commit says of itself does not count.',
    }),
    createdByGitBook: z.boolean().meta({ description: 'The same as `createdByService`.' }),
    url: z.string().optional(),
    ref: z.string().optional(),
  })
  .meta({ id: 'GitCommit' })

const Type = z
  .enum(['edits', 'merge', 'update'])
  .meta({ description: '`merge`: a change request was merged; `update`: one was brought up to date.' })

export const Revision = z
  .object({
    object: z.literal('revision'),
    id: z.string(),
    parents: z.array(z.string()),
    type: Type,
    mergedFrom: ChangeRequest.optional(),
    pages: z.array(RevisionPage),
    files: z.array(RevisionFile),
    reusableContents: z.array(ReusableContent),
    variables: Variables,
    issues: z
      .array(z.object({ message: z.string(), path: z.string().optional(), line: z.number().optional() }))
      .optional()
      .meta({ description: 'What is wrong in the content; it is shown as well as it can be.' }),
    createdAt: z.string(),
    git: GitCommit.optional(),
    urls: z.object({ app: z.string(), location: z.string() }),
  })
  .meta({ id: 'Revision' })

export const RevisionSummary = z
  .object({
    object: z.literal('revision'),
    id: z.string(),
    parents: z.array(z.string()),
    type: Type,
    message: z.string().meta({ description: 'The first line of what the author wrote.' }),
    author: z.object({ name: z.string(), email: z.string() }),
    path: z.string().optional().meta({ description: 'Where the file stood then, in a list of one path.' }),
    createdAt: z.string(),
    git: GitCommit,
    urls: z.object({ app: z.string(), location: z.string() }),
  })
  .meta({ id: 'RevisionSummary' })

export const Revisions = listOf(RevisionSummary)

export const RevisionsQuery = PageQuery.extend({
  page: PageQuery.shape.page.meta({
    description:
      'The page of results, as `next.page` of the one before named it. Or the id of a page of the content: only revisions that changed it, under whatever name it had.',
  }),
  path: z.string().min(1).max(4096).optional().meta({
    description:
      'The path of a file in the repository: only revisions that changed it, under whatever name it had.',
  }),
})

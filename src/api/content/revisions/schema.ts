import { z } from 'zod'
import { PageQuery } from '../../../http/list.ts'
import { ChangeRequest } from '../change-requests/schema.ts'
import { RevisionFile } from '../files/schema.ts'
import { Issues, NoTags, ReusableContent, RevisionPage, Variables } from '../schema.ts'

const GitCommit = z
  .object({
    oid: z.string(),
    message: z.string(),
    createdByService: z.boolean().meta({
      description:
        'Whether this server created the commit for this space, according to its records; claims in the commit itself do not count.',
    }),
    createdByGitBook: z.boolean().meta({ description: 'The same as `createdByService`.' }),
    url: z.string().optional(),
    ref: z.string().optional(),
  })
  .meta({
    id: 'GitCommit',
    description: 'The commit of a revision.',
    sentences: {
      oid: 'Its id, the same as that of the revision.',
      message: 'The whole commit message.',
      url: 'The address of the commit at the host of a synchronized repository.',
      ref: 'The branch at that host that it was exchanged with.',
    },
  })

const Type = z.enum(['edits', 'merge', 'update']).meta({
  description: '`merge`: a change request was merged; `update`: a change request was updated.',
})

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
    tags: NoTags,
    variables: Variables,
    issues: Issues.optional().meta({
      description: 'Problems in the content, which is shown as well as possible.',
    }),
    createdAt: z.string(),
    git: GitCommit.optional(),
    urls: z.object({
      app: z.string(),
      location: z.string(),
      published: z
        .string()
        .optional()
        .meta({ description: 'Where a published site shows it; only of the primary content.' }),
      public: z
        .string()
        .optional()
        .meta({ description: 'The same address if the space is public.' }),
    }),
  })
  .meta({
    id: 'Revision',
    description: 'The content of a space at one commit.',
    sentences: {
      id: 'The id of the commit.',
      parents: 'The ids of the revisions that it was made from: two for a merge.',
      mergedFrom: 'The change request that it merged, if it did.',
      pages: 'The page tree.',
      files: 'The files that are no pages.',
      reusableContents: 'The texts that pages include.',
      'issues.message': 'What is wrong, as a sentence.',
      'issues.path': 'The file that it is in.',
      'issues.line': 'The line, from 1 on.',
      createdAt: 'The time of the commit.',
      git: 'The commit; left out with `metadata=false`.',
    },
  })

export const RevisionSummary = z
  .object({
    object: z.literal('revision'),
    id: z.string(),
    parents: z.array(z.string()),
    type: Type,
    message: z.string().meta({ description: 'The first line of the commit message.' }),
    author: z.object({ name: z.string(), email: z.string() }),
    path: z
      .string()
      .optional()
      .meta({ description: 'The path of the file at that revision, in a list for one path.' }),
    createdAt: z.string(),
    git: GitCommit,
    urls: z.object({ app: z.string(), location: z.string() }),
  })
  .meta({
    id: 'RevisionSummary',
    description: 'A revision in a list: its commit without pages and files.',
    sentences: {
      id: 'The id of the commit.',
      parents: 'The ids of the revisions that it was made from: two for a merge.',
      author: 'Who wrote the commit, as Git has it.',
      'author.name': 'The name in the commit.',
      'author.email': 'The e-mail address in the commit.',
      createdAt: 'The time of the commit.',
    },
  })

export const RevisionsQuery = PageQuery.extend({
  page: PageQuery.shape.page.meta({
    description:
      'The page of results: `next.page` of the previous answer. Or the id of a content page, to get only revisions that changed this page, also under its former names.',
  }),
  path: z.string().min(1).max(4096).optional().meta({
    description:
      'The path of a file in the repository, to get only revisions that changed this file, also under its former names.',
  }),
})

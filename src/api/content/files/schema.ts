import { z } from 'zod'
import { listOf, PageQuery, QueryFlag } from '../../../http/list.ts'

export const RevisionFile = z
  .object({
    id: z.string(),
    name: z.string(),
    contentType: z.string(),
    downloadURL: z.string(),
    size: z.number(),
    dimensions: z.object({ width: z.number(), height: z.number() }).optional(),
    git: z.object({ oid: z.string(), path: z.string() }).optional(),
  })
  .meta({ id: 'RevisionFile' })

export const RevisionFiles = listOf(RevisionFile)

export const FilesQuery = PageQuery.extend({
  metadata: QueryFlag.optional().meta({ description: 'false leaves `git` out. Default: true.' }),
  computed: QueryFlag.optional().meta({ description: 'Accepted without effect on files.' }),
})

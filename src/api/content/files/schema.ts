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
  .meta({
    id: 'RevisionFile',
    description: 'A file of the repository that is not a page.',
    sentences: {
      name: 'The name with its extension, without folders.',
      contentType: 'The media type, derived from the extension of the name.',
      downloadURL:
        'The address to download it from. It expires within two hours if the content is private.',
      size: 'The size in bytes.',
      dimensions: 'The size of an image in pixels; left out for files that are not images.',
      'dimensions.width': 'The width in pixels.',
      'dimensions.height': 'The height in pixels.',
      git: 'Where it is in the repository; left out with `metadata=false`.',
      'git.oid': 'The id that Git gives to its content.',
      'git.path': 'Its path from the root of the repository.',
    },
  })

export const RevisionFiles = listOf(RevisionFile)

export const FilesQuery = PageQuery.extend({
  metadata: QueryFlag.optional().meta({ description: 'false leaves `git` out. Default: true.' }),
  computed: QueryFlag.optional().meta({ description: 'Accepted without effect on files.' }),
})

import { z } from 'zod'
import { lineOfText } from '../../../lib/line-of-text.ts'

export const StorageUpload = z.strictObject({
  file: z
    .strictObject({
      name: lineOfText(1, 1000).meta({ description: 'What the file is called where it is now.' }),
      type: lineOfText(1, 200).meta({ description: 'Its media type.' }),
      size: z.int().min(1).meta({ description: 'Its exact size in bytes.' }),
    })
    .meta({
      id: 'StorageFileMetadata',
      description: 'What is known of a file before its bytes arrive.',
    }),
  kind: z
    .enum(['import_file'], 'takes "import_file", a file for an edit of content')
    .meta({ description: 'What the file is for: an edit of content.' }),
})

export const StorageUploadURL = z
  .object({
    object: z.literal('storage-signed-url'),
    url: z.url().meta({
      description:
        'Takes the bytes of the file with PUT, within an hour and without a token. The answer is a 204. After a cut connection, send them again: the same bytes get the same answer, and a later request ends an earlier one.',
    }),
    key: z.string().meta({
      description: 'Names the file as `upload` in `insert_files`, for a day after it has arrived.',
    }),
  })
  .meta({ id: 'StorageUploadURL', description: 'An address that takes the bytes of a file.' })

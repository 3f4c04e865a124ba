import { z } from 'zod'
import { lineOfText } from '../../../lib/line-of-text.ts'

export const StorageUpload = z.strictObject({
  file: z
    .strictObject({
      name: lineOfText(1, 1000).meta({ description: 'The name of the file.' }),
      type: lineOfText(1, 200).meta({ description: 'Its media type.' }),
      size: z.int().min(1).meta({ description: 'Its exact size in bytes.' }),
    })
    .meta({
      id: 'StorageFileMetadata',
      description: 'The name, type and size of a file that will be uploaded.',
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
        'The address for a PUT request with the bytes of the file, valid for one hour, without a token. The answer is a 204. If the connection breaks, send the request again: a later request ends an earlier one, and repeating a completed upload succeeds.',
    }),
    key: z.string().meta({
      description:
        'The key of the file, for `upload` in `insert_files`. It is valid for one day after the upload.',
    }),
  })
  .meta({
    id: 'StorageUploadURL',
    description: 'An address to which the bytes of a file are sent.',
  })

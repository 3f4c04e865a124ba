import { z } from 'zod'
import { ChangeRequest } from '../change-requests/schema.ts'
import { RevisionFile } from '../files/schema.ts'

const PagePointer = z.object({
  object: z.literal('page'),
  id: z.string(),
  urls: z.object({ location: z.string() }),
})

const Outcome = z
  .discriminatedUnion('object', [
    z.object({ object: z.literal('created_page'), ref: z.string().optional(), page: PagePointer }),
    z.object({ object: z.literal('updated_page'), page: PagePointer }),
    z.object({ object: z.literal('deleted_page'), page: z.string() }),
  ])
  .meta({
    id: 'ContentChangeOutcome',
    description: 'The effect of one change on a page.',
    sentences: {
      ref: 'The `ref` of the change, if it had one.',
      page: 'The page: its id and address, or the id alone of a deleted page.',
    },
  })

const outcomes = { changes: z.array(Outcome), insertedFiles: z.array(RevisionFile).optional() }

export const ChangeRequestEdited = z.union([
  z.object({ changeRequest: ChangeRequest, ...outcomes }),
  ChangeRequest,
])

export const PrimaryEdited = z.object({ revision: z.string(), ...outcomes }).meta({
  id: 'ContentEdited',
  description: 'The primary content after an edit.',
  sentences: {
    revision: 'The revision that the edit created; if nothing changed, the current one.',
    changes: 'The effects of the changes on pages, in the order of the changes.',
    insertedFiles: 'The files that were added; left out if there are none.',
  },
})

import { z } from 'zod'
import type { PageFields } from '../../actions/writing/open-page.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { asOid } from '../../lib/oid.ts'

/** The most bytes of the form: a long text, each character of which may take nine bytes. */
export const formLimit = 16_000_000

export const Revision = z
  .string()
  .regex(/^[0-9a-f]{40}$/, 'takes the 40 hex digits of a revision')
  .transform(asOid)

const written = {
  revision: Revision,
  title: lineOfText(0, 300),
  description: z.string().max(5_000).default(''),
  icon: lineOfText(0, 100).default(''),
  cover: lineOfText(0, 1_000).default(''),
  body: z.string().max(5_000_000).default(''),
}

/** What is written, without what is to be done with it. */
export const WrittenForm = z.object(written)

/** What is written, where it is saved, and what a button asks for. */
export const WritingForm = z.object({
  ...written,
  /** The number of a change request, or "new"; absent: what the address names. */
  to: z
    .string()
    .regex(/^(?:new|[1-9]\d{0,8})$/, 'takes a change request, or a new one')
    .optional(),
  message: lineOfText(0, 200).default(''),
  do: z.enum(['preview', 'image', 'save', 'review', 'publish']).default('save'),
})

export type WritingForm = z.output<typeof WritingForm>

/** Returns the fields of a page of what was sent. */
export const fieldsIn = ({
  title,
  description,
  icon,
  cover,
  body,
}: z.output<typeof WrittenForm>): PageFields => ({ title, description, icon, cover, body })

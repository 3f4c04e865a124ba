import { z } from 'zod'

const mostCharacters = 20_000

/** The Markdown of a comment or reply, as the API and pages take it. */
export const CommentText = z
  .string()
  .refine(text => text.trim() !== '', 'takes a text that is not empty')
  .refine(
    text => text.length <= mostCharacters || [...text].length <= mostCharacters,
    `takes up to ${mostCharacters} characters`,
  )
  .meta({ minLength: 1, maxLength: mostCharacters })
